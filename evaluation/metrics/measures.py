"""What a list of ranks amounts to: mean reciprocal rank, accuracy, recall."""

import math
from dataclasses import dataclass

import numpy as np

from .ranks import NO_RANK, reciprocal_ranks

MEASURES = ("mrr", "accuracy", "recall@10", "recall@100")


@dataclass(frozen=True, slots=True)
class Measures:
    """Scores of a system, as fractions from 0 to 1.

    Attributes:
        mrr: Mean reciprocal rank of the gold proof.
        accuracy: Share of statements whose gold proof has rank 1.
        recall_at_10: Share of statements whose gold proof is among the first 10.
        recall_at_100: The same among the first 100.
    """

    mrr: float
    accuracy: float
    recall_at_10: float
    recall_at_100: float

    def as_dict(self) -> dict[str, float]:
        """Give the measures by their names in result files."""
        return dict(
            zip(MEASURES, (self.mrr, self.accuracy, self.recall_at_10, self.recall_at_100), strict=True)
        )


def measure(ranks: np.ndarray) -> Measures:
    """Compute the measures of at least one rank."""
    values = values_by_statement(ranks)
    # fsum rounds once, so that no machine's way of adding shows in the digits.
    return Measures(*(math.fsum(column) / len(ranks) for column in values.T.tolist()))


def values_by_statement(ranks: np.ndarray) -> np.ndarray:
    """Compute what each statement adds to each of `MEASURES`, whose means are the scores: (statements, 4)."""
    within = [(ranks != NO_RANK) & (ranks <= depth) for depth in (1, 10, 100)]
    return np.stack([reciprocal_ranks(ranks), *within], axis=1, dtype=np.float64)
