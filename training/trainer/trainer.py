"""`MatchingTrainer`: the Trainer of transformers, for minibatches whose pairs are each other's negatives."""

import json
import math
import shutil
from pathlib import Path
from typing import Any, cast

import torch
from torch.utils.data import DataLoader, Dataset
from transformers import PrinterCallback, Trainer, TrainerCallback

from proofmatch.errors import ProofmatchError

from ...builder.variants.renaming import Symbols
from ...evaluation.decoding.candidates import best_candidates
from ...evaluation.decoding.matching import fill_unmatched, match_candidates
from ...evaluation.evaluator import rank_predictions
from ...evaluation.metrics import reciprocal_ranks
from ...evaluation.training_data import TrainingData
from ..losses import loss_of_step
from ..matcher import Matcher, saved_training_data
from ..model_folder import delete_old_checkpoints, last_checkpoint
from ..pairs import (
    Batches,
    EncodedPairs,
    MatchingSet,
    RenamedPairs,
    as_matching_set,
    collate,
    training_data_of,
)
from .arguments import METRICS, MatchingArguments, decay_by_epoch, make_optimizer
from .callbacks import EpochOfBatches, HistoryFile, TrainingProgress, WholeCheckpoints
from .processes import average_gradients, gather_vectors


class MatchingTrainer(Trainer):
    """Trains a matcher with local, global or hybrid objectives.

    Args:
        model: The matcher.
        args: Settings.
        train_dataset: Pairs, from `read_pairs`; or any dataset with the columns of `encode_pairs`.
        eval_dataset: The matching task of the validation split, from `read_task`; or encoded pairs.
        processing_class: The tokenizer, saved with the matcher.
        callbacks: Further callbacks of transformers.

    Example:
        >>> trainer = MatchingTrainer(matcher, arguments, pairs, task, tokenizer)  # doctest: +SKIP
        >>> trainer.train()  # doctest: +SKIP
    """

    def __init__(
        self,
        model: Matcher,
        args: MatchingArguments,
        train_dataset: EncodedPairs,
        eval_dataset: MatchingSet | EncodedPairs,
        processing_class: Any = None,  # noqa: ANN401 - a tokenizer of transformers
        callbacks: list[TrainerCallback] | None = None,
    ) -> None:
        if args.rename_share:
            symbols = cast("Symbols", args.rename_symbols)
            train_dataset = RenamedPairs(train_dataset, args.rename_share, symbols, args.seed)
        self._pairs, self._task = train_dataset, _task_of(eval_dataset)
        self.batches = Batches(
            len(train_dataset),
            args.per_device_train_batch_size * args.world_size,
            args.sampling,
            args.seed,
            args.process_index,
            args.world_size,
        )
        if self.batches.size < 2:
            raise ProofmatchError(
                f"a batch needs at least two pairs, which are each other's negatives; there are "
                f"{len(train_dataset)} pairs and per_device_train_batch_size is "
                f"{args.per_device_train_batch_size}"
            )
        if args.world_size > 1 and not model.trains_in_several_processes:
            raise ProofmatchError(
                f"a {model.config.model_type} is trained in one process; leave out torchrun"
            )
        self._progress = TrainingProgress(self.batches)
        self._checkpoints_kept = args.save_total_limit
        self.steps_per_epoch = math.ceil(len(self.batches) / args.gradient_accumulation_steps)
        args.eval_steps, args.save_steps, args.logging_steps = (
            max(1, round(epochs * self.steps_per_epoch))
            for epochs in (args.eval_epochs, args.save_epochs, args.log_epochs)
        )
        super().__init__(
            model,
            args,
            data_collator=collate,
            train_dataset=cast("Dataset", train_dataset),
            eval_dataset=self._task,
            processing_class=processing_class,
            callbacks=[
                EpochOfBatches(self.batches, train_dataset),
                WholeCheckpoints(),
                HistoryFile(),
                self._progress,
                *(callbacks or []),
            ],
        )
        self.pop_callback(PrinterCallback)  # `TrainingProgress` shows the same
        for name in ("pad_token_id", "bos_token_id", "eos_token_id"):
            if (number := getattr(processing_class, name, None)) is not None:
                setattr(model.config, name, number)  # the library does the same later, with a warning
        self.args: MatchingArguments
        self.model_accepts_loss_kwargs = False

    @property
    def matcher(self) -> Matcher:
        """The model, without the library's wrapper for several processes."""
        return self.accelerator.unwrap_model(self.model)

    def get_train_dataloader(self) -> DataLoader:
        """Return the loader; `Batches` selects this process's share of each batch."""
        pairs = cast("Dataset", self._pairs)
        return DataLoader(pairs, batch_sampler=self.batches, collate_fn=collate)

    def create_optimizer(self, model: torch.nn.Module | None = None) -> torch.optim.Optimizer:
        """Make the optimizer of the settings."""
        if self.optimizer is None:
            matcher: Matcher = self.accelerator.unwrap_model(model or self.model)
            self.optimizer = make_optimizer(matcher, self.args)
        return self.optimizer

    def create_scheduler(
        self, num_training_steps: int, optimizer: torch.optim.Optimizer | None = None
    ) -> torch.optim.lr_scheduler.LRScheduler:
        """Make the learning rate schedule: by epoch for ASGD, that of transformers for AdamW."""
        if self.lr_scheduler is None and self.args.optimizer == "asgd":
            factor = self.args.learning_rate_decay
            self.lr_scheduler = decay_by_epoch(optimizer or self.optimizer, factor, self.steps_per_epoch)
            self._created_lr_scheduler = True
        return super().create_scheduler(num_training_steps, optimizer)

    def train(self, *options: Any, **others: Any) -> Any:  # noqa: ANN401 - of the library
        """Train, as the library does, and record on what."""
        checkpoint = options[0] if options else others.get("resume_from_checkpoint")
        if checkpoint is True:
            checkpoint = last_checkpoint(Path(str(self.args.output_dir)), self.args.world_size)
        earlier = [self.matcher.training_data, saved_training_data(checkpoint) if checkpoint else None]
        now = training_data_of(self._pairs, self._task)
        self.matcher.training_data = sum(filter(None, [*earlier, now]), TrainingData())
        try:
            return super().train(*options, **others)
        except BaseException as error:
            self._progress.end(error)  # so that no progress bar precedes the error message
            raise

    def training_step(
        self,
        model: torch.nn.Module,  # noqa: ARG002
        inputs: dict[str, Any],
        num_items_in_batch: Any = None,  # noqa: ANN401, ARG002 - of the library; our batches have one size
    ) -> torch.Tensor:
        """Add the gradients of a batch, and return the mean loss per statement."""
        # Not through the library's wrapper for several processes: it would average gradients after the
        # first chunk, and does not see the pairs of other processes.
        matcher = self.matcher.train()
        name, loss = loss_of_step(self.args.objective, self.state.global_step)
        statements, proofs = inputs["statements"], inputs["proofs"]
        accumulated = self.batches.size * self.current_gradient_accumulation_steps

        def mean_loss(scores: torch.Tensor) -> torch.Tensor:
            if not torch.isfinite(scores).all():
                raise ProofmatchError(
                    f"scores are NaN or infinite at step {self.state.global_step + 1} ({name} loss); "
                    "try a smaller learning_rate, or a max_grad_norm"
                )
            # The paper writes a sum, with which its learning rate would be 60 times as large.
            return loss(scores) / accumulated

        with self.accelerator.autocast():  # for `bf16`
            value = matcher.backward(statements, proofs, mean_loss, self.args.chunk_size, gather_vectors)
        average_gradients(list(matcher.parameters()))
        return value

    def evaluate(
        self,
        eval_dataset: Any = None,  # noqa: ANN401 - as in `__init__`
        ignore_keys: list[str] | None = None,  # noqa: ARG002 - of the library
        metric_key_prefix: str = "eval",
    ) -> dict[str, float]:
        """Rank and match a split, by default the validation split."""
        measured = validate(self.matcher, self._task if eval_dataset is None else _task_of(eval_dataset))
        metrics = {f"{metric_key_prefix}_{name}": value for name, value in measured.items()}
        self.log(metrics)
        self.control = self.callback_handler.on_evaluate(self.args, self.state, self.control, metrics)
        return metrics

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        """Log all but the library's mean loss, which after a resumption covers only the last start."""
        super().log(
            {key: value for key, value in logs.items() if key not in ("train_loss", "total_flos")}, start_time
        )

    def create_model_card(self, *options: Any, **others: Any) -> None:  # noqa: ANN401 - of the library
        """Write the library's card for a push to the Hub, unless there is a card already."""
        if not Path(str(self.args.output_dir), "README.md").exists():
            super().create_model_card(*options, **others)

    def floating_point_ops(self, inputs: dict[str, Any]) -> int:  # noqa: ARG002 - of the library
        """Return 0: the library's estimate assumes one padded batch."""
        return 0

    def _save_checkpoint(self, model: torch.nn.Module, trial: Any) -> None:  # noqa: ANN401 - of the library
        """Save with the library, but delete old checkpoints by their step numbers."""
        self.args.save_total_limit = None
        try:
            super()._save_checkpoint(model, trial)
        finally:
            self.args.save_total_limit = self._checkpoints_kept
        if self.args.should_save and self._checkpoints_kept:
            best = self.state.best_model_checkpoint
            delete_old_checkpoints(
                Path(str(self.args.output_dir)), self._checkpoints_kept, Path(best) if best else None
            )

    def _save(self, output_dir: str | None = None, state_dict: dict[str, Any] | None = None) -> None:
        """Save with the library, but the settings as JSON instead of a pickle."""
        folder = Path(output_dir or str(self.args.output_dir))
        unfinished = folder / ".unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        self.matcher.save_pretrained(unfinished, state_dict=state_dict)
        if self.processing_class is not None:
            self.processing_class.save_pretrained(unfinished)
        settings = self.args.to_dict()
        settings["save_total_limit"] = self._checkpoints_kept
        del settings["output_dir"]  # private, and models are shared
        (unfinished / "training_args.json").write_text(
            json.dumps(settings, indent=2, sort_keys=True) + "\n", encoding="utf-8"
        )
        readable = (unfinished / "training_args.json").stat().st_mode
        # The weights last: a folder that has them is complete, even if the process is killed.
        for path in sorted(unfinished.iterdir(), key=lambda path: path.suffix == ".safetensors"):
            path.chmod(readable)  # the library makes weights readable by their owner only
            path.replace(folder / path.name)
        unfinished.rmdir()

    def _run_epoch(self, *options: Any, **others: Any) -> None:  # noqa: ANN401 - of the library
        # A run that was killed between its last step and its end must not continue to the end of an epoch.
        if self.state.global_step < self.state.max_steps:
            super()._run_epoch(*options, **others)


def _task_of(dataset: MatchingSet | EncodedPairs) -> MatchingSet:
    return dataset if isinstance(dataset, MatchingSet) else as_matching_set(dataset)


def validate(matcher: Matcher, split: MatchingSet) -> dict[str, float]:
    """Measure MRR and accuracy of the ranking, and the accuracy of the one-to-one matching."""
    scores = matcher.scores(split.statements, split.proofs)
    ranks = rank_predictions(scores, split.gold).ranks
    candidates = best_candidates(scores)
    matched = fill_unmatched(match_candidates(candidates).columns, candidates)
    measured = (reciprocal_ranks(ranks).mean(), (ranks == 1).mean(), (matched == split.gold).mean())
    return dict(zip(METRICS, map(float, measured), strict=True))
