"""Scores by subject."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .measures import measure

UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class CategoryScores:
    """Scores on the statements of one primary category.

    Attributes:
        n: How many statements it has.
        mrr: Mean reciprocal rank, a fraction.
        accuracy: Share of rank 1, a fraction.
    """

    n: int
    mrr: float
    accuracy: float


def measure_by_category(ranks: np.ndarray, categories: Sequence[str | None]) -> dict[str, CategoryScores]:
    """Compute the scores of each primary category, the largest first; what has none goes by `unknown`."""
    members: dict[str, list[int]] = defaultdict(list)
    for number, category in enumerate(categories):
        members[category or UNKNOWN].append(number)
    found = {}
    for category, numbers in sorted(members.items(), key=lambda item: (-len(item[1]), item[0])):
        measures = measure(ranks[numbers])
        found[category] = CategoryScores(len(numbers), measures.mrr, measures.accuracy)
    return found
