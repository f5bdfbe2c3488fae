"""Where scores come from: any object that computes them a block of rows at a time."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, cast

import numpy as np

from proofmatch.errors import ProofmatchError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

# A feature leaves the sparse product for the dense one when multiplying its two columns sparsely would take
# longer: one sparse step costs about as much as this many dense ones.
_DENSE_STEPS_PER_SPARSE_STEP = 1000
_MOST_DENSE_FEATURES = 2048


class ScoreSource(Protocol):
    """Scores of all pairs, computed when asked for, so that they need not fit in memory.

    `block` may be called from several threads at once, and repeats itself exactly for the same block.
    """

    @property
    def shape(self) -> tuple[int, int]:
        """Number of statements and number of proofs."""
        ...

    def block(self, start: int, stop: int) -> np.ndarray:
        """Scores of the statements `start` to `stop` with every proof; the caller does not write to it."""
        ...


@dataclass(frozen=True)
class DenseScores:
    """Scores that are in memory already.

    Attributes:
        matrix: Score of each pair, (statements, proofs).
    """

    matrix: np.ndarray

    def __post_init__(self) -> None:
        if self.matrix.ndim != 2:
            raise ProofmatchError(f"scores must be a matrix, one row a statement, not {self.matrix.ndim}-D")

    @property
    def shape(self) -> tuple[int, int]:
        """Number of statements and number of proofs."""
        return self.matrix.shape[0], self.matrix.shape[1]

    def block(self, start: int, stop: int) -> np.ndarray:
        """Scores of the statements `start` to `stop` with every proof."""
        return self.matrix[start:stop]


@dataclass(frozen=True)
class ProductScores:
    """Inner products of statement vectors with proof vectors.

    Attributes:
        left: A vector for each statement, (statements, dim).
        right: A vector for each proof, (proofs, dim). A bilinear score S·W·Pᵀ has S·W on one of the sides.
    """

    left: np.ndarray
    right: np.ndarray

    def __post_init__(self) -> None:
        _check_factors(self.left.shape, self.right.shape)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of statements and number of proofs."""
        return self.left.shape[0], self.right.shape[0]

    def block(self, start: int, stop: int) -> np.ndarray:
        """Scores of the statements `start` to `stop` with every proof."""
        return self.left[start:stop] @ self.right.T


@dataclass(frozen=True)
class SparseProductScores:
    """Inner products of sparse vectors, such as TF-IDF, in single precision.

    Attributes:
        left: A vector for each statement, (statements, features).
        right: A vector for each proof, (proofs, features).
    """

    left: "csr_array"
    right: "csr_array"

    def __post_init__(self) -> None:
        _check_factors(_shape(self.left), _shape(self.right))
        _ = self._factors  # now, before several threads ask for it at once

    @property
    def shape(self) -> tuple[int, int]:
        """Number of statements and number of proofs."""
        return _shape(self.left)[0], _shape(self.right)[0]

    def block(self, start: int, stop: int) -> np.ndarray:
        """Scores of the statements `start` to `stop` with every proof."""
        dense_left, dense_right, rare_left, rare_right = self._factors
        scores = dense_left[start:stop] @ dense_right
        rare = (rare_left[start:stop] @ rare_right).tocsr()
        rare.sum_duplicates()
        rows = np.repeat(np.arange(len(scores)), np.diff(rare.indptr))
        scores[rows, rare.indices] += rare.data
        return scores

    @cached_property
    def _factors(self) -> "tuple[np.ndarray, np.ndarray, csr_array, csr_array]":
        """Frequent features of both sides as dense matrices, rare ones as sparse; the right side turned."""
        from scipy.sparse import csr_array

        left, right = (csr_array(side, dtype=np.float32) for side in (self.left, self.right))
        n_rows, n_features = _shape(left)
        sparse_steps = np.bincount(left.indices, minlength=n_features).astype(np.float64)
        sparse_steps *= np.bincount(right.indices, minlength=n_features)
        by_cost = np.argsort(-sparse_steps, kind="stable")
        n_frequent = np.count_nonzero(sparse_steps * _DENSE_STEPS_PER_SPARSE_STEP > n_rows * _shape(right)[0])
        frequent, rare = np.split(by_cost, [min(n_frequent, _MOST_DENSE_FEATURES)])
        rare = rare[sparse_steps[rare] > 0]
        left, right = left.tocsc(), right.tocsc()
        return (
            left[:, frequent].toarray(order="C"),
            np.ascontiguousarray(right[:, frequent].toarray().T),
            csr_array(left[:, rare]),
            csr_array(right[:, rare].T),
        )


@dataclass(frozen=True)
class SumScores:
    """Sums of scores that come from several sources of one shape.

    Attributes:
        parts: The sources.
    """

    parts: tuple[ScoreSource, ...]

    def __post_init__(self) -> None:
        if len({part.shape for part in self.parts}) != 1:
            raise ProofmatchError(
                f"scores to be added have different shapes: {[p.shape for p in self.parts]}"
            )

    @property
    def shape(self) -> tuple[int, int]:
        """Number of statements and number of proofs."""
        return self.parts[0].shape

    def block(self, start: int, stop: int) -> np.ndarray:
        """Scores of the statements `start` to `stop` with every proof."""
        first, *others = (part.block(start, stop) for part in self.parts)
        return sum(others, first)


def _shape(matrix: "csr_array") -> tuple[int, int]:
    return cast("tuple[int, int]", matrix.shape)  # which SciPy's annotations think may be None


def _check_factors(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    if len(left) != 2 or len(right) != 2 or left[1] != right[1]:
        raise ProofmatchError(
            f"statement vectors {left} and proof vectors {right} do not fit: "
            "give (statements, dim) and (proofs, dim)"
        )
