"""All scores of a source, a block of rows at a time, several blocks at once."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np

from proofmatch.errors import ProofmatchError

from .sources import ScoreSource

Result = TypeVar("Result")

_SCORES_PER_BLOCK = 2**23  # 32 MB in single precision
_MOST_BLOCKS_AT_ONCE = 4


def map_blocks(
    source: ScoreSource, work: Callable[[int, np.ndarray], Result], scores_per_block: int | None = None
) -> Iterator[Result]:
    """Do something with every block of scores and yield what comes out, in order.

    The blocks depend on the shape alone: a product's last digits differ from one block shape to another.

    Args:
        source: The scores; what is not finite is refused.
        work: Takes the block's first row and its scores, and does not write to them. Runs in threads: NumPy
            computes outside of the interpreter's lock.
        scores_per_block: About how many scores a block has, where the usual number does not suit the work.
    """
    n_rows, n_columns = source.shape
    height = max(1, (scores_per_block or _SCORES_PER_BLOCK) // max(1, n_columns))

    def one(start: int) -> Result:
        stop = min(start + height, n_rows)
        return work(start, _checked(source.block(start, stop), start, (stop - start, n_columns)))

    starts = range(0, n_rows, height)
    workers = min(len(starts), os.cpu_count() or 1, _MOST_BLOCKS_AT_ONCE)
    if workers <= 1:
        yield from map(one, starts)
        return
    with ThreadPoolExecutor(workers) as pool:
        try:
            yield from pool.map(one, starts)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _checked(scores: np.ndarray, start: int, shape: tuple[int, int]) -> np.ndarray:
    if scores.shape != shape:
        raise ProofmatchError(f"a block of scores has shape {scores.shape} where {shape} was asked for")
    if scores.dtype not in (np.float32, np.float64):
        scores = scores.astype(np.float64)
    # Minimum and maximum are NaN if anything is, and cheaper than a test of every score.
    if scores.size and not (np.isfinite(scores.min()) and np.isfinite(scores.max())):
        row, column = np.argwhere(~np.isfinite(scores))[0]
        raise ProofmatchError(
            f"the score of row {start + row} and column {column} is {scores[row, column]}: "
            "scores must be finite"
        )
    return scores
