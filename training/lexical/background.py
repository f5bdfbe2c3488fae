"""Which training statements stand for all kinds of statements."""

import numpy as np


def background_rows(n_statements: int, size: int, seed: int) -> np.ndarray:
    """Draw some of the training statements, in their order.

    Args:
        n_statements: Of the training split.
        size: How many are wanted.
        seed: Of the draw.
    """
    return np.sort(np.random.default_rng(seed).permutation(n_statements)[:size])
