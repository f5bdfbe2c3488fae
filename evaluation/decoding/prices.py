"""Prices that prove a matching optimal: a dual solution of the assignment problem."""

import numpy as np

from .candidates import Candidates

# Relative to the range of scores: below it, a better price is a rounding error.
_TOLERANCE = 1e-13


def find_prices(
    candidates: Candidates, columns: np.ndarray, start: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Find prices of rows and columns that no listed pair's score exceeds and every matched pair's equals.

    A column's price is the most that rows could gain, less what they lose, by moving from one column to the
    next along a path that ends there: a longest path, and an optimal matching has no cycle that gains.

    Args:
        candidates: The pairs, no more rows than columns.
        columns: The column of each row in a matching that is optimal among them; all rows matched.
        start: Prices of columns to start from. Without, all start at zero, so that no price is negative and
            a free column's is zero, as a proof of optimality needs where there are more columns than rows.

    Returns:
        The prices of rows and of columns.
    """
    own = candidates.scores[candidates.columns == columns[candidates.rows]].astype(np.float64)
    gains = candidates.scores - np.repeat(own, np.diff(candidates.starts))
    tolerance = _TOLERANCE * np.ptp(candidates.scores.astype(np.float64)) if len(gains) else 0.0
    prices = np.zeros(candidates.n_columns) if start is None else start.copy()
    owner = np.full(candidates.n_columns, -1, dtype=np.int64)
    owner[columns] = np.arange(candidates.n_rows)
    rows = np.arange(candidates.n_rows)
    for _ in range(candidates.n_columns + 1):
        pairs, lengths = _pairs_of(candidates.starts, rows)
        targets = candidates.columns[pairs]
        offers = np.repeat(prices[columns[rows]], lengths) + gains[pairs]
        better = offers > prices[targets] + tolerance
        if not better.any():
            return own - prices[columns], prices
        raised = targets[better]
        np.maximum.at(prices, raised, offers[better])
        changed = np.zeros(candidates.n_columns, dtype=bool)
        changed[raised] = True
        rows = owner[changed]
        rows = np.sort(rows[rows >= 0])
    raise RuntimeError("the matching is not optimal: its prices rise without end")


def _pairs_of(starts: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the given rows' pairs, and how many each row has."""
    if len(rows) == len(starts) - 1:
        return np.arange(starts[-1]), np.diff(starts)
    lengths = starts[rows + 1] - starts[rows]
    ends = np.cumsum(lengths)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(
        starts[rows] - ends + lengths, lengths
    ), lengths
