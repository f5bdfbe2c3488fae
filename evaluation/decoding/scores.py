"""Score sources: all scores of a matching problem, computed one block of rows at a time."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Protocol, TypeVar, cast

import numpy as np

from proofmatch.errors import ProofmatchError
from proofmatch.processors import available_processors

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Result = TypeVar("Result")

_SCORES_PER_BLOCK = 2**23  # 32 MB in single precision
_MAX_CONCURRENT_BLOCKS = 4
# A feature moves from the sparse product to the dense one when that is faster: one multiplication in the
# sparse product costs about as much as this many in the dense one.
_DENSE_STEPS_PER_SPARSE_STEP = 1000
_MAX_DENSE_FEATURES = 2048


class ScoreSource(Protocol):
    """Scores of all pairs, computed on demand, so that they need not fit in memory.

    `block` must be thread-safe and deterministic: the same block always has the same scores.
    """

    @property
    def shape(self) -> tuple[int, int]:
        """Number of statements and number of proofs."""
        ...

    def block(self, start: int, stop: int) -> np.ndarray:
        """Scores of the statements `start` to `stop` with every proof; the caller must not modify them."""
        ...


@dataclass(frozen=True)
class DenseScores:
    """Scores held in memory."""

    matrix: np.ndarray  # score of each pair, (statements, proofs)

    def __post_init__(self) -> None:
        if self.matrix.ndim != 2:
            raise ProofmatchError(f"scores must be a matrix, one row per statement, not {self.matrix.ndim}-D")

    @property
    def shape(self) -> tuple[int, int]:
        """Number of statements and number of proofs."""
        return self.matrix.shape[0], self.matrix.shape[1]

    def block(self, start: int, stop: int) -> np.ndarray:
        """Scores of the statements `start` to `stop` with every proof."""
        return self.matrix[start:stop]


@dataclass(frozen=True)
class ProductScores:
    """Inner products of statement vectors with proof vectors."""

    left: np.ndarray  # (statements, dim); for a bilinear score S·W·Pᵀ pass S·W
    right: np.ndarray  # (proofs, dim)

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
    """Inner products of sparse vectors, such as TF-IDF, in single precision."""

    left: "csr_array"  # a vector for each statement, (statements, features)
    right: "csr_array"  # a vector for each proof, (proofs, features)

    def __post_init__(self) -> None:
        _check_factors(_shape(self.left), _shape(self.right))
        _ = self._factors  # computed here, before several threads ask for it at once

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
        """Frequent features of both sides as dense matrices, rare ones as sparse; right sides transposed."""
        from scipy.sparse import csr_array

        left, right = (csr_array(side, dtype=np.float32) for side in (self.left, self.right))
        n_rows, n_features = _shape(left)
        sparse_steps = np.bincount(left.indices, minlength=n_features).astype(np.float64)
        sparse_steps *= np.bincount(right.indices, minlength=n_features)
        by_cost = np.argsort(-sparse_steps, kind="stable")
        n_frequent = np.count_nonzero(sparse_steps * _DENSE_STEPS_PER_SPARSE_STEP > n_rows * _shape(right)[0])
        frequent, rare = np.split(by_cost, [min(n_frequent, _MAX_DENSE_FEATURES)])
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
    """Sums of the scores of several sources of the same shape."""

    parts: tuple[ScoreSource, ...]

    def __post_init__(self) -> None:
        _check_shapes(self.parts)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of statements and number of proofs."""
        return self.parts[0].shape

    def block(self, start: int, stop: int) -> np.ndarray:
        """Scores of the statements `start` to `stop` with every proof."""
        first, *others = (part.block(start, stop) for part in self.parts)
        return sum(others, first)


