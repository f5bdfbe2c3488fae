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
from .cardinality import largest_matching
from .certificate import ExactMatching, certify
from .prices import find_prices
from .pricing import find_overpriced
from .retrieval import best_candidates
from .solver import match_smaller_side
from .sources import ScoreSource

DEFAULT_START = 100
_FIRST_ADDED_PER_ROW = 16
_MOST_ADDED = 2**24


@dataclass(frozen=True)
class Round:
    """How far an exact matching is.

    Attributes:
        number: The round, from 1.
        n_pairs: How many pairs it chose from.
        total: The total score of its matching.
        bound: What no matching's total can exceed.
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

    Of several optimal matchings the one returned depends on the scores and `start` alone.

    Args:
        source: The scores, all finite.
        candidates: Lists of `best_candidates`, if they are at hand, to save finding them.
        start: How many candidates a row to start from; what is missing is added where it is needed, so this
            changes the time and nothing else.
        on_round: Called after each round.
    """
    shape = source.shape
    if min(shape) == 0:
        nothing = certify(0.0, np.zeros(shape[0]), np.zeros(shape[1]), 0.0)
        columns = np.full(shape[0], -1, dtype=np.int64)
        return ExactMatching(columns, 0.0, np.zeros(shape[0]), np.zeros(shape[1]), 0, 0, nothing)
    if candidates is None:
        candidates = best_candidates(source, start)
    elif (candidates.n_rows, candidates.n_columns) != shape:
        raise ProofmatchError(
            f"candidates {candidates.n_rows, candidates.n_columns} are not of scores {shape}"
        )
    candidates = _made_feasible(source, candidates.first(start))
    column_prices, number = None, 0
    while True:
        number += 1
        columns, row_prices, column_prices = _solve(candidates, column_prices)
        scale = max(float(np.abs(values).max()) for values in (candidates.scores, row_prices, column_prices))
        # Twice as many each round: with many equal scores a fixed number could take very many rounds.
        per_row = min(_FIRST_ADDED_PER_ROW * 2 ** (number - 1), max(1, _MOST_ADDED // shape[0]))
        overpriced = find_overpriced(source, row_prices, column_prices, per_row, scale)
        total = float(candidates.scores[columns[candidates.rows] == candidates.columns].sum())
        certificate = certify(total, row_prices, column_prices, overpriced.worst)
        if on_round is not None:
            bound = certificate.dual_total + overpriced.lift
            on_round(Round(number, len(candidates.pairs), total, bound))
        if not len(overpriced.pairs):
            return ExactMatching(
                columns, total, row_prices, column_prices, number, len(candidates.pairs), certificate
            )
        candidates = _extended(candidates, overpriced.pairs, overpriced.scores)


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


def _solve(
    candidates: Candidates, last_prices: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The best matching among candidates, with prices of rows and columns, found from the last ones."""
    if candidates.n_rows > candidates.n_columns:
        rows, column_prices, row_prices = _solve(candidates.transposed(), None)
        columns = np.full(candidates.n_rows, -1, dtype=np.int64)
        columns[rows] = np.arange(candidates.n_columns)
        return columns, row_prices, column_prices
    if candidates.n_rows < candidates.n_columns or last_prices is None:
        columns = match_smaller_side(candidates)
        return columns, *find_prices(candidates, columns)
    # Where all columns are matched, taking the last prices off changes no order of matchings, and leaves the
    # solver almost nothing to do.
    left = candidates.scores - last_prices[candidates.columns]
    left -= np.repeat(np.maximum.reduceat(left, candidates.starts[:-1]), np.diff(candidates.starts))
    columns = match_smaller_side(
        Candidates(candidates.starts, candidates.columns, left, candidates.n_columns, trusted=True)
    )
    return columns, *find_prices(candidates, columns, last_prices)
