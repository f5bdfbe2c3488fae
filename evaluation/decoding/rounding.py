"""How far rounding alone can take a score from the sum of its two prices."""

import numpy as np

_PRECISION = float(np.finfo(np.float64).eps)


def rounding_of(
    scores: np.ndarray, row_prices: np.ndarray | float, column_prices: np.ndarray, roundings: float
) -> np.ndarray:
    """So many roundings of the numbers that meet in each pair, in double precision.

    Relative to the greatest score of all, a single huge one would hide what the others differ by.
    """
    return roundings * _PRECISION * (np.abs(scores) + np.abs(row_prices) + np.abs(column_prices))
