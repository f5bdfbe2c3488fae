"""What a finished run leaves in its folder."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from proofmatch.storage import atomic_file

from .learning_curve import learning_curve
from .model_card import CURVE, TrainedModel, render_model_card

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

    from ..pairs import MatchingSet
    from .trainer import MatchingTrainer

CARD = "README.md"


def is_finished(out: Path) -> bool:
    """Tell whether a run has left all that it leaves: the card is the last of it."""
    return (out / CARD).exists()


def write_outputs(
    trainer: "MatchingTrainer", run: dict[str, Any], out: Path, *, is_resumed: bool = False
) -> None:
    """Write the learning curve, the model with its tokenizer, and last the card.

    Args:
        trainer: After its training.
        run: Content of `run.json`.
        out: The folder of the model.
        is_resumed: Whether the training went on from a checkpoint.
    """
    history = trainer.state.log_history
    best_by = f"eval_{(trainer.args.metric_for_best_model or 'mrr').removeprefix('eval_')}"
    _write(out / CURVE, learning_curve(history, best_by))
    # An internal call, because others push to the Hub at once, where the card would be missing.
    trainer.save_model(str(out), _internal_call=True)
    matcher = trainer.matcher
    model = TrainedModel(
        name=out.absolute().name,
        run=run,
        history=history,
        kept_step=_kept_step(trainer),
        parameters=sum(parameter.numel() for parameter in matcher.parameters()),
        vocabulary=len(cast("PreTrainedTokenizerFast", trainer.processing_class)),
        training_pairs=trainer.batches.n_pairs,
        validation_statements=len(cast("MatchingSet", trainer.eval_dataset)),
        is_resumed=is_resumed,
    )
    _write(out / CARD, render_model_card(model))
    if trainer.args.push_to_hub:
        trainer.push_to_hub()


def _kept_step(trainer: "MatchingTrainer") -> int:
    state = trainer.state
    is_best = trainer.args.load_best_model_at_end and state.best_model_checkpoint is not None
    return state.best_global_step if is_best and state.best_global_step else state.global_step


def _write(path: Path, text: str) -> None:
    with atomic_file(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8")
