"""Candidates: some columns for each row with their scores, and the search for the best ones."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, sqrt
from typing import Self

import numpy as np

from proofmatch.errors import ProofmatchError
from proofmatch.ragged import ranges, starts_of

from .scores import ScoreSource, map_blocks

DEFAULT_K = 500

_ROWS_AT_ONCE = 4096  # sorting as many at a time is as fast as sorting all, with little memory
_SAMPLING = 16  # every 16th column is enough to estimate the k-th best score


@dataclass(frozen=True, eq=False)
class Candidates:
    """A list of columns for each row, of any length: the edges of a sparse bipartite graph.

    `from_lists` validates its input; the constructor itself trusts its caller.
    """

    starts: np.ndarray  # where each row's list begins, followed by the total, (rows + 1)
    columns: np.ndarray  # the columns of all lists, one list after the other
    scores: np.ndarray  # the score of each listed pair; finite
    n_columns: int  # how many columns there are, listed or not

    @classmethod
    def from_lists(
        cls,
        columns: Iterable[Sequence[int] | np.ndarray],
        scores: Iterable[Sequence[float] | np.ndarray],
        n_columns: int,
    ) -> Self:
        """Build candidates from a list of columns for each row, and a list of as many scores."""
        columns, scores = list(columns), list(scores)
        if len(scores) != len(columns):
            raise ProofmatchError(
                f"{len(columns)} lists of columns and {len(scores)} lists of scores: give one each"
            )
        for row, (listed, scored) in enumerate(zip(columns, scores, strict=True)):
            if len(listed) != len(scored):
                raise ProofmatchError(
                    f"row {row} has {len(listed)} columns and {len(scored)} scores: give one each"
                )
        candidates = cls(
            starts_of(np.array([len(row) for row in columns], dtype=np.int64)),
            np.concatenate([np.empty(0, dtype=np.int64), *(row for row in columns if len(row))]),
            np.concatenate([np.empty(0, dtype=np.float64), *scores]),
            n_columns,
        )
        _check(candidates)
        return candidates

    @classmethod
    def from_rows(
        cls, rows: np.ndarray, columns: np.ndarray, scores: np.ndarray, shape: tuple[int, int]
    ) -> Self:
        """Group pairs by row; within a row they keep their order."""
        order = np.argsort(rows, kind="stable")
        starts = np.searchsorted(rows[order], np.arange(shape[0] + 1))
        return cls(starts, columns[order], scores[order], shape[1])

    @classmethod
    def from_pairs(cls, pairs: np.ndarray, scores: np.ndarray, shape: tuple[int, int]) -> Self:
        """Group distinct pairs, each given as row · columns + column, by row, and sort each row by column."""
        order = np.argsort(pairs)
        rows, columns = np.divmod(pairs[order], max(1, shape[1]))
        starts = np.searchsorted(rows, np.arange(shape[0] + 1))
        return cls(starts, columns, scores[order], shape[1])

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.starts) - 1

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return self.n_rows, self.n_columns

    @cached_property
    def rows(self) -> np.ndarray:
        """The row of each listed pair."""
        return np.repeat(np.arange(self.n_rows, dtype=np.int32), np.diff(self.starts))

    @cached_property
    def pairs(self) -> np.ndarray:
        """Every listed pair as one number, row · columns + column."""
        return self.rows.astype(np.int64) * self.n_columns + self.columns

    def positions_of_rows(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions of the pairs of the given rows, and how many pairs each row has."""
        if len(rows) == self.n_rows:
            return np.arange(self.starts[-1]), np.diff(self.starts)
        lengths = self.starts[rows + 1] - self.starts[rows]
        return ranges(self.starts[rows], lengths), lengths

    def first(self, k: int) -> "Candidates":
        """Keep at most the first `k` of each list."""
        lengths = np.minimum(np.diff(self.starts), k)
        kept = ranges(self.starts[:-1], lengths)
        return Candidates(starts_of(lengths), self.columns[kept], self.scores[kept], self.n_columns)

    def sorted_by_column(self) -> "Candidates":
        """The same pairs, each list sorted by column."""
        columns, scores = np.empty_like(self.columns), np.empty_like(self.scores)
        for first in range(0, self.n_rows, _ROWS_AT_ONCE):
            starts = self.starts[first : first + _ROWS_AT_ONCE + 1]
            some = slice(starts[0], starts[-1])
            rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
            order = np.argsort(rows * self.n_columns + self.columns[some])
            columns[some], scores[some] = self.columns[some][order], self.scores[some][order]
        return Candidates(self.starts, columns, scores, self.n_columns)

    def transposed(self) -> "Candidates":
        """The same pairs with rows and columns swapped, each list sorted by column."""
        return Candidates.from_pairs(
            self.columns.astype(np.int64) * self.n_rows + self.rows,
            self.scores,
            (self.n_columns, self.n_rows),
        )


