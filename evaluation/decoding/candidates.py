"""The pairs that a pruned matching may use: some columns for each row, with their scores."""

from collections.abc import Iterable, Sequence
from dataclasses import InitVar, dataclass
from functools import cached_property
from typing import Self

import numpy as np

from proofmatch.errors import ProofmatchError


@dataclass(frozen=True, eq=False)
class Candidates:
    """A ragged list of columns for each row, checked on creation.

    Attributes:
        starts: Where each row's list begins, and after the last one the end, (rows + 1).
        columns: The lists, one after the other.
        scores: The score of each listed pair; finite.
        n_columns: How many columns there are, listed or not.

    Args:
        trusted: Whether the lists come from code that cannot err; checking millions takes time.
    """

    starts: np.ndarray
    columns: np.ndarray
    scores: np.ndarray
    n_columns: int
    trusted: InitVar[bool] = False

    def __post_init__(self, trusted: bool) -> None:
        if not trusted:
            _check(self)

    @classmethod
    def from_arrays(
        cls, columns: np.ndarray, scores: np.ndarray, n_columns: int, *, trusted: bool = False
    ) -> Self:
        """Candidates from lists of equal length.

        Args:
            columns: Each row's columns, (rows, k).
            scores: Their scores, (rows, k).
            n_columns: How many columns there are.
            trusted: Whether the lists come from code that cannot err.
        """
        columns, scores = np.asarray(columns), np.asarray(scores)
        if columns.ndim != 2 or columns.shape != scores.shape:
            raise ProofmatchError(
                f"columns {columns.shape} and scores {scores.shape} must be matrices "
                "of one shape, one row a statement"
            )
        starts = np.arange(columns.shape[0] + 1) * columns.shape[1]
        return cls(starts, columns.ravel(), scores.ravel(), n_columns, trusted=trusted)

    @classmethod
    def from_lists(
        cls, columns: Iterable[Sequence[int]], scores: Iterable[Sequence[float]], n_columns: int
    ) -> Self:
        """Candidates from lists of any lengths.

        Args:
            columns: For each row a list of columns, which may be empty.
            scores: For each row a list of as many scores.
            n_columns: How many columns there are.
        """
        columns, scores = list(columns), list(scores)
        lengths = np.array([len(row) for row in columns], dtype=np.int64)
        if len(scores) != len(columns):
            raise ProofmatchError(
                f"{len(columns)} lists of columns and {len(scores)} lists of scores: give one each"
            )
        for row, (listed, scored) in enumerate(zip(columns, scores, strict=True)):
            if len(listed) != len(scored):
                raise ProofmatchError(
                    f"row {row} has {len(listed)} columns and {len(scored)} scores: give one each"
                )
        return cls(
            np.concatenate([[0], np.cumsum(lengths)]),
            np.concatenate([np.empty(0, dtype=np.int64), *columns]).astype(np.int64),
            np.concatenate([np.empty(0, dtype=np.float64), *scores]),
            n_columns,
        )

    @classmethod
    def from_pairs(cls, pairs: np.ndarray, scores: np.ndarray, shape: tuple[int, int]) -> Self:
        """Candidates from pairs in any order, not checked; each row's list comes out in order of columns.

        Args:
            pairs: Every pair as one number, row · columns + column; none twice.
            scores: The score of each.
            shape: Number of rows and columns.
        """
        order = np.argsort(pairs)
        rows, columns = np.divmod(pairs[order], max(1, shape[1]))
        starts = np.searchsorted(rows, np.arange(shape[0] + 1))
        return cls(starts, columns, scores[order], shape[1], trusted=True)

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.starts) - 1

    @cached_property
    def rows(self) -> np.ndarray:
        """The row of each listed pair."""
        return np.repeat(np.arange(self.n_rows), np.diff(self.starts))

    @cached_property
    def pairs(self) -> np.ndarray:
        """Every listed pair as one number, row · columns + column."""
        return self.rows * self.n_columns + self.columns

    def first(self, k: int) -> "Candidates":
        """The first `k` of each list."""
        kept = np.arange(len(self.columns)) - np.repeat(self.starts[:-1], np.diff(self.starts)) < k
        starts = np.concatenate([[0], np.cumsum(np.minimum(np.diff(self.starts), k))])
        return Candidates(starts, self.columns[kept], self.scores[kept], self.n_columns, trusted=True)

    def by_column(self) -> "Candidates":
        """The same pairs in a fixed order, whatever theirs was: each list by column."""
        return Candidates.from_pairs(self.pairs, self.scores, (self.n_rows, self.n_columns))

    def transposed(self) -> "Candidates":
        """The same pairs with rows and columns exchanged."""
        return Candidates.from_pairs(
            self.columns * self.n_rows + self.rows, self.scores, (self.n_columns, self.n_rows)
        )


def _check(candidates: Candidates) -> None:
    starts, columns, scores = candidates.starts, candidates.columns, candidates.scores
    if len(columns) != len(scores) or not len(starts) or starts[0] != 0 or starts[-1] != len(columns):
        raise ProofmatchError(
            f"{len(columns)} candidate columns, {len(scores)} scores and "
            f"row starts up to {starts[-1:]} do not fit"
        )
    if (np.diff(starts) < 0).any():
        raise ProofmatchError("the row starts of candidates must not decrease")
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
    pairs = candidates.pairs
    if (np.diff(pairs) <= 0).any():
        pairs = np.sort(pairs)
        repeated = np.flatnonzero(np.diff(pairs) == 0)
        if len(repeated):
            row, column = divmod(int(pairs[repeated[0]]), candidates.n_columns)
            raise ProofmatchError(f"row {row} lists column {column} more than once: list it once")
