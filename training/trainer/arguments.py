"""`MatchingArguments`: every setting of a training run."""

from dataclasses import dataclass, field

from transformers import TrainingArguments

from proofmatch.errors import ProofmatchError

from .batches import SAMPLINGS
from .objectives import OBJECTIVES

OPTIMIZERS = ("asgd", "adamw")


@dataclass
class MatchingArguments(TrainingArguments):
    """Settings of `MatchingTrainer`, beside those of `transformers.TrainingArguments`.

    The number of pairs of a batch is `per_device_train_batch_size` times the number of processes; all of them
    are negatives for each other.
    """

    objective: str = field(default="local", metadata={"help": f"what is optimised: {', '.join(OBJECTIVES)}"})
    optimizer: str = field(default="asgd", metadata={"help": f"one of {', '.join(OPTIMIZERS)}"})
    sampling: str = field(default="independent", metadata={"help": f"batches: {', '.join(SAMPLINGS)}"})
    learning_rate_decay: float = field(
        default=1.0, metadata={"help": "factor of the learning rate after each epoch, for asgd"}
    )
    chunk_size: int | None = field(
        default=None, metadata={"help": "texts encoded at a time (gradient caching); None: a batch at once"}
    )
    eval_epochs: float = field(default=20, metadata={"help": "epochs between two looks at the validation split"})
    save_epochs: float = field(default=1, metadata={"help": "epochs between two checkpoints"})

    per_device_train_batch_size: int = 60
    learning_rate: float = 0.02
    num_train_epochs: float = 400
    # The loss is a mean over statements. A sum, as the paper writes it, diverges with its learning rate.
    max_grad_norm: float = 0.0
    weight_decay: float = 0.0
    save_total_limit: int | None = 2
    metric_for_best_model: str | None = "mrr"
    greater_is_better: bool | None = True
    eval_strategy: str = "steps"
    save_strategy: str = "steps"
    load_best_model_at_end: bool = True
    report_to: str | list[str] | None = "tensorboard"
    disable_tqdm: bool | None = True
    seed: int = 0

    def __post_init__(self) -> None:
        for name, allowed in (
            ("objective", tuple(OBJECTIVES)),
            ("optimizer", OPTIMIZERS),
            ("sampling", SAMPLINGS),
        ):
            if getattr(self, name) not in allowed:
                raise ProofmatchError(
                    f"{name} must be one of {', '.join(allowed)}, not {getattr(self, name)!r}"
                )
        super().__post_init__()
