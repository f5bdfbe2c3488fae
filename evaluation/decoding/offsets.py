"""Scores with something added to each row and each column."""

from dataclasses import dataclass

import numpy as np

from proofmatch.errors import ProofmatchError

from .sources import ScoreSource


@dataclass(frozen=True)
class OffsetScores:
    """Scores divided by a temperature, plus an offset for each row and one for each column.

    In double precision whatever the scores are in: offsets may be large, and adding them is not to make equal
    what was different. Equal offsets keep equal what was equal.

    Attributes:
        source: The scores.
        temperature: What they are divided by.
        row_offsets: What is then added to the scores of each statement, (statements).
        column_offsets: What is added to those of each proof, (proofs).
    """

    source: ScoreSource
    temperature: float
    row_offsets: np.ndarray
    column_offsets: np.ndarray

    def __post_init__(self) -> None:
        offsets = self.row_offsets.shape + self.column_offsets.shape
        if offsets != self.shape:
            raise ProofmatchError(
                f"offsets {offsets} do not fit scores {self.shape}: give one a row and column"
            )

    @property
    def shape(self) -> tuple[int, int]:
        """Number of statements and number of proofs."""
        return self.source.shape

    def block(self, start: int, stop: int) -> np.ndarray:
        """Scores of the statements `start` to `stop` with every proof."""
        with np.errstate(over="ignore"):  # who reads a block looks whether it is finite
            scores = np.divide(self.source.block(start, stop), self.temperature, dtype=np.float64)
        scores += self.column_offsets
        scores += self.row_offsets[start:stop, None]
        return scores
