"""The baselines by name."""

from ..decoding.sources import ScoreSource
from ..task import Task, load_tokens
from .counts import select_input
from .dice import dice_scores
from .tfidf import tfidf_scores

BASELINES = ("tfidf", "dice")


def baseline_scores(name: str, task: Task, reads: str = "both") -> ScoreSource:
    """Score all pairs of a split by a baseline.

    Args:
        name: `tfidf` or `dice`.
        task: The split.
        reads: What may be read of the texts: `both`, `text` or `math`.
    """

    def tokens(side: str, split: str):  # noqa: ANN202 - a column of Arrow
        return select_input(load_tokens(task.release, side, split, by_article=task.by_article), reads)

    statements, proofs = (tokens(side, task.split) for side in ("statement", "proof"))
    if name == "dice":
        return dice_scores(statements, proofs)
    return tfidf_scores([tokens(side, "train") for side in ("statement", "proof")], statements, proofs)
