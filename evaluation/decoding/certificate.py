"""Proof that a matching is the best of all: prices that no pair exceeds and that add up to its total."""

from dataclasses import dataclass

import numpy as np

from proofmatch.errors import ProofmatchError

from .blocks import map_blocks
from .pruned import Matching
from .sources import ScoreSource

# Scores differ in their last digits from one machine to another, and by as much a pair may exceed its prices.
# And no proof in double precision is better than the least tolerance.
_ROUNDINGS = 8
_LEAST_TOLERANCE = 1e-10


@dataclass(frozen=True)
class Certificate:
    """What proves a matching optimal.

    If no pair's score exceeds the sum of its two prices, no matching's total exceeds the sum of all prices.

    Attributes:
        primal_total: The matching's total score.
        dual_total: The sum of all prices.
        max_violation: By how much a pair exceeds its prices at most; 0 if none does.
        gap: No matching's total is greater than this one's by more than so much.
    """

    primal_total: float
    dual_total: float
    max_violation: float
    gap: float


@dataclass(frozen=True, eq=False)
class ExactMatching(Matching):
    """A matching that is the best of all over every pair, with the proof.

    Attributes:
        row_prices: A price for each row.
        column_prices: A price for each column.
        rounds: How often all pairs were compared with their prices.
        n_pairs: How many pairs the last of the pruned matchings had to choose from.
        certificate: What the prices prove.
    """

    row_prices: np.ndarray
    column_prices: np.ndarray
    rounds: int
    n_pairs: int
    certificate: Certificate


class CertificateError(ProofmatchError):
    """A matching that its prices do not prove optimal."""

    exit_code = 1


def certify(
    total: float, row_prices: np.ndarray, column_prices: np.ndarray, max_violation: float
) -> Certificate:
    """Sum up what prices prove about a matching with that total."""
    n_rows, n_columns = len(row_prices), len(column_prices)
    # The side with more members is not matched fully, and there a price below zero would prove nothing.
    rows = np.maximum(row_prices, 0) if n_rows > n_columns else row_prices
    columns = np.maximum(column_prices, 0) if n_columns > n_rows else column_prices
    dual_total = float(rows.sum() + columns.sum())
    max_violation = max(0.0, max_violation)
    gap = dual_total - total + min(n_rows, n_columns) * max_violation
    return Certificate(total, dual_total, max_violation, gap)


def verify_certificate(
    source: ScoreSource, matching: ExactMatching, tolerance: float | None = None
) -> Certificate:
    """Prove anew, from the scores and the prices alone, that a matching is optimal.

    Args:
        source: The scores.
        matching: The matching and its prices; nothing else that it says is believed.
        tolerance: By how much a pair may exceed its prices; by default eight roundings of the greatest score
            in the scores' own precision, but at least 1e-10 of it. The sums of scores and of prices may
            differ by √n times as much, as n independent rounding errors do.

    Returns:
        The certificate as recomputed.

    Raises:
        CertificateError: If the matching is not one, or is not proved optimal.
    """
    columns, row_prices, column_prices = matching.columns, matching.row_prices, matching.column_prices
    shape = n_rows, n_columns = source.shape
    if (columns.shape, row_prices.shape, column_prices.shape) != ((n_rows,), (n_rows,), (n_columns,)):
        raise CertificateError(f"the matching does not belong to these scores, which are {shape}")
    matched = columns[columns >= 0]
    if columns.max(initial=-1) >= n_columns or len(np.unique(matched)) < len(matched):
        raise CertificateError("the matching is not one-to-one: a column is used twice or does not exist")
    if len(matched) < min(shape):
        raise CertificateError(f"the matching has {len(matched)} pairs where {min(shape)} are possible")

    def check(start: int, scores: np.ndarray) -> tuple[float, float, float, float]:
        rows = slice(start, start + len(scores))
        excess = scores.astype(np.float64)
        served = np.flatnonzero(columns[rows] >= 0)
        own = float(excess[served, columns[rows][served]].sum())
        greatest = max(float(excess.max(initial=0)), -float(excess.min(initial=0)))
        excess -= row_prices[rows, None]
        excess -= column_prices
        return own, float(excess.max(initial=-np.inf)), greatest, float(np.finfo(scores.dtype).eps)

    total, worst, greatest, precision = 0.0, -np.inf, 0.0, 0.0
    for found in map_blocks(source, check):
        total += found[0]
        worst, greatest, precision = max(worst, found[1]), max(greatest, found[2]), max(precision, found[3])
    certificate = certify(total, row_prices, column_prices, worst)
    if tolerance is None:
        tolerance = max(_ROUNDINGS * precision, _LEAST_TOLERANCE) * greatest
    if not certificate.max_violation <= tolerance:
        raise CertificateError(f"a pair's score exceeds its prices by {certificate.max_violation:.3g}")
    difference = certificate.dual_total - certificate.primal_total
    if not abs(difference) <= tolerance * np.sqrt(max(1, min(shape))):
        raise CertificateError(f"the prices add up to {difference:.3g} more than the matched scores")
    return certificate
