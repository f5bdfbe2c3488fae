"""The best columns of each row, from scores that need not fit in memory."""

from math import ceil, sqrt

import numpy as np

from proofmatch.errors import ProofmatchError

from .blocks import map_blocks
from .candidates import Candidates
from .sources import ScoreSource

DEFAULT_K = 500

_SAMPLED = 16  # one column in this many tells about where the k-th best score lies


def best_candidates(source: ScoreSource, k: int = DEFAULT_K) -> Candidates:
    """Find the `k` best columns of each row, best first, of equal scores the lower column first.

    Memory for one block of scores a thread and for the result is all it takes.

    Args:
        source: The scores.
        k: How many columns a row; all of them if there are no more.
    """
    if k < 1:
        raise ProofmatchError(f"at least one candidate a statement is needed, not {k}")
    n_rows, n_columns = source.shape
    k = min(k, n_columns)

    def best(_: int, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        columns = best_columns(scores, k)
        return columns, np.take_along_axis(scores, columns, axis=1)

    found = list(map_blocks(source, best))
    if not found or not k:
        return Candidates.from_arrays(np.empty((n_rows, 0), np.int64), np.empty((n_rows, 0)), n_columns)
    columns, scores = zip(*found, strict=True)
    return Candidates.from_arrays(np.concatenate(columns), np.concatenate(scores), n_columns, trusted=True)


def best_columns(scores: np.ndarray, k: int) -> np.ndarray:
    """The `k` best columns of each row of a matrix, best first, of equals the lower first: (rows, k)."""
    sample = scores[:, ::_SAMPLED]
    expected = k / _SAMPLED
    position = sample.shape[1] - ceil(expected + 2 * sqrt(expected) + 2)
    if position <= sample.shape[1] // 4:
        return np.argsort(-scores, axis=1, kind="stable")[:, :k]
    # Most of a row lies below a score that very likely lets k through; looking for it in a sample and sorting
    # only what passes takes a fraction of the time of argpartition.
    floors = np.partition(sample, position, axis=1)[:, position]
    rows, columns = np.divmod(np.flatnonzero(scores >= floors[:, None]), scores.shape[1])
    counts = np.bincount(rows, minlength=len(scores))
    fit = (counts >= k) & (counts <= 4 * (sample.shape[1] - position) * _SAMPLED)
    kept = fit[rows]
    best = _first_of_rows(scores, rows[kept], columns[kept], k)
    for row in np.flatnonzero(~fit):  # many equal scores, or a sample that misled
        best[row] = _best_of_row(scores[row], k)
    return best


def _first_of_rows(scores: np.ndarray, rows: np.ndarray, columns: np.ndarray, k: int) -> np.ndarray:
    """Of the pairs given row by row, the `k` best columns of each row; nonsense where a row has none."""
    counts = np.bincount(rows, minlength=len(scores))
    places = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    width = max(k, counts.max(initial=0))
    chosen = scores[rows, columns]
    if scores.dtype == np.float32:
        # Score and column in one integer that sorts as we want: several times faster than an argsort.
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
    """Unsigned integers in the opposite order of the numbers in single precision."""
    bits = (scores + np.float32(0)).view(np.uint32)  # the sum makes -0 the 0 that it equals
    return np.where(bits >> 31, bits, ~bits & np.uint32(0x7FFFFFFF))


def _best_of_row(scores: np.ndarray, k: int) -> np.ndarray:
    last = np.partition(scores, len(scores) - k)[len(scores) - k]
    above = np.flatnonzero(scores > last)
    equal = np.flatnonzero(scores == last)[: k - len(above)]
    return np.concatenate([above[np.argsort(-scores[above], kind="stable")], equal])
