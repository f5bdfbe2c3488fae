"""Exact global decoding: the best one-to-one matching over all pairs, of which only a few are ever held.

A pruned matching's prices tell which of the pairs left out could improve it. Those are added and the matching
is repeated until there are none, which proves it the best of all (column generation).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from proofmatch.errors import ProofmatchError

from .blocks import map_blocks
from .candidates import Candidates
from .certificate import Certificate, CertificateError, ExactMatching, certify
from .largest import largest_matching
from .optimum import Optimum, find_optimum
from .prices import NotOptimalError
from .pricing import find_overpriced
from .retrieval import best_candidates
from .sources import ScoreSource

DEFAULT_START = 100
_FIRST_ADDED_PER_ROW = 16
_MOST_ADDED = 2**24
_MOST_WANTED = 0.2  # of all pairs; beyond, all at once take less time than more and more of them
_MOST_HELD = 2**25  # pairs, which take about 2 GB
_MOST_PRICES_PER_SCORE = 64
_ROUNDINGS_OF_A_TOTAL = 16
_GREATEST = 1e300
_WIDEST_GAP = 0.01  # beside the spread of the matched scores


@dataclass(frozen=True)
class Round:
    """How far an exact matching is.

    Attributes:
        number: The round, from 1.
        n_pairs: How many pairs it chose from.
        total: The total score of its matching.
        bound: What no matching's total can exceed, as far as known by then.
    """

    number: int
    n_pairs: int
    total: float
    bound: float


def match_exactly(
    source: ScoreSource,
    candidates: Candidates | None = None,
    *,
    start: int = DEFAULT_START,
    on_round: Callable[[Round], None] | None = None,
) -> ExactMatching:
    """Match every row, or every column if there are fewer, with the greatest total over all pairs.

    The same scores, `candidates` and `start` always give the same matching. Of several optimal matchings,
    which one that is may change with `candidates` and `start`.

    Args:
        source: The scores, all finite.
        candidates: Lists of `best_candidates`, if they are at hand, to save finding them.
        start: How many candidates a row to start from; what is missing is added where it is needed, so that
            the total is the greatest whatever this is.
        on_round: Called after each round.

    Raises:
        CertificateError: If scores differ by so little beside their size that rounding hides which matching
            is the best.
    """
    shape = source.shape
    if min(shape) == 0:
        nothing = certify(np.zeros(0), np.zeros(shape[0]), np.zeros(shape[1]), np.zeros(shape[0]))
        columns = np.full(shape[0], -1, dtype=np.int64)
        return ExactMatching(columns, 0.0, np.zeros(shape[0]), np.zeros(shape[1]), 0, 0, nothing)
    if candidates is None:
        candidates = best_candidates(source, start)
    elif (candidates.n_rows, candidates.n_columns) != shape:
        raise ProofmatchError(
            f"candidates {candidates.n_rows, candidates.n_columns} are not of scores {shape}"
        )
    candidates = _made_feasible(source, candidates.first(start))
    last_prices, number, bound, afresh = None, 0, np.inf, False
    while True:
        number += 1
        optimum, afresh = _optimum(candidates, last_prices, afresh)
        own = optimum.own_scores(candidates)
        # Twice as many each round: with many equal scores a fixed number could take very many rounds.
        per_row = min(_FIRST_ADDED_PER_ROW * 2 ** (number - 1), max(1, _MOST_ADDED // shape[0]))
        overpriced = find_overpriced(
            source, optimum.row_prices, optimum.column_prices, per_row, optimum.roundings
        )
        certificate = certify(own, optimum.row_prices, optimum.column_prices, overpriced.lifts)
        bound = min(bound, certificate.primal_total + certificate.gap)
        if on_round is not None:
            on_round(Round(number, len(candidates.pairs), certificate.primal_total, bound))
        if len(overpriced.pairs):
            wanted = len(candidates.pairs) + len(overpriced.pairs)
            if wanted > _MOST_WANTED * shape[0] * shape[1] and shape[0] * shape[1] <= _MOST_HELD:
                candidates = _all_pairs(source)
            else:
                candidates = _extended(candidates, overpriced.pairs, overpriced.scores)
            last_prices = optimum.column_prices
        elif not afresh and last_prices is not None and _prices_hide_scores(optimum, own):
            afresh = True
        else:
            _refuse_a_wide_gap(certificate, own, candidates)
            return ExactMatching(
                optimum.columns,
                certificate.primal_total,
                optimum.row_prices,
                optimum.column_prices,
                number,
                len(candidates.pairs),
                certificate,
            )


def _optimum(candidates: Candidates, last_prices: np.ndarray | None, afresh: bool) -> tuple[Optimum, bool]:
    """The best matching among candidates, and whether prices are to be found anew from now on."""
    if max(candidates.scores.max(), -candidates.scores.min()) > _GREATEST:
        raise ProofmatchError(f"scores beyond {_GREATEST:.0g} add up to infinite prices: scale them down")
    optimum = None
    with np.errstate(over="ignore", invalid="ignore"):
        if last_prices is not None and not afresh:
            try:
                optimum = find_optimum(candidates, last_prices)
            except NotOptimalError:
                afresh = True
        if optimum is None:
            optimum = find_optimum(candidates)
    return optimum, afresh


def _prices_hide_scores(optimum: Optimum, own: np.ndarray) -> bool:
    """Whether prices are so much larger than the matched scores that their roundings matter.

    Prices only rise from round to round, and a pair that is used for want of others may raise them all.
    """
    prices = np.abs(optimum.row_prices).sum() + np.abs(optimum.column_prices).sum()
    return bool(prices > _MOST_PRICES_PER_SCORE * np.abs(own).sum())


def _refuse_a_wide_gap(certificate: Certificate, own: np.ndarray, candidates: Candidates) -> None:
    all_spread, spread = len(own) * np.ptp(candidates.scores), np.abs(own - np.median(own)).sum()
    sizes = np.abs(own).sum() + all_spread
    # Equal scores have no spread, and prices of other scores still have their roundings.
    rounding = _ROUNDINGS_OF_A_TOTAL * float(np.finfo(np.float64).eps) * sizes
    if certificate.gap > max(_WIDEST_GAP * spread, min(_WIDEST_GAP * all_spread, rounding)):
        raise CertificateError(
            f"the matching is proved the best only up to {certificate.gap:.3g}, where its scores differ by "
            f"{spread:.3g} in all: take an offset away from the scores that hides what they differ by"
        )


def _made_feasible(source: ScoreSource, candidates: Candidates) -> Candidates:
    """Add pairs of rows and columns that the best matching in size leaves free."""
    columns = largest_matching(candidates)
    free_rows = np.flatnonzero(columns < 0)
    free_columns = np.setdiff1d(np.arange(candidates.n_columns), columns)
    count = min(len(free_rows), len(free_columns))
    free_rows, free_columns = free_rows[:count], free_columns[:count]

    def own(start: int, scores: np.ndarray) -> np.ndarray:
        here = (free_rows >= start) & (free_rows < start + len(scores))
        return scores[free_rows[here] - start, free_columns[here]]

    scores = np.concatenate(list(map_blocks(source, own))) if count else np.empty(0)
    return _extended(candidates, free_rows * candidates.n_columns + free_columns, scores)


def _all_pairs(source: ScoreSource) -> Candidates:
    n_rows, n_columns = source.shape
    # Copied, because a source may reuse the memory of its blocks.
    scores = np.concatenate(list(map_blocks(source, lambda _, block: block.astype(np.float64).ravel())))
    columns = np.tile(np.arange(n_columns), n_rows)
    return Candidates(np.arange(n_rows + 1) * n_columns, columns, scores, n_columns, trusted=True)


def _extended(candidates: Candidates, pairs: np.ndarray, scores: np.ndarray) -> Candidates:
    pairs = np.concatenate([candidates.pairs, pairs])
    scores = np.concatenate([candidates.scores, scores]).astype(np.float64)
    extended = Candidates.from_pairs(pairs, scores, (candidates.n_rows, candidates.n_columns))
    if (np.diff(extended.pairs) == 0).any():
        # A pair that is in the graph keeps to its prices unless its score has changed meanwhile.
        raise ProofmatchError(
            "the score source gives different scores for one pair: make it repeat itself exactly"
        )
    return extended
