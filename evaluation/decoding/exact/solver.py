"""Exact decoding by column generation: the optimum over all pairs, while holding only a few of them.

Each round solves a restricted problem over some of the pairs, and prices all pairs with its dual variables.
Pairs with a positive reduced cost could improve the matching and enter the restricted problem. If there are
none, the dual variables prove that the matching is optimal over all pairs. See docs/decoding.md.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from proofmatch.errors import ProofmatchError

from ..assignment import maximum_matching
from ..candidates import Candidates, best_candidates, best_columns
from ..scores import ScoreSource, map_blocks, scores_of_pairs
from .certificate import Certificate, CertificateError, ExactMatching, make_certificate
from .duals import NotOptimalError, PrimalDual, rounding_allowance, solve_primal_dual

DEFAULT_START = 100
_FIRST_ENTERING_PER_ROW = 16
_MAX_ENTERING = 2**24
_MAX_SHARE = 0.2  # of all pairs; beyond that, solving for all pairs at once is faster
_MAX_COMPLETE = 2**25  # pairs of a complete problem, which take about 2 GB
_MAX_DUALS_PER_SCORE = 64
_TOTAL_ROUNDING_ERRORS = 16
_MAX_SCORE = 1e300
_MAX_RELATIVE_GAP = 0.01  # relative to the spread of the matched scores


@dataclass(frozen=True)
class Round:
    """The state of an exact matching after a round of column generation."""

    number: int  # the round, from 1
    n_pairs: int  # of the restricted problem
    total: float  # the total score of its matching
    bound: float  # upper bound on the total of any matching, the best known so far


def match_exactly(
    source: ScoreSource,
    candidates: Candidates | None = None,
    *,
    start: int = DEFAULT_START,
    on_round: Callable[[Round], None] | None = None,
) -> ExactMatching:
    """Match every row, or every column if there are fewer, with the greatest total over all pairs.

    The same scores, `candidates` and `start` always give the same matching. If several matchings are optimal,
    another one may be found with other `candidates` or `start`.

    Args:
        source: The scores, all finite.
        candidates: Result of `best_candidates`, if available, to save computing it.
        start: How many candidates per row the first restricted problem has. Missing pairs are added where
            needed, so the total is optimal for any value.
        on_round: Called after each round.

    Raises:
        CertificateError: If the differences between scores are so small compared with the scores themselves
            that rounding errors hide which matching is best.
    """
    shape = source.shape
    if min(shape) == 0:
        columns, duals = np.full(shape[0], -1, dtype=np.int64), (np.zeros(shape[0]), np.zeros(shape[1]))
        certificate = make_certificate(np.zeros(0), *duals, np.zeros(shape[0]))
        return ExactMatching(columns, 0.0, *duals, 0, 0, certificate)
    if candidates is None:
        candidates = best_candidates(source, start)
    elif candidates.shape != shape:
        raise ProofmatchError(f"candidates of shape {candidates.shape} do not belong to scores of {shape}")
    candidates = _make_feasible(source, candidates.first(start))
    warm_start, cold, number, bound = None, False, 0, np.inf
    while True:
        number += 1
        solution, cold = _solve_restricted(candidates, warm_start, cold)
        matched_scores = solution.matched_scores(candidates)
        # Doubled each round: with many equal scores a fixed number could take a great many rounds.
        per_row = min(_FIRST_ENTERING_PER_ROW * 2 ** (number - 1), max(1, _MAX_ENTERING // shape[0]))
        entering, scores, violations = _price(source, solution, per_row)
        certificate = make_certificate(matched_scores, solution.row_duals, solution.column_duals, violations)
        bound = min(bound, certificate.primal_total + certificate.gap)
        if on_round is not None:
            on_round(Round(number, len(candidates.pairs), certificate.primal_total, bound))
        if len(entering):
            n_pairs = len(candidates.pairs) + len(entering)
            if n_pairs > _MAX_SHARE * shape[0] * shape[1] and shape[0] * shape[1] <= _MAX_COMPLETE:
                candidates = _all_pairs(source)
            else:
                candidates = _extended(candidates, entering, scores)
            warm_start = solution.column_duals
        elif not cold and warm_start is not None and _duals_hide_scores(solution, matched_scores):
            cold = True
        else:
            _refuse_wide_gap(certificate, matched_scores, candidates)
            return ExactMatching(
                solution.columns,
                certificate.primal_total,
                solution.row_duals,
                solution.column_duals,
                number,
                len(candidates.pairs),
                certificate,
            )


def _make_feasible(source: ScoreSource, candidates: Candidates) -> Candidates:
    """Pair off the rows and columns that a maximum matching of the candidates leaves free."""
    columns = maximum_matching(candidates)
    free_rows = np.flatnonzero(columns < 0)
    free_columns = np.setdiff1d(np.arange(candidates.n_columns), columns)
    count = min(len(free_rows), len(free_columns))
    free_rows, free_columns = free_rows[:count], free_columns[:count]
    scores = scores_of_pairs(source, free_rows, free_columns)
    return _extended(candidates, free_rows * candidates.n_columns + free_columns, scores)


def _solve_restricted(
    candidates: Candidates, warm_start: np.ndarray | None, cold: bool
) -> tuple[PrimalDual, bool]:
    """Solve the problem restricted to the candidates; return also whether later rounds must start cold."""
    if max(candidates.scores.max(), -candidates.scores.min()) > _MAX_SCORE:
        raise ProofmatchError(
            f"scores beyond {_MAX_SCORE:.0g} add up to infinite dual variables: scale them down"
        )
    with np.errstate(over="ignore", invalid="ignore"):
        if warm_start is not None and not cold:
            try:
                return solve_primal_dual(candidates, warm_start), False
            except NotOptimalError:
                cold = True
        return solve_primal_dual(candidates), cold


def _all_pairs(source: ScoreSource) -> Candidates:
    n_rows, n_columns = source.shape
    # Copied, because a source may reuse the memory of its blocks.
    scores = np.concatenate(list(map_blocks(source, lambda _, block: block.astype(np.float64).ravel())))
    columns = np.tile(np.arange(n_columns), n_rows)
    return Candidates(np.arange(n_rows + 1) * n_columns, columns, scores, n_columns)


def _extended(candidates: Candidates, pairs: np.ndarray, scores: np.ndarray) -> Candidates:
    pairs = np.concatenate([candidates.pairs, pairs])
    scores = np.concatenate([candidates.scores, scores]).astype(np.float64)
    extended = Candidates.from_pairs(pairs, scores, candidates.shape)
    if (np.diff(extended.pairs) == 0).any():
        # A pair of the restricted problem has no positive reduced cost unless its score has changed.
        raise ProofmatchError(
            "the score source returned different scores for one pair: make it deterministic"
        )
    return extended


def _duals_hide_scores(solution: PrimalDual, matched_scores: np.ndarray) -> bool:
    """Whether duals are so much larger than the matched scores that their rounding errors matter.

    With warm starts duals only rise, and a bad pair that an early round had to use may raise them all.
    """
    duals = np.abs(solution.row_duals).sum() + np.abs(solution.column_duals).sum()
    return bool(duals > _MAX_DUALS_PER_SCORE * np.abs(matched_scores).sum())


def _refuse_wide_gap(certificate: Certificate, matched_scores: np.ndarray, candidates: Candidates) -> None:
    all_spread = len(matched_scores) * np.ptp(candidates.scores)
    spread = np.abs(matched_scores - np.median(matched_scores)).sum()
    sizes = np.abs(matched_scores).sum() + all_spread
    # Equal matched scores have no spread, but duals of other scores still have rounding errors.
    rounding = _TOTAL_ROUNDING_ERRORS * float(np.finfo(np.float64).eps) * sizes
    if certificate.gap > max(_MAX_RELATIVE_GAP * spread, min(_MAX_RELATIVE_GAP * all_spread, rounding)):
        raise CertificateError(
            f"the matching is proved optimal only up to {certificate.gap:.3g}, while its scores differ by "
            f"{spread:.3g} in total: subtract the offset from the scores that hides their differences"
        )


def _price(
    source: ScoreSource, solution: PrimalDual, per_row: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Compute the reduced costs of all pairs and select those that enter the restricted problem.

    From each row `per_row` pairs may enter, besides the best one of each column in each block.

    Returns:
        The selected pairs as row · columns + column, their scores, and the greatest reduced cost of each row,
        0 if none is positive.
    """
    row_duals, column_duals = solution.row_duals, solution.column_duals
    n_columns = len(column_duals)
    scale = float(max(np.abs(row_duals).max(initial=0), np.abs(column_duals).max(initial=0)))

    def price(start: int, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        u = row_duals[start : start + len(scores)]
        suspects = _suspects(scores, u, column_duals, scale, per_row)
        rows, columns = np.divmod(suspects, n_columns)
        values = scores[rows, columns].astype(np.float64)
        reduced_costs = values - u[rows] - column_duals[columns]
        worst = np.full(len(scores), -np.inf)
        np.maximum.at(worst, rows, reduced_costs)
        allowed = rounding_allowance(values, u[rows], column_duals[columns], solution.tolerance)
        positive = np.flatnonzero(reduced_costs > allowed)
        rows, columns, reduced_costs = rows[positive], columns[positive], reduced_costs[positive]
        kept = _greatest_of_each(rows, reduced_costs, per_row) | _greatest_of_each(columns, reduced_costs, 1)
        return suspects[positive[kept]] + start * n_columns, values[positive[kept]], worst

    found = list(map_blocks(source, price))
    pairs, scores, worst = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
    return pairs, scores, np.maximum(worst, 0)


def _suspects(
    scores: np.ndarray, row_duals: np.ndarray, column_duals: np.ndarray, scale: float, per_row: int
) -> np.ndarray:
    """Pairs that may have a positive reduced cost; if too many, the greatest of each row and column."""
    # In the precision of the scores, because double precision takes longer, with duals lowered by more than
    # their rounding errors. A score far above its duals is found in any precision.
    limits = np.finfo(scores.dtype if scale < float(np.finfo(scores.dtype).max) / 16 else np.float64)
    lowered = (duals - 16 * float(limits.eps) * np.abs(duals) for duals in (row_duals, column_duals))
    low_rows, low_columns = (duals.astype(limits.dtype) for duals in lowered)
    reduced_costs = scores - low_columns
    reduced_costs -= low_rows[:, None]
    suspects = np.flatnonzero(reduced_costs > 0)
    if len(suspects) <= 4 * per_row * len(scores):
        return suspects
    reduced_costs = scores - column_duals
    reduced_costs -= row_duals[:, None]
    columns = best_columns(reduced_costs, min(per_row, scores.shape[1]))
    of_rows = (np.arange(len(scores))[:, None] * scores.shape[1] + columns).ravel()
    of_columns = reduced_costs.argmax(axis=0) * scores.shape[1] + np.arange(scores.shape[1])
    return np.union1d(of_rows, of_columns)


def _greatest_of_each(groups: np.ndarray, values: np.ndarray, count: int) -> np.ndarray:
    """Which values are among the `count` greatest of their group."""
    order = np.lexsort((-values, groups))
    sizes = np.bincount(groups) if len(groups) else np.empty(0, dtype=np.int64)
    places = np.empty(len(groups), dtype=np.int64)
    places[order] = np.arange(len(groups)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return places < count
