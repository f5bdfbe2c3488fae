"""Proof that a matching is the best of all: prices that no pair exceeds and that add up to its total."""

from dataclasses import dataclass
from math import fsum, hypot

import numpy as np

from proofmatch.errors import ProofmatchError

from .blocks import map_blocks
from .pruned import Matching
from .sources import ScoreSource

# Scores differ in their last digits from one machine to another, and by as much a pair may exceed its prices.
_ROUNDINGS = 8
_LEAST_TOLERANCE = 1e-12


@dataclass(frozen=True)
class Certificate:
    """What proves a matching optimal.

    If no pair's score exceeds the sum of its two prices, no matching's total exceeds the sum of all prices.

    Attributes:
        primal_total: The matching's total score.
        dual_total: The sum of all prices.
        max_violation: By how much a pair exceeds its prices at most; 0 if none does.
        gap: No matching's total is greater than this one's by more than so much, which counts every row's
            worst pair.
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
    own: np.ndarray, row_prices: np.ndarray, column_prices: np.ndarray, lifts: np.ndarray
) -> Certificate:
    """Sum up, without rounding errors of sums, what prices prove about a matching.

    Args:
        own: The scores of its pairs.
        row_prices: A price for each row.
        column_prices: A price for each column.
        lifts: By how much the worst pair of each row exceeds its prices, 0 if none does.
    """
    # The side with more members is not matched fully, and there a price below zero would prove nothing.
    n_rows, n_columns = len(row_prices), len(column_prices)
    rows = np.maximum(row_prices, 0) if n_rows > n_columns else row_prices
    columns = np.maximum(column_prices, 0) if n_columns > n_rows else column_prices
    # Prices of rows raised by the lifts are exceeded by none.
    try:
        gap = fsum(np.concatenate([rows, columns, lifts, -own]))
        total, dual_total = fsum(own), fsum(np.concatenate([rows, columns]))
    except (OverflowError, ValueError) as error:
        raise ProofmatchError("sums of scores or prices are infinite: scale the scores down") from error
    return Certificate(total, dual_total, float(lifts.max(initial=0)), max(0.0, gap))


def verify_certificate(
    source: ScoreSource, matching: ExactMatching, tolerance: float | None = None
) -> Certificate:
    """Prove anew, from the scores and the prices alone, that a matching is optimal.

    Args:
        source: The scores.
        matching: The matching and its prices; nothing else that it says is believed.
        tolerance: By how much a pair may exceed its prices. By default, relative to the sizes of its score
            and its two prices together: 1e-12, but for scores in single precision eight of their roundings,
            about 1e-6. That is more than `match_exactly` itself forgives, because another machine computes
            other last digits; among scores that differ by less it tells no better from worse. The sums of
            scores and of prices may differ by √n times as much, as n independent rounding errors do.

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

    def check(start: int, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        u = row_prices[start : start + len(scores)]
        excess = scores.astype(np.float64)
        excess -= u[:, None]
        excess -= column_prices
        relative = max(_ROUNDINGS * float(np.finfo(scores.dtype).eps), _LEAST_TOLERANCE)

        def allowed(rows: np.ndarray, others: np.ndarray) -> np.ndarray:
            if tolerance is not None:
                return np.full(len(rows), tolerance)
            sizes = np.abs(scores[rows, others]) + np.abs(u[rows]) + np.abs(column_prices[others])
            return relative * sizes.astype(np.float64)

        rows, others = np.nonzero(~(excess <= 0))  # of what is not a number, too
        above = ~(excess[rows, others] <= allowed(rows, others))
        served = np.flatnonzero(columns[start : start + len(scores)] >= 0)
        partners = columns[start + served]
        own = scores[served, partners].astype(np.float64)
        return own, excess.max(axis=1, initial=0), excess[rows, others][above], allowed(served, partners)

    found = zip((np.empty(0),) * 4, *map_blocks(source, check), strict=True)
    own, lifts, above, allowances = (np.concatenate(arrays) for arrays in found)
    if len(above):
        raise CertificateError(f"a pair's score exceeds its prices by {above.max():.3g}")
    certificate = certify(own, row_prices, column_prices, lifts)
    difference = certificate.dual_total - certificate.primal_total
    if not abs(difference) <= hypot(*allowances):
        raise CertificateError(f"the prices add up to {difference:.3g} more than the matched scores")
    return certificate
