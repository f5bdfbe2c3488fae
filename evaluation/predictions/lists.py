"""Ragged lists as flat arrays, so that millions of entries are checked at once."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from .numbering import NumberedBatch, Numbering


class FlatLists:
    """The lists of some rows, and what can be told from them alone.

    Args:
        proofs: The proofs of each row, null where they could not be used.
        scores: The scores of each row, null where there are none.
        numbering: Numbers the proofs.

    Attributes:
        usable: Whether a row has proofs.
        scored: Whether a row has scores.
        lengths: Number of proofs of each row.
        score_lengths: Number of scores of each row.
        starts: Where each row's proofs begin, and after the last one the end.
        rows: The row of each proof.
        proofs: All proofs as numbers, negative if unknown.
        scores: All scores.
    """

    def __init__(self, proofs: pa.ListArray, scores: pa.ListArray, numbering: Numbering) -> None:
        self.usable = np.asarray(proofs.is_valid())
        self.scored = np.asarray(scores.is_valid())
        self.lengths = _lengths(proofs)
        self.score_lengths = _lengths(scores)
        self.starts = np.concatenate([[0], np.cumsum(self.lengths)])
        self.rows = np.repeat(np.arange(len(proofs)), self.lengths)
        self.proofs = numbering.numbers(proofs.flatten())
        self.scores = scores.flatten().to_numpy(zero_copy_only=False)

    def repeated(self) -> Iterator[tuple[int, int]]:
        """Each row that lists a proof twice, and the place in it where the second is."""
        keys = self.rows * (np.ptp(self.proofs) + 1 if len(self.proofs) else 1) + self.proofs
        if (np.diff(np.sort(keys)) == 0).any():
            order = np.argsort(keys, kind="stable")
            again = np.sort(order[1:][np.diff(keys[order]) == 0])
            for row, at, _ in first_of_rows(self.rows[again], again):
                yield row, at - int(self.starts[row])

    def not_finite(self) -> Iterator[tuple[int, int]]:
        """Each row with a score that is not finite, and its place."""
        wrong = np.flatnonzero(~np.isfinite(self.scores))
        return self._places_of_scores(wrong)

    def increasing(self) -> Iterator[tuple[int, int]]:
        """Each row whose scores increase, and the place where they do."""
        wrong = np.flatnonzero(self.scores[1:] > self.scores[:-1]) + 1
        starts = np.cumsum(self.score_lengths) - self.score_lengths
        return self._places_of_scores(wrong[~np.isin(wrong, starts)])

    def numbered(self, statements: np.ndarray, kept: np.ndarray) -> NumberedBatch:
        """Keep some rows, all with scores or all without."""
        score_rows = np.repeat(np.arange(len(kept)), self.score_lengths)
        scores = self.scores[kept[score_rows]] if self.scored[kept].any() else None
        starts = np.concatenate([[0], np.cumsum(self.lengths[kept])])
        return NumberedBatch(statements[kept], starts, self.proofs[kept[self.rows]], scores)

    def _places_of_scores(self, wrong: np.ndarray) -> Iterator[tuple[int, int]]:
        ends = np.cumsum(self.score_lengths)
        for row, at, _ in first_of_rows(np.searchsorted(ends, wrong, side="right"), wrong):
            yield row, at - int(ends[row] - self.score_lengths[row])


def _lengths(lists: pa.ListArray) -> np.ndarray:
    return lists.value_lengths().fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)


def first_of_rows(rows: np.ndarray, places: np.ndarray) -> Iterator[tuple[int, int, int]]:
    """For each row among ascending ones: the row, the first of its places, and how many it has."""
    found, first, counts = np.unique(rows, return_index=True, return_counts=True)
    return zip(found.tolist(), places[first].tolist(), counts.tolist(), strict=True)
