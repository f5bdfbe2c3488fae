"""The distinct texts of a release as token numbers: what the search for duplicates works on."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Texts:
    """Distinct token sequences, one after the other.

    Attributes:
        hashes: Of each text.
        tokens: Numbers of the tokens of all texts.
        starts: Where each text begins in `tokens`; at the end, where the last one stops.
    """

    hashes: np.ndarray
    tokens: np.ndarray
    starts: np.ndarray

    def __len__(self) -> int:
        return len(self.hashes)

    def __getitem__(self, number: int) -> np.ndarray:
        return self.tokens[self.starts[number] : self.starts[number + 1]]

    def numbers_of(self, hashes: np.ndarray) -> np.ndarray:
        """Find texts by their hashes, all of which must be there."""
        order = np.argsort(self.hashes)
        return order[np.searchsorted(self.hashes, hashes, sorter=order)]


class TextCollector:
    """Collects texts, each once however often it occurs."""

    def __init__(self) -> None:
        self._seen: set[int] = set()
        self._hashes: list[int] = []
        self._tokens: list[np.ndarray] = []
        self._lengths: list[np.ndarray] = []

    def add(self, hashes: np.ndarray, tokens: np.ndarray, starts: np.ndarray) -> None:
        """Take up the texts of some rows: their hashes, their tokens, and where each begins."""
        new = np.zeros(len(hashes), bool)
        for row, value in enumerate(hashes.tolist()):
            if value not in self._seen:
                self._seen.add(value)
                self._hashes.append(value)
                new[row] = True
        lengths = np.diff(starts)
        self._tokens.append(tokens[np.repeat(new, lengths)])
        self._lengths.append(lengths[new])

    def texts(self) -> Texts:
        """Give the texts collected so far."""
        tokens = np.concatenate([np.empty(0, np.int32), *self._tokens])
        lengths = np.concatenate([np.empty(0, np.int64), *self._lengths])
        starts = np.append(0, np.cumsum(lengths))
        return Texts(np.array(self._hashes, np.uint64), tokens, starts)
