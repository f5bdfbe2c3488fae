"""The search for pairs worth more than their prices, over all pairs of a source."""

from dataclasses import dataclass

import numpy as np

from .blocks import map_blocks
from .retrieval import best_columns
from .rounding import rounding_of
from .sources import ScoreSource


@dataclass(frozen=True, eq=False)
class Overpriced:
    """Pairs whose score exceeds the sum of their prices.

    Attributes:
        pairs: The worst ones of each row and of each column, as row · columns + column.
        scores: Their scores.
        lifts: What must be added to the price of each row for none to exceed them.
    """

    pairs: np.ndarray
    scores: np.ndarray
    lifts: np.ndarray


def find_overpriced(
    source: ScoreSource, row_prices: np.ndarray, column_prices: np.ndarray, per_row: int, roundings: float
) -> Overpriced:
    """Compare every pair's score with its prices.

    Args:
        source: The scores.
        row_prices: A price for each row.
        column_prices: A price for each column.
        per_row: How many pairs of a row are reported for its sake at most; for a column's, one a block.
        roundings: How many roundings of its numbers a pair may exceed its prices by without being reported.
    """
    n_columns = len(column_prices)
    scale = float(max(np.abs(row_prices).max(initial=0), np.abs(column_prices).max(initial=0)))

    def compare(start: int, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        prices = row_prices[start : start + len(scores)]
        near = _near(scores, prices, column_prices, scale, per_row)
        rows, columns = np.divmod(near, n_columns)
        values = scores[rows, columns].astype(np.float64)
        excess = values - prices[rows] - column_prices[columns]
        worst = np.full(len(scores), -np.inf)
        np.maximum.at(worst, rows, excess)
        allowed = rounding_of(values, prices[rows], column_prices[columns], roundings)
        above = np.flatnonzero(excess > allowed)
        rows, columns, excess = rows[above], columns[above], excess[above]
        kept = above[_first_of_each(rows, excess, per_row) | _first_of_each(columns, excess, 1)]
        return near[kept] + start * n_columns, values[kept], worst

    found = list(map_blocks(source, compare))
    pairs, scores, worst = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
    return Overpriced(pairs, scores, np.maximum(worst, 0))


def _near(
    scores: np.ndarray, row_prices: np.ndarray, column_prices: np.ndarray, scale: float, per_row: int
) -> np.ndarray:
    """The pairs that may exceed their prices, or each row's and column's worst where those are too many."""
    # In the precision of the scores, because double takes longer, and with prices lowered by as much as its
    # rounding errors may make up near them; a score far beyond its prices is told apart in any case.
    limits = np.finfo(scores.dtype if scale < float(np.finfo(scores.dtype).max) / 16 else np.float64)
    lowered = (prices - 16 * float(limits.eps) * np.abs(prices) for prices in (row_prices, column_prices))
    of_rows, of_columns = (prices.astype(limits.dtype) for prices in lowered)
    excess = scores - of_columns
    excess -= of_rows[:, None]
    near = np.flatnonzero(excess > 0)
    if len(near) <= 4 * per_row * len(scores):
        return near
    excess = scores - column_prices
    excess -= row_prices[:, None]
    columns = best_columns(excess, min(per_row, scores.shape[1]))
    of_rows = (np.arange(len(scores))[:, None] * scores.shape[1] + columns).ravel()
    of_columns = excess.argmax(axis=0) * scores.shape[1] + np.arange(scores.shape[1])
    return np.union1d(of_rows, of_columns)


def _first_of_each(groups: np.ndarray, excess: np.ndarray, count: int) -> np.ndarray:
    """Which ones are among the `count` greatest of their group."""
    order = np.lexsort((-excess, groups))
    sizes = np.bincount(groups) if len(groups) else np.empty(0, dtype=np.int64)
    places = np.empty(len(groups), dtype=np.int64)
    places[order] = np.arange(len(groups)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return places < count
