"""A matcher and texts → scores of all pairs, computed when asked for."""

from proofmatch.progress import Progress

from ..evaluation.decoding.scores import ScoreSource
from .model.saved import SavedMatcher
from .reading import Texts
from .vectors import scores_of


def score_texts(
    matcher: SavedMatcher, statements: Texts, proofs: Texts, progress: Progress | None = None
) -> ScoreSource:
    """Encode each text once; a pair's score is then a product of two vectors."""
    return scores_of(
        matcher.vectors(statements, "statement", progress), matcher.vectors(proofs, "proof", progress)
    )
