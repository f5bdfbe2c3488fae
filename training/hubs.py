"""Proofs that are near to everything: how near a proof is to statements that it does not prove.

Some proofs, of general content, have high scores for many statements. Their scores for a sample of training
statements tell which, without a look at the other proofs or statements of a task; part of that is taken away.
"""

import numpy as np

from .vectors import TextVectors, scores_of

_PROOFS = 2048  # compared with the background at a time


def hub_scores(background: TextVectors, proofs: TextVectors, n_nearest: int) -> np.ndarray:
    """Take the mean of each proof's highest scores for background statements, (proofs).

    Args:
        background: Vectors of statements.
        proofs: Vectors of proofs.
        n_nearest: How many statements the mean is over.
    """
    n_nearest = min(n_nearest, len(background))
    means = np.zeros(len(proofs), dtype=np.float32)
    if n_nearest == 0:
        return means
    for start in range(0, len(proofs), _PROOFS):
        some = slice(start, start + _PROOFS)
        scores = scores_of(background, proofs[some]).block(0, len(background))
        means[some] = np.partition(scores, -n_nearest, axis=0)[-n_nearest:].mean(axis=0)
    return means


def without_hubs(
    vectors: TextVectors, side: str, background: TextVectors | None, weight: float, n_nearest: int
) -> TextVectors:
    """Add the dimension that takes from every score the proof's nearness to all kinds of statements."""
    if side == "statement" or background is None:
        return vectors.beside(np.ones((len(vectors), 1)))
    return vectors.beside(-weight * hub_scores(background, vectors, n_nearest)[:, None])
