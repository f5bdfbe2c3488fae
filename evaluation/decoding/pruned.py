"""Global decoding over listed candidates: one-to-one, never a pair that is not listed."""

from dataclasses import dataclass

import numpy as np

from .candidates import Candidates
from .cardinality import split_into_parts
from .solver import match_smaller_side


@dataclass(frozen=True, eq=False)
class Matching:
    """A one-to-one matching of rows and columns.

    Attributes:
        columns: The column of each row, -1 for none.
        total: The sum of the matched pairs' scores.
    """

    columns: np.ndarray
    total: float

    @property
    def n_unmatched(self) -> int:
        """How many rows have no column."""
        return int(np.count_nonzero(self.columns < 0))


def match_candidates(candidates: Candidates) -> Matching:
    """Match as many rows as the candidates allow, and with so many pairs reach the greatest total score.

    Of several equally good matchings the one returned depends only on which pairs are listed with which
    scores, not on the order of the lists.

    Args:
        candidates: The pairs allowed.
    """
    candidates = candidates.by_column()
    columns = np.full(candidates.n_rows, -1, dtype=np.int64)
    for part in split_into_parts(candidates):
        found = match_smaller_side(part.candidates)
        columns[part.rows[found >= 0]] = part.columns[found[found >= 0]]
    chosen = columns[candidates.rows] == candidates.columns
    return Matching(columns, float(candidates.scores[chosen].sum(dtype=np.float64)))
