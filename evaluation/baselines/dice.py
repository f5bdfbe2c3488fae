"""Dice's coefficient of two texts as multisets of tokens: 2·|A ∩ B| / (|A| + |B|)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from ..decoding.sources import SparseProductScores
from .counts import count_tokens, distinct_tokens

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True)
class DiceScores:
    """Dice's coefficient of every statement with every proof.

    Attributes:
        common: The sizes of their intersections.
        left_sizes: The size of each statement, (statements).
        right_sizes: The size of each proof, (proofs).
    """

    common: SparseProductScores
    left_sizes: np.ndarray
    right_sizes: np.ndarray

    @property
    def shape(self) -> tuple[int, int]:
        """Number of statements and number of proofs."""
        return self.common.shape

    def block(self, start: int, stop: int) -> np.ndarray:
        """Scores of the statements `start` to `stop` with every proof."""
        sizes = self.left_sizes[start:stop, None] + self.right_sizes[None, :]
        # Two empty texts have nothing in common.
        return 2 * self.common.block(start, stop) / np.maximum(sizes, 1)


def dice_scores(statements: pa.ListArray, proofs: pa.ListArray) -> DiceScores:
    """Compare every statement with every proof.

    Args:
        statements: Tokens of each statement.
        proofs: Tokens of each proof.
    """
    vocabulary = distinct_tokens(statements, proofs)
    left, right = count_tokens(statements, vocabulary), count_tokens(proofs, vocabulary)
    highest = int(max(left.data.max(initial=0), right.data.max(initial=0)))
    sizes = [np.asarray(side.sum(axis=1), dtype=np.float32).ravel() for side in (left, right)]
    return DiceScores(SparseProductScores(_as_sets(left, highest), _as_sets(right, highest)), *sizes)


def _as_sets(counts: "csr_array", highest: int) -> "csr_array":
    """Turn multisets into sets whose elements are "the first x", "the second x" and so on.

    The intersection of multisets then is a product of matrices: min(a, b) counts the k ≤ a with k ≤ b.
    """
    from scipy.sparse import csr_array

    repeats = counts.data.astype(np.int64)
    starts = np.cumsum(repeats) - repeats
    occurrence = np.arange(repeats.sum()) - np.repeat(starts, repeats)
    columns = np.repeat(counts.indices.astype(np.int64) * highest, repeats) + occurrence
    pointers = np.concatenate([[0], np.cumsum(repeats)])[counts.indptr]
    ones = np.ones(len(columns), dtype=np.float32)
    texts, tokens = counts.shape  # pyright: ignore[reportGeneralTypeIssues] - a matrix has a shape
    return csr_array((ones, columns, pointers), shape=(texts, tokens * highest))
