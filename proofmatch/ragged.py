"""Rows of different lengths as two flat arrays."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa


@dataclass(frozen=True, eq=False)
class Ragged:
    """A list of rows, each an array of its own length.

    Attributes:
        values: The values of all rows, one row after the other.
        starts: Where each row begins in `values`, followed by the total, (rows + 1).
    """

    values: np.ndarray
    starts: np.ndarray

    @classmethod
    def from_lengths(cls, values: np.ndarray, lengths: np.ndarray) -> "Ragged":
        """Cut values into rows of the given lengths."""
        return cls(values, starts_of(lengths))

    @classmethod
    def from_lists(cls, rows: Iterable[Sequence[float]], dtype: np.typing.DTypeLike) -> "Ragged":
        """Join Python lists."""
        arrays = [np.asarray(row, dtype=dtype) for row in rows]
        lengths = np.fromiter(map(len, arrays), np.int64, len(arrays))
        return cls.from_lengths(np.concatenate([np.empty(0, dtype), *arrays]), lengths)

    @classmethod
    def from_arrow(cls, lists: pa.ListArray) -> "Ragged":
        """View a list column of numbers; a missing list is an empty one."""
        lengths = lists.value_lengths().fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
        return cls.from_lengths(lists.flatten().to_numpy(zero_copy_only=False), lengths)

    @classmethod
    def concatenate(cls, pieces: "Sequence[Ragged]") -> "Ragged":
        """Put the rows of several one after the other; there must be at least one."""
        lengths = np.concatenate([piece.lengths for piece in pieces])
        return cls.from_lengths(np.concatenate([piece.values for piece in pieces]), lengths)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, row: int) -> np.ndarray:
        if not -len(self) <= row < len(self):
            raise IndexError(row)
        row %= len(self)
        return self.values[self.starts[row] : self.starts[row + 1]]

    def __iter__(self) -> Iterator[np.ndarray]:
        return (self[row] for row in range(len(self)))

    @property
    def lengths(self) -> np.ndarray:
        """The length of each row, (rows)."""
        return np.diff(self.starts)

    @cached_property
    def rows(self) -> np.ndarray:
        """The row of each value, (values)."""
        return np.repeat(np.arange(len(self)), self.lengths)

    def take(self, rows: np.ndarray) -> "Ragged":
        """Gather rows by number, in the order given."""
        lengths = self.lengths[rows]
        return Ragged.from_lengths(self.values[ranges(self.starts[:-1][rows], lengths)], lengths)

    def slice(self, start: int, stop: int) -> "Ragged":
        """View consecutive rows without copying their values."""
        starts = self.starts[start : stop + 1]
        return Ragged(self.values[starts[0] : starts[-1]], starts - starts[0])

    def first(self, k: int) -> "Ragged":
        """Keep at most the first `k` values of each row."""
        lengths = np.minimum(self.lengths, k)
        return Ragged.from_lengths(self.values[ranges(self.starts[:-1], lengths)], lengths)


def starts_of(lengths: np.ndarray) -> np.ndarray:
    """Compute from lengths where each row begins, followed by the total, (rows + 1)."""
    starts = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts


def ranges(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """List the numbers of several ranges, one range after the other.

    >>> ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    before = np.cumsum(lengths) - lengths
    return np.arange(lengths.sum()) + np.repeat(starts - before, lengths)
