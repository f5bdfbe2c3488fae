"""The distinct tokens of a release, numbered, so that everything after reading works on numbers."""

from pathlib import Path

import numpy as np
import pyarrow as pa

from ..arrow import as_numpy
from .hashing import hash_each


class Vocabulary:
    """Numbers strings in the order in which they come.

    Attributes:
        tokens: The strings.
        first_seen: The file in which each came first.
    """

    def __init__(self) -> None:
        self.tokens: list[str] = []
        self.first_seen: list[Path] = []
        self._numbers: dict[str, int] = {}
        self._hashes = np.empty(0, np.uint64)

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def hashes(self) -> np.ndarray:
        """Hash of each string."""
        if len(self._hashes) < len(self.tokens):
            new = hash_each(self.tokens[len(self._hashes) :])
            self._hashes = np.concatenate([self._hashes, new])
        return self._hashes

    def encode(self, column: pa.ListArray, file: Path) -> tuple[np.ndarray, np.ndarray]:
        """Number the elements of lists, which are dictionary-encoded strings.

        Returns:
            The numbers of all elements, and where each list begins; at the end, where the last one stops.
        """
        offsets = np.frombuffer(column.buffers()[1], np.int32)[column.offset :][: len(column) + 1]
        starts = offsets.astype(np.int64) - offsets[0]
        elements = column.values.slice(int(offsets[0]), int(starts[-1]))
        if not len(elements):
            return np.empty(0, np.int32), starts
        numbers = np.array(self._numbers_of(elements.dictionary.to_pylist(), file), np.int32)
        indices = as_numpy(elements.indices)
        if elements.null_count:
            # A missing token counts as an empty one, which no token may be.
            indices = np.where(as_bool(elements.is_null()), len(numbers), indices)
            numbers = np.append(numbers, self._numbers_of([""], file)).astype(np.int32)
        return numbers[indices], starts

    def _numbers_of(self, tokens: list[str], file: Path) -> list[int]:
        for token in tokens:
            if token not in self._numbers:
                self._numbers[token] = len(self.tokens)
                self.tokens.append(token)
                self.first_seen.append(file)
        return [self._numbers[token] for token in tokens]


def as_bool(column: pa.Array) -> np.ndarray:
    """Unpack a column of truth values."""
    return column.to_numpy(zero_copy_only=False)
