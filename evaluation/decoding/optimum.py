"""The best matching among candidates together with its prices."""

from dataclasses import dataclass

import numpy as np

from .candidates import Candidates
from .prices import find_prices, first_prices
from .solver import match_smaller_side


@dataclass(frozen=True, eq=False)
class Optimum:
    """A matching that is the best among some pairs, with prices that prove it.

    Attributes:
        columns: The column of each row, -1 for none.
        row_prices: A price for each row.
        column_prices: A price for each column.
        roundings: By how many roundings of its numbers a pair may exceed its prices.
    """

    columns: np.ndarray
    row_prices: np.ndarray
    column_prices: np.ndarray
    roundings: float

    def own_scores(self, candidates: Candidates) -> np.ndarray:
        """The scores of the matched pairs."""
        return candidates.scores[self.columns[candidates.rows] == candidates.columns].astype(np.float64)


def find_optimum(candidates: Candidates, last_prices: np.ndarray | None = None) -> Optimum:
    """Find the best matching among candidates, with prices of rows and columns.

    Args:
        candidates: The pairs allowed, each row's by column; all of the smaller side can be matched.
        last_prices: Prices of columns that were right for most of these pairs, to save time.
    """
    if candidates.n_rows > candidates.n_columns:
        turned = find_optimum(candidates.transposed())
        columns = np.full(candidates.n_rows, -1, dtype=np.int64)
        columns[turned.columns] = np.arange(candidates.n_columns)
        return Optimum(columns, turned.column_prices, turned.row_prices, turned.roundings)
    if candidates.n_rows < candidates.n_columns:
        return Optimum(*find_prices(candidates, match_smaller_side(_relative_to_best(candidates, 0))))
    # Where all columns are matched, taking prices off changes no order of matchings. It takes offsets away
    # that would hide small differences, and good prices leave the solver almost nothing to do.
    prices = first_prices(candidates) if last_prices is None else last_prices
    columns = match_smaller_side(_relative_to_best(candidates, prices[candidates.columns]))
    return Optimum(*find_prices(candidates, columns, prices))


def _relative_to_best(candidates: Candidates, prices: np.ndarray | int) -> Candidates:
    """The candidates with scores less prices, and less what the best of each row has then."""
    left = candidates.scores - prices
    left -= np.repeat(np.maximum.reduceat(left, candidates.starts[:-1]), np.diff(candidates.starts))
    return Candidates(candidates.starts, candidates.columns, left, candidates.n_columns, trusted=True)
