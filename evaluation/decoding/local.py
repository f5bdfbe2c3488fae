"""Local decoding: every row takes its best column, whatever the others take."""

import numpy as np

from .blocks import map_blocks
from .sources import DenseScores, ScoreSource


def match_locally(scores: np.ndarray | ScoreSource) -> np.ndarray:
    """Find the best column of each row, of equal scores the lowest column.

    Args:
        scores: A matrix, or a source of scores that need not fit in memory; all finite.

    Returns:
        The column of each row, -1 if there are no columns.
    """
    source = DenseScores(scores) if isinstance(scores, np.ndarray) else scores
    if source.shape[1] == 0:
        return np.full(source.shape[0], -1, dtype=np.int64)
    best = map_blocks(source, lambda _, block: block.argmax(axis=1))
    return np.concatenate([np.empty(0, dtype=np.int64), *best])
