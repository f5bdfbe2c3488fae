"""`MatchingArguments`: every setting of a training run, and the optimizers they describe."""

from dataclasses import dataclass, field

import torch
from torch.optim.lr_scheduler import LambdaLR
from transformers import TrainingArguments

from proofmatch.errors import ProofmatchError, check_choice

from ...builder.variants.renaming import SYMBOLS
from ..losses import OBJECTIVES
from ..matcher import Matcher
from ..pairs import SAMPLINGS
from .processes import number_of_processes

METRICS = ("mrr", "accuracy", "one_to_one_accuracy")
OPTIMIZERS = ("asgd", "adamw")

_POSITIVE = (
    "num_train_epochs",
    "learning_rate",
    "learning_rate_decay",
    "eval_epochs",
    "save_epochs",
    "log_epochs",
)
_SHARES = ("adam_beta1", "adam_beta2")
_LEAST = {
    "per_device_train_batch_size": 1,
    "gradient_accumulation_steps": 1,
    "chunk_size": 1,
    "save_total_limit": 1,
    "similarity_rate": 0,
    "feature_rate": 0,
    "table_rate": 0,
    "feature_decay": 0,
    "weight_decay": 0,
    "adam_epsilon": 0,
    "warmup_steps": 0,
    "max_grad_norm": 0,
    "seed": 0,
}


@dataclass
class MatchingArguments(TrainingArguments):
    """Settings of `MatchingTrainer`, in addition to those of `transformers.TrainingArguments`.

    A batch has `per_device_train_batch_size` pairs times the number of processes; all of them are negatives
    for each other.
    """

    objective: str = field(default="local", metadata={"help": f"what is optimised: {', '.join(OBJECTIVES)}"})
    optimizer: str = field(default="asgd", metadata={"help": f"one of {', '.join(OPTIMIZERS)}"})
    sampling: str = field(default="independent", metadata={"help": f"batches: {', '.join(SAMPLINGS)}"})
    learning_rate_decay: float = field(
        default=1.0, metadata={"help": "factor of the learning rate after each epoch, for asgd"}
    )
    similarity_rate: float = field(
        default=1.0,
        metadata={"help": "learning rate of the bilinear form, relative to the encoder's"},
    )
    feature_rate: float = field(
        default=1.0,
        metadata={"help": "relative learning rate of a lexical matcher's weights"},
    )
    table_rate: float = field(
        default=1.0, metadata={"help": "relative learning rate of its embedding tables"}
    )
    feature_decay: float = field(
        default=0.0, metadata={"help": "weight decay of the weights of single features"}
    )
    rename_share: float = field(
        default=0.0, metadata={"help": "share of the proofs that get new names for variables in every epoch"}
    )
    rename_symbols: str = field(
        default="full", metadata={"help": f"which variables: {', '.join(SYMBOLS)}, as in a variant"}
    )
    chunk_size: int | None = field(
        default=None, metadata={"help": "texts encoded at a time (gradient caching); None: a batch at once"}
    )
    eval_epochs: float = field(
        default=20, metadata={"help": "epochs between two evaluations on the validation split"}
    )
    save_epochs: float = field(default=1, metadata={"help": "epochs between two checkpoints"})
    log_epochs: float = field(default=0.05, metadata={"help": "epochs between two entries of the history"})

    per_device_train_batch_size: int = 60
    learning_rate: float = 0.02
    num_train_epochs: float = 400
    weight_decay: float = 0.0
    save_total_limit: int | None = 2
    metric_for_best_model: str | None = "mrr"
    greater_is_better: bool | None = True
    eval_strategy: str = "steps"
    save_strategy: str = "steps"
    load_best_model_at_end: bool = True
    report_to: str | list[str] | None = "tensorboard"
    disable_tqdm: bool | None = True
    hub_strategy: str = "end"  # the library's uploads during training contain pickles
    seed: int = 0

    def __post_init__(self) -> None:
        for name, allowed in (
            ("objective", tuple(OBJECTIVES)),
            ("optimizer", OPTIMIZERS),
            ("sampling", SAMPLINGS),
            ("rename_symbols", SYMBOLS),
            ("metric_for_best_model", METRICS),
        ):
            check_choice(name, getattr(self, name), allowed)
        for name, least in _LEAST.items():
            value = getattr(self, name)
            if value is not None and not value >= least:
                raise ProofmatchError(f"{name} must be at least {least}, not {value}")
        for name in _POSITIVE:
            if not getattr(self, name) > 0:
                raise ProofmatchError(f"{name} must be more than 0, not {getattr(self, name)}")
        for name in _SHARES:
            if not 0 <= getattr(self, name) < 1:
                raise ProofmatchError(f"{name} must be from 0 to less than 1, not {getattr(self, name)}")
        if not 0 <= self.rename_share <= 1:
            raise ProofmatchError(f"rename_share must be from 0 to 1, not {self.rename_share}")
        if self.report_to is None:
            self.report_to = "none"  # the library's spelling
        if number_of_processes() > 1 and not torch.accelerator.is_available():
            self.use_cpu = True  # or each process would train on its own
        super().__post_init__()
        if self.world_size != number_of_processes():
            raise ProofmatchError(
                f"{number_of_processes()} processes were started, but they do not find each other; "
                "start them with torchrun"
            )


def make_optimizer(matcher: Matcher, arguments: MatchingArguments) -> torch.optim.Optimizer:
    """Make the optimizer of the settings.

    The paper's ASGD is that of PyTorch, which starts averaging after a million steps. The paper's 400 epochs
    of 147,276 / 60 steps end before that, so its results are those of the last weights, as ours are.
    """
    groups = [
        {
            "params": group.parameters,
            "lr": arguments.learning_rate * (getattr(arguments, group.rate) if group.rate else 1.0),
            "weight_decay": getattr(arguments, group.decay),
        }
        for group in matcher.parameter_groups()
    ]
    if arguments.optimizer == "asgd":
        return torch.optim.ASGD(groups, lr=arguments.learning_rate)
    return torch.optim.AdamW(
        groups,
        lr=arguments.learning_rate,
        betas=(arguments.adam_beta1, arguments.adam_beta2),
        eps=arguments.adam_epsilon,
        fused=True,  # one pass over the parameters instead of ten: tables are larger than a processor's cache
    )


def decay_by_epoch(optimizer: torch.optim.Optimizer, factor: float, steps_per_epoch: int) -> LambdaLR:
    """Multiply the learning rate by a factor after each epoch."""
    return LambdaLR(optimizer, lambda step: factor ** (step // steps_per_epoch))
