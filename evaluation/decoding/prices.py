"""Prices that prove a matching optimal: a dual solution of the assignment problem."""

import numpy as np

from .candidates import Candidates
from .exchange import exchanged
from .raising import Raising

# Below so many roundings a better price is none. If prices still rise without end, as they do around a cycle
# of equal scores on which every rounding went up, more is forgiven.
_ROUNDINGS = (4, 32, 256, 4096)
_MOST_EXCHANGES = 1000
_FAR_WORSE = 100  # times as bad as the usual column


class NotOptimalError(RuntimeError):
    """A matching that no prices prove optimal."""


def first_prices(candidates: Candidates) -> np.ndarray:
    """Prices of columns to start from where all are matched: zero but for columns that are far worse.

    How much worse a column is than others, at best, for rows measured by their best column. From zero, a
    column of huge negative scores would raise all other prices to that size, and their roundings with them.
    """
    scores = candidates.scores.astype(np.float64)
    best = np.maximum.reduceat(scores, candidates.starts[:-1])
    prices = np.full(candidates.n_columns, -np.inf)
    np.maximum.at(prices, candidates.columns, scores - np.repeat(best, np.diff(candidates.starts)))
    return np.where(prices < _FAR_WORSE * np.median(prices), prices, 0.0)


def find_prices(
    candidates: Candidates, columns: np.ndarray, start: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Find prices of rows and columns that no listed pair's score exceeds and every matched pair's equals.

    A column's price is the most that rows could gain, less what they lose, by moving from one column to the
    next along a path that ends there: a longest path, and an optimal matching has no cycle that gains. If a
    cycle does gain, because the solver's rounding errors hid it, the rows on it move.

    Args:
        candidates: The pairs, no more rows than columns.
        columns: The column of each row in a matching that is optimal among them up to rounding errors; all
            rows matched.
        start: Prices of columns to start from. Without, all start at zero, so that no price is negative and
            a free column's is zero, as a proof of optimality needs where there are more columns than rows.

    Returns:
        The column of each row, the prices of rows and of columns, and by how many roundings a listed pair may
        exceed them.
    """
    prices = np.zeros(candidates.n_columns) if start is None else start
    n_exchanges = 0
    for roundings in _ROUNDINGS:
        while n_exchanges < _MOST_EXCHANGES:
            raising = Raising(candidates, columns, prices.copy(), roundings)
            ended = raising.raise_all()
            better = exchanged(candidates, columns, raising.own, raising.causes)
            if better is not None:
                columns = better
                n_exchanges += 1
            elif ended:
                return columns, raising.own - raising.prices[columns], raising.prices, 2 * roundings
            else:
                break
    raise NotOptimalError("the matching is not optimal: its prices rise without end")
