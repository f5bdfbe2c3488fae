"""Certificates of optimality: feasible dual variables whose sum is the total of a matching (weak duality)."""

from dataclasses import dataclass
from math import fsum, hypot

import numpy as np

from proofmatch.errors import ProofmatchError

from ..matching import Matching
from ..scores import ScoreSource, map_blocks

# The last digits of scores differ from one machine to another, and so may reduced costs.
_ROUNDING_ERRORS = 8
_MIN_TOLERANCE = 1e-12


@dataclass(frozen=True)
class Certificate:
    """What dual variables prove about a matching.

    If no pair's score exceeds the sum of its two duals, no matching's total exceeds the sum of all duals.
    """

    primal_total: float  # the matching's total score
    dual_total: float  # the sum of all dual variables
    max_violation: float  # the greatest reduced cost of a pair; 0 if the duals are feasible
    # Upper bound on how much greater the total of another matching can be. Includes the violations: raising
    # each row's dual by its own makes the duals feasible.
    gap: float


@dataclass(frozen=True, eq=False)
class ExactMatching(Matching):
    """A matching that is optimal over all pairs, with its certificate."""

    row_duals: np.ndarray  # the dual variable of each row
    column_duals: np.ndarray  # the dual variable of each column
    rounds: int  # rounds of column generation; each round priced all pairs
    n_pairs: int  # number of pairs of the last restricted problem
    certificate: Certificate


class CertificateError(ProofmatchError):
    """A matching is not proved optimal."""

    exit_code = 1


def make_certificate(
    matched_scores: np.ndarray, row_duals: np.ndarray, column_duals: np.ndarray, violations: np.ndarray
) -> Certificate:
    """Compare the totals of a matching and of dual variables, summed without rounding errors.

    `violations` has the greatest reduced cost of each row, 0 if none is positive.
    """
    # The larger side is not matched completely, so its duals must not be negative.
    n_rows, n_columns = len(row_duals), len(column_duals)
    rows = np.maximum(row_duals, 0) if n_rows > n_columns else row_duals
    columns = np.maximum(column_duals, 0) if n_columns > n_rows else column_duals
    try:
        gap = fsum(np.concatenate([rows, columns, violations, -matched_scores]))
        total, dual_total = fsum(matched_scores), fsum(np.concatenate([rows, columns]))
    except (OverflowError, ValueError) as error:
        raise ProofmatchError(
            "sums of scores or dual variables are infinite: scale the scores down"
        ) from error
    return Certificate(total, dual_total, float(violations.max(initial=0)), max(0.0, gap))


def verify_certificate(
    source: ScoreSource, matching: ExactMatching, tolerance: float | None = None
) -> Certificate:
    """Prove from the scores and the dual variables alone that a matching is optimal.

    Args:
        source: The scores.
        matching: The matching and its dual variables; nothing else in it is trusted.
        tolerance: The greatest reduced cost that counts as 0. By default, relative to the absolute values of
            the score and its two duals together: 1e-12, or eight rounding errors of single precision, about
            1e-6, for scores in single precision. That is more than `match_exactly` itself allows, because
            another machine computes other last digits. The sums of scores and of duals may differ by √n times
            as much, as n independent rounding errors do.

    Returns:
        The certificate as recomputed.

    Raises:
        CertificateError: If the matching is not one-to-one, not complete, or not proved optimal.
    """
    columns, row_duals, column_duals = matching.columns, matching.row_duals, matching.column_duals
    shape = n_rows, n_columns = source.shape
    if (columns.shape, row_duals.shape, column_duals.shape) != ((n_rows,), (n_rows,), (n_columns,)):
        raise CertificateError(f"the matching does not belong to these scores, which have shape {shape}")
    matched = columns[columns >= 0]
    if columns.max(initial=-1) >= n_columns or len(np.unique(matched)) < len(matched):
        raise CertificateError("the matching is not one-to-one: a column is used twice or does not exist")
    if len(matched) < min(shape):
        raise CertificateError(f"the matching has {len(matched)} pairs where {min(shape)} are possible")

    def check(start: int, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        u = row_duals[start : start + len(scores)]
        reduced_costs = scores.astype(np.float64)
        reduced_costs -= u[:, None]
        reduced_costs -= column_duals
        relative = max(_ROUNDING_ERRORS * float(np.finfo(scores.dtype).eps), _MIN_TOLERANCE)

        def allowed(rows: np.ndarray, others: np.ndarray) -> np.ndarray:
            if tolerance is not None:
                return np.full(len(rows), tolerance)
            sizes = np.abs(scores[rows, others]) + np.abs(u[rows]) + np.abs(column_duals[others])
            return relative * sizes.astype(np.float64)

        rows, others = np.nonzero(~(reduced_costs <= 0))  # also true for NaN
        positive = reduced_costs[rows, others]
        infeasible = positive[~(positive <= allowed(rows, others))]
        own_rows = np.flatnonzero(columns[start : start + len(scores)] >= 0)
        partners = columns[start + own_rows]
        matched_scores = scores[own_rows, partners].astype(np.float64)
        return matched_scores, reduced_costs.max(axis=1, initial=0), infeasible, allowed(own_rows, partners)

    found = zip((np.empty(0),) * 4, *map_blocks(source, check), strict=True)
    matched_scores, violations, infeasible, allowances = (np.concatenate(arrays) for arrays in found)
    if len(infeasible):
        raise CertificateError(
            f"the dual variables are not feasible: a pair's score exceeds theirs by {infeasible.max():.3g}"
        )
    certificate = make_certificate(matched_scores, row_duals, column_duals, violations)
    difference = certificate.dual_total - certificate.primal_total
    if not abs(difference) <= hypot(*allowances):
        raise CertificateError(
            f"the sum of the dual variables is {difference:.3g} more than the matched scores"
        )
    return certificate