def _check(candidates: Candidates) -> None:
    columns, scores = candidates.columns, candidates.scores
    if len(columns) == 0:
        return
    if columns.dtype.kind not in "iu":
        raise ProofmatchError(f"candidate columns must be integers, not {columns.dtype}")
    outside = (columns < 0) | (columns >= candidates.n_columns)
    if outside.any():
        at = int(outside.argmax())
        raise ProofmatchError(
            f"row {candidates.rows[at]} lists column {columns[at]}, "
            f"but there are {candidates.n_columns} columns"
        )
    if not (np.isfinite(scores.min()) and np.isfinite(scores.max())):
        at = int((~np.isfinite(scores)).argmax())
        raise ProofmatchError(
            f"the score of row {candidates.rows[at]} and column {columns[at]} is {scores[at]}: "
            "scores must be finite; leave out a pair that must not be used"
        )
    pairs = np.sort(candidates.pairs)
    repeated = np.flatnonzero(np.diff(pairs) == 0)
    if len(repeated):
        row, column = divmod(int(pairs[repeated[0]]), candidates.n_columns)
        raise ProofmatchError(f"row {row} lists column {column} more than once: list it once")


def best_candidates(source: ScoreSource, k: int = DEFAULT_K) -> Candidates:
    """Find the `k` best columns of each row, best first; among equal scores the lower column comes first.

    Returns all if there are fewer than `k`. Memory holds one block of scores per thread, and the result.
    """
    if k < 1:
        raise ProofmatchError(f"at least one candidate per statement is needed, not {k}")
    n_rows, n_columns = source.shape
    k = min(k, n_columns)

    def best(_: int, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        columns = best_columns(scores, k)
        best_scores = np.take_along_axis(scores, columns, axis=1)
        return columns.astype(np.int32).ravel(), best_scores.ravel()

    starts = np.arange(n_rows + 1) * k
    found = list(map_blocks(source, best))
    if not found or not k:
        return Candidates(starts, np.empty(0, np.int32), np.empty(0), n_columns)
    columns, scores = zip(*found, strict=True)
    return Candidates(starts, np.concatenate(columns), np.concatenate(scores), n_columns)


def best_columns(scores: np.ndarray, k: int) -> np.ndarray:
    """The `k` best columns of each row of a matrix, best first, ties in ascending order: (rows, k)."""
    sample = scores[:, ::_SAMPLING]
    expected = k / _SAMPLING
    position = sample.shape[1] - ceil(expected + 2 * sqrt(expected) + 2)
    if position <= sample.shape[1] // 4:
        return np.argsort(-scores, axis=1, kind="stable")[:, :k]
    # A threshold estimated from a sample very likely lets at least k scores pass. Sorting only those takes a
    # fraction of the time of argpartition.
    thresholds = np.partition(sample, position, axis=1)[:, position]
    rows, columns = np.divmod(np.flatnonzero(scores >= thresholds[:, None]), scores.shape[1])
    counts = np.bincount(rows, minlength=len(scores))
    fit = (counts >= k) & (counts <= 4 * (sample.shape[1] - position) * _SAMPLING)
    kept = fit[rows]
    best = _best_of_pairs(scores, rows[kept], columns[kept], k)
    for row in np.flatnonzero(~fit):  # many equal scores, or a sample that is not representative
        best[row] = _best_of_row(scores[row], k)
    return best


def _best_of_pairs(scores: np.ndarray, rows: np.ndarray, columns: np.ndarray, k: int) -> np.ndarray:
    """The `k` best columns of each row among the given pairs; arbitrary for a row that has none."""
    counts = np.bincount(rows, minlength=len(scores))
    places = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    width = max(k, counts.max(initial=0))
    chosen = scores[rows, columns]
    if scores.dtype == np.float32:
        # Score and column packed into one sortable integer: several times faster than an argsort.
        keys = np.full((len(scores), width), np.iinfo(np.uint64).max)
        keys[rows, places] = (_descending(chosen).astype(np.uint64) << np.uint64(32)) | columns.astype(
            np.uint64
        )
        keys.sort(axis=1)
        best = (keys[:, :k] & np.uint64(0xFFFFFFFF)).astype(np.int64)
        return np.minimum(best, scores.shape[1] - 1)
    few_scores, few_columns = np.full((len(scores), width), -np.inf), np.zeros((len(scores), width), np.int64)
    few_scores[rows, places], few_columns[rows, places] = chosen, columns
    order = np.argsort(-few_scores, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(few_columns, order, axis=1)


def _descending(scores: np.ndarray) -> np.ndarray:
    """Unsigned integers whose ascending order is the descending order of float32 numbers."""
    bits = (scores + np.float32(0)).view(np.uint32)  # the sum turns -0 into 0
    return np.where(bits >> 31, bits, ~bits & np.uint32(0x7FFFFFFF))


def _best_of_row(scores: np.ndarray, k: int) -> np.ndarray:
    last = np.partition(scores, len(scores) - k)[len(scores) - k]
    above = np.flatnonzero(scores > last)
    equal = np.flatnonzero(scores == last)[: k - len(above)]
    return np.concatenate([above[np.argsort(-scores[above], kind="stable")], equal])
