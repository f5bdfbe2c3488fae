"""What happens beside the steps: the history file, and lines for whoever watches."""

import json
import os
import time
from pathlib import Path
from typing import Any

from transformers import TrainerCallback, TrainerControl, TrainerState

from proofmatch.progress import Progress

from .arguments import MatchingArguments
from .batches import Batches

HISTORY = "history.json"


class EpochOfBatches(TrainerCallback):
    """Tells the batches which epoch begins."""

    def __init__(self, batches: Batches) -> None:
        self._batches = batches

    def on_epoch_begin(
        self, args: MatchingArguments, state: TrainerState, control: TrainerControl, **_: Any  # noqa: ARG002, ANN401
    ) -> None:
        """Set the epoch; in the middle of a resumed one it is a fraction."""
        self._batches.epoch = int(state.epoch or 0)


class LogBeforeSaving(TrainerCallback):
    """Logs the loss so far at every checkpoint.

    It would otherwise be lost with the process: a resumed run could not tell the same curve.
    """

    def on_step_end(
        self, args: MatchingArguments, state: TrainerState, control: TrainerControl, **_: Any  # noqa: ANN401
    ) -> TrainerControl:
        """Ask for a log."""
        if state.global_step % args.save_steps == 0 or state.global_step >= state.max_steps:
            control.should_log = True
        return control


class HistoryFile(TrainerCallback):
    """Keeps `history.json` in the output folder: all that was logged, from the first step on."""

    def on_log(
        self, args: MatchingArguments, state: TrainerState, control: TrainerControl, **_: Any  # noqa: ARG002, ANN401
    ) -> None:
        """Write it anew, by a rename, so that it is whole at any time."""
        if not state.is_world_process_zero:
            return
        path = Path(args.output_dir, HISTORY)
        unfinished = path.with_suffix(".unfinished")
        unfinished.write_text(json.dumps(state.log_history, indent=1) + "\n", encoding="utf-8")
        os.replace(unfinished, path)


class TrainingProgress(TrainerCallback):
    """Shows the steps as every other long operation does, and a line for each evaluation."""

    def __init__(self, batch_size: int) -> None:
        self._batch_size = batch_size
        self._progress: Progress | None = None
        self._loss = ""
        self._since = (0.0, 0)

    def on_train_begin(
        self, args: MatchingArguments, state: TrainerState, control: TrainerControl, **_: Any  # noqa: ARG002, ANN401
    ) -> None:
        """Begin to show."""
        self._since = (time.monotonic(), state.global_step)
        if state.is_world_process_zero:
            self._progress = Progress("training", "steps", total=state.max_steps, done=state.global_step)
            self._progress.__enter__()

    def on_step_end(
        self, args: MatchingArguments, state: TrainerState, control: TrainerControl, **_: Any  # noqa: ARG002, ANN401
    ) -> None:
        """Count a step."""
        if self._progress is None:
            return
        began, first = self._since
        speed = (state.global_step - first) * self._batch_size / max(1e-9, time.monotonic() - began)
        self._progress.summary = f"epoch {state.epoch:.2f}{self._loss}, {speed:.1f} pairs/s"
        self._progress.advance()

    def on_log(
        self,
        args: MatchingArguments,  # noqa: ARG002
        state: TrainerState,  # noqa: ARG002
        control: TrainerControl,  # noqa: ARG002
        logs: dict[str, float] | None = None,
        **_: Any,  # noqa: ANN401
    ) -> None:
        """Remember the loss."""
        if logs and "loss" in logs:
            self._loss = f", loss {logs['loss']:.4f}"

    def on_evaluate(
        self,
        args: MatchingArguments,  # noqa: ARG002
        state: TrainerState,
        control: TrainerControl,  # noqa: ARG002
        metrics: dict[str, float],
        **_: Any,  # noqa: ANN401
    ) -> None:
        """Print the scores."""
        if self._progress is None:
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
        self, args: MatchingArguments, state: TrainerState, control: TrainerControl, **_: Any  # noqa: ARG002, ANN401
    ) -> None:
        """Leave a last line."""
        if self._progress is not None:
            self._progress.__exit__(None, None, None)
            self._progress = None
