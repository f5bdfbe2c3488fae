"""`MatchingTrainer`: the Trainer of transformers, for minibatches whose pairs are each other's negatives."""

import json
from pathlib import Path
from typing import Any

import torch
from torch.utils.data import DataLoader
from transformers import PrinterCallback, Trainer, TrainerCallback

from proofmatch.errors import ProofmatchError

from ..gradient_cache import backward_in_chunks
from ..model.matcher import ProofMatcher
from ..pairs import MatchingSet, TrainingPairs, collate
from .arguments import MatchingArguments
from .batches import Batches
from .callbacks import EpochOfBatches, HistoryFile, LogBeforeSaving, TrainingProgress
from .objectives import loss_of_step
from .optimizers import averaged_sgd, decay_by_epoch
from .processes import average_gradients, gather_vectors
from .validation import validate


class MatchingTrainer(Trainer):
    """Trains a matcher by local, global or hybrid objectives.

    Args:
        model: The matcher.
        args: Settings.
        train_dataset: Pairs, from `read_pairs`.
        eval_dataset: The matching task of the validation split, from `read_task`.
        processing_class: The tokenizer, saved with the matcher.
        callbacks: Further callbacks of transformers.

    Example:
        >>> trainer = MatchingTrainer(matcher, arguments, pairs, task, tokenizer)  # doctest: +SKIP
        >>> trainer.train()  # doctest: +SKIP
    """

    def __init__(
        self,
        model: ProofMatcher,
        args: MatchingArguments,
        train_dataset: TrainingPairs,
        eval_dataset: MatchingSet,
        processing_class: Any = None,  # noqa: ANN401 - a tokenizer of transformers
        callbacks: list[TrainerCallback] | None = None,
    ) -> None:
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
        args.eval_steps = _steps(args.eval_epochs, self.batches)
        args.save_steps = _steps(args.save_epochs, self.batches)
        # The best weights are those of a checkpoint, so there is one whenever there is an evaluation.
        args.eval_steps = -(-args.eval_steps // args.save_steps) * args.save_steps
        super().__init__(
            model,
            args,
            data_collator=collate,
            train_dataset=train_dataset,
            eval_dataset=eval_dataset,
            processing_class=processing_class,
            callbacks=[
                EpochOfBatches(self.batches),
                LogBeforeSaving(),
                HistoryFile(),
                TrainingProgress(self.batches.size),
                *(callbacks or []),
            ],
        )
        self.pop_callback(PrinterCallback)  # `TrainingProgress` says the same for people
        self.args: MatchingArguments
        self.model_accepts_loss_kwargs = False

    def get_train_dataloader(self) -> DataLoader:
        """Give the batches; which share of them is this process's, they know themselves."""
        return DataLoader(self.train_dataset, batch_sampler=self.batches, collate_fn=self.data_collator)

    def create_optimizer(self, model: torch.nn.Module | None = None) -> torch.optim.Optimizer:
        """Make the optimizer that the settings name."""
        if self.optimizer is None and self.args.optimizer == "asgd":
            self.optimizer = averaged_sgd((model or self.model).parameters(), self.args.learning_rate)
        return super().create_optimizer(model)

    def create_scheduler(
        self, num_training_steps: int, optimizer: torch.optim.Optimizer | None = None
    ) -> torch.optim.lr_scheduler.LRScheduler:
        """Make the schedule of the learning rate: by epoch for ASGD, that of transformers for AdamW."""
        if self.lr_scheduler is None and self.args.optimizer == "asgd":
            factor = self.args.learning_rate_decay
            self.lr_scheduler = decay_by_epoch(optimizer or self.optimizer, factor, len(self.batches))
            self._created_lr_scheduler = True
        return super().create_scheduler(num_training_steps, optimizer)

    def training_step(
        self,
        model: torch.nn.Module,
        inputs: dict[str, Any],
        num_items_in_batch: Any = None,  # noqa: ANN401, ARG002 - of the library; our batches are all of one size
    ) -> torch.Tensor:
        """Add the gradients of a batch; the mean loss of a statement comes back."""
        # Not through the wrapper that transformers puts around it for several processes: it would
        # average gradients after the first chunk, and sees no pairs of other processes.
        matcher: ProofMatcher = self.accelerator.unwrap_model(model)
        matcher.train()
        name, loss = loss_of_step(self.args.objective, self.state.global_step)
        statements, proofs = inputs["statements"], inputs["proofs"]
        accumulated = self.batches.size * self.args.gradient_accumulation_steps

        def mean_loss(scores: torch.Tensor) -> torch.Tensor:
            return loss(scores) / accumulated

        value = backward_in_chunks(
            matcher, statements, proofs, mean_loss, self.args.chunk_size, gather_vectors
        )
        if not torch.isfinite(value):
            raise ProofmatchError(
                f"the {name} loss of step {self.state.global_step + 1} is {value.item()}; "
                "a smaller learning_rate, or a max_grad_norm, may help"
            )
        average_gradients(list(matcher.parameters()))
        return value

    def evaluate(
        self,
        eval_dataset: MatchingSet | None = None,
        ignore_keys: list[str] | None = None,  # noqa: ARG002 - of the library
        metric_key_prefix: str = "eval",
    ) -> dict[str, float]:
        """Rank and match a split, the validation split if none is given."""
        matcher: ProofMatcher = self.accelerator.unwrap_model(self.model)
        measured = validate(matcher, eval_dataset if eval_dataset is not None else self.eval_dataset)
        metrics = {f"{metric_key_prefix}_{name}": value for name, value in measured.items()}
        self.log(metrics)
        self.control = self.callback_handler.on_evaluate(self.args, self.state, self.control, metrics)
        return metrics

    def floating_point_ops(self, inputs: dict[str, Any]) -> int:  # noqa: ARG002 - of the library
        """Count none: the library's estimate is for one padded batch."""
        return 0

    def _save(self, output_dir: str | None = None, state_dict: dict[str, Any] | None = None) -> None:
        """Save as the library does, but the settings as JSON: nobody should have to open a pickle."""
        folder = Path(output_dir or self.args.output_dir)
        self.model.save_pretrained(folder, state_dict=state_dict)
        if self.processing_class is not None:
            self.processing_class.save_pretrained(folder)
        (folder / "training_args.json").write_text(
            json.dumps(self.args.to_sanitized_dict(), indent=2, sort_keys=True) + "\n", encoding="utf-8"
        )


def _steps(epochs: float, batches: Batches) -> int:
    return max(1, round(epochs * len(batches)))