@dataclass(frozen=True)
class SmoothMaximumScores:
    """Smooth maxima of the scores of several sources: t log Σ exp((score - offset) / t)."""

    parts: tuple[ScoreSource, ...]
    temperature: float  # t; the maximum itself is the limit 0
    offsets: tuple[float, ...]  # one per source

    def __post_init__(self) -> None:
        _check_shapes(self.parts)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of statements and number of proofs."""
        return self.parts[0].shape

    def block(self, start: int, stop: int) -> np.ndarray:
        """Scores of the statements `start` to `stop` with every proof."""
        first, *others = (
            (part.block(start, stop) - offset) / self.temperature
            for part, offset in zip(self.parts, self.offsets, strict=True)
        )
        return reduce(np.logaddexp, others, first) * self.temperature


@dataclass(frozen=True)
class OffsetScores:
    """Scores divided by a temperature, plus an offset for each row and one for each column.

    Always in double precision: large offsets must not make different scores equal. Pairs with equal scores
    and equal offsets stay equal.
    """

    source: ScoreSource
    temperature: float  # the divisor of the scores
    row_offsets: np.ndarray  # added to the scores of each statement after the division, (statements)
    column_offsets: np.ndarray  # added to the scores of each proof, (proofs)

    def __post_init__(self) -> None:
        offsets = self.row_offsets.shape + self.column_offsets.shape
        if offsets != self.shape:
            raise ProofmatchError(
                f"offsets {offsets} do not fit scores {self.shape}: give one per row and one per column"
            )

    @property
    def shape(self) -> tuple[int, int]:
        """Number of statements and number of proofs."""
        return self.source.shape

    def block(self, start: int, stop: int) -> np.ndarray:
        """Scores of the statements `start` to `stop` with every proof."""
        with np.errstate(over="ignore"):  # map_blocks refuses infinite scores
            scores = np.divide(self.source.block(start, stop), self.temperature, dtype=np.float64)
        scores += self.column_offsets
        scores += self.row_offsets[start:stop, None]
        return scores


def map_blocks(
    source: ScoreSource, work: Callable[[int, np.ndarray], Result], scores_per_block: int | None = None
) -> Iterator[Result]:
    """Apply a function to every block of scores and yield the results in order.

    The blocks depend on the shape only, never on the machine: the last digits of a matrix product differ from
    one block shape to another.

    Args:
        source: The scores; NaN and infinity are refused.
        work: Takes the block's first row and its scores, which it must not modify. Runs in threads, because
            NumPy releases the interpreter's lock.
        scores_per_block: Approximate size of a block, if the default does not suit the work.
    """
    n_rows, n_columns = source.shape
    height = max(1, (scores_per_block or _SCORES_PER_BLOCK) // max(1, n_columns))

    def one(start: int) -> Result:
        stop = min(start + height, n_rows)
        return work(start, _checked(source.block(start, stop), start, (stop - start, n_columns)))

    starts = range(0, n_rows, height)
    workers = min(len(starts), available_processors(), _MAX_CONCURRENT_BLOCKS)
    if workers <= 1:
        yield from map(one, starts)
        return
    with ThreadPoolExecutor(workers) as pool:
        try:
            yield from pool.map(one, starts)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def scores_of_pairs(source: ScoreSource, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Look up the scores of some pairs, whose rows must be ascending."""
    if not len(rows):
        return np.empty(0)

    def own(start: int, scores: np.ndarray) -> np.ndarray:
        here = slice(*np.searchsorted(rows, (start, start + len(scores))))
        return scores[rows[here] - start, columns[here]]

    return np.concatenate(list(map_blocks(source, own)))


def _checked(scores: np.ndarray, start: int, shape: tuple[int, int]) -> np.ndarray:
    if scores.shape != shape:
        raise ProofmatchError(
            f"the score source returned a block of shape {scores.shape} instead of {shape}: fix its block()"
        )
    if scores.dtype not in (np.float32, np.float64):
        scores = scores.astype(np.float64)
    # Minimum and maximum propagate NaN, and are cheaper than a test of every score.
    if scores.size and not (np.isfinite(scores.min()) and np.isfinite(scores.max())):
        row, column = np.argwhere(~np.isfinite(scores))[0]
        raise ProofmatchError(
            f"the score of row {start + row} and column {column} is {scores[row, column]}: "
            "scores must be finite"
        )
    return scores


def _shape(matrix: "csr_array") -> tuple[int, int]:
    return cast("tuple[int, int]", matrix.shape)  # SciPy's annotations allow None


def _check_shapes(parts: tuple[ScoreSource, ...]) -> None:
    if len({part.shape for part in parts}) != 1:
        raise ProofmatchError(f"scores to be combined have different shapes: {[p.shape for p in parts]}")


def _check_factors(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    if len(left) != 2 or len(right) != 2 or left[1] != right[1]:
        raise ProofmatchError(
            f"statement vectors {left} and proof vectors {right} do not fit: "
            "give (statements, dim) and (proofs, dim)"
        )
