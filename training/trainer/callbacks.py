"""Callbacks of the trainer: epochs, complete checkpoints, the history file, and the progress."""

# ruff: noqa: ANN401, ARG002
# (The signatures are those of transformers.)

import json
import time
from pathlib import Path
from typing import Any

from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments
from transformers.trainer_utils import PREFIX_CHECKPOINT_DIR

from proofmatch.errors import ProofmatchError
from proofmatch.progress import Progress
from proofmatch.storage import atomic_file

from ..pairs import Batches, EncodedPairs, RenamedPairs

HISTORY = "history.json"


class EpochOfBatches(TrainerCallback):
    """Sets the epoch of the batches, and of pairs that are renamed in every epoch."""

    def __init__(self, batches: Batches, pairs: EncodedPairs) -> None:
        self._batches, self._pairs = batches, pairs

    def on_epoch_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> None:
        """Set the epoch; in a resumed one, `state.epoch` is a fraction."""
        self._batches.epoch = int(state.epoch or 0)
        if isinstance(self._pairs, RenamedPairs):
            self._pairs.epoch = self._batches.epoch


class WholeCheckpoints(TrainerCallback):
    """Makes checkpoints complete, so that a resumed run equals one that was never interrupted."""

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> None:
        """Find the best checkpoint again if the folder was moved or the working folder is another one."""
        if state.best_global_step:
            folder = Path(str(args.output_dir), f"{PREFIX_CHECKPOINT_DIR}-{state.best_global_step}")
            if not folder.is_dir():
                raise ProofmatchError(
                    f"{folder} had the best weights and is missing; train again in another folder"
                )
            state.best_model_checkpoint = str(folder)

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> None:
        """Save a checkpoint with each evaluation, and log the loss with each checkpoint."""
        control.should_save = control.should_save or control.should_evaluate
        control.should_log = control.should_log or control.should_save

    on_epoch_end = on_step_end  # for `eval_strategy` and `save_strategy` by epoch


class HistoryFile(TrainerCallback):
    """Writes `history.json` in the output folder: all log entries since the first step."""

    def on_log(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        """Rewrite the file."""
        if not state.is_world_process_zero:
            return
        with atomic_file(Path(str(args.output_dir), HISTORY)) as unfinished:
            unfinished.write_text(json.dumps(state.log_history, indent=1) + "\n", encoding="utf-8")


class TrainingProgress(TrainerCallback):
    """Shows a progress bar of the steps, and a line for each evaluation."""

    def __init__(self, batches: Batches) -> None:
        self._batches = batches
        self._progress: Progress | None = None
        self._loss = ""
        self._since = (0.0, 0)

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> None:
        """Start the progress."""
        self._since = (time.monotonic(), state.global_step)
        if state.is_world_process_zero:
            self._progress = Progress("training", "steps", total=state.max_steps, done=state.global_step)
            self._progress.__enter__()
            done = f", continuing after step {state.global_step:,}" if state.global_step else ""
            self._progress.say(
                f"{self._batches.n_pairs:,} pairs in batches of {self._batches.size:,}, "
                f"{state.max_steps:,} steps{done}"
            )

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> None:
        """Count a step."""
        if self._progress is None:
            return
        began, first = self._since
        speed = (state.global_step - first) * self._batches.size / max(1e-9, time.monotonic() - began)
        self._progress.summary = f"epoch {state.epoch:.2f}{self._loss}, {speed:.1f} pairs/s"
        self._progress.advance()

    def on_log(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        logs: dict[str, float] | None = None,
        **_: Any,
    ) -> None:
        """Remember the loss."""
        if logs and "loss" in logs:
            self._loss = f", loss {logs['loss']:.4f}"

    def on_evaluate(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        metrics: dict[str, float] | None = None,
        **_: Any,
    ) -> None:
        """Print the scores."""
        if self._progress is None or metrics is None:
            return
        scores = ", ".join(
            f"{title} {100 * metrics[key]:.1f}"
            for key, title in (
                ("eval_mrr", "MRR"),
                ("eval_accuracy", "accuracy"),
                ("eval_one_to_one_accuracy", "one-to-one"),
            )
            if key in metrics
        )
        self._progress.say(f"epoch {state.epoch or 0:.2f}, validation: {scores}")

    def on_train_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> None:
        """Print the last line."""
        self.end()

    def end(self, error: BaseException | None = None) -> None:
        """End the progress; after an error without a last line."""
        if self._progress is not None:
            self._progress.__exit__(type(error) if error else None, error, None)
            self._progress = None
