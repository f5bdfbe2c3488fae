"""Calibration of searches: from scores to the probability that a hit is the proof of the statement.

A statement whose proof is not in the corpus has hits, too, and their scores can be high. A logistic
regression on the validation split learns to tell right hits from wrong ones, by the score of a hit and by how
far it is above the others. Each statement counts twice: with its proof among the candidates, and without.
"""

from collections.abc import Sequence

import numpy as np
from scipy.special import expit, logsumexp

from ..evaluation.decoding.scores import ScoreSource, map_blocks

# The number of best hits of a statement that a hit is compared with.
N_HITS = 100

_LEARNED_FROM = 3  # of these hits, the best ones
_MIN_STATEMENTS = 10


def calibrate(scores: ScoreSource, gold: np.ndarray) -> list[float] | None:
    """Learn to tell right hits from wrong ones.

    Args:
        scores: The scores of all statements and proofs of the validation split.
        gold: For each statement the position of its proof.

    Returns:
        The coefficients for `confidences`; None if there are too few statements, or only right or wrong hits.
    """
    from sklearn.linear_model import LogisticRegression

    if len(gold) < _MIN_STATEMENTS:
        return None

    def examples(start: int, block: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        inputs, labels = [], []
        for row, proof in zip(block, gold[start:], strict=False):
            best = np.argsort(-row, kind="stable")[: N_HITS + 1]
            for hits in (best[:N_HITS], best[best != proof][:N_HITS]):
                inputs.append(_inputs(row[hits])[:_LEARNED_FROM])
                labels.append(hits[:_LEARNED_FROM] == proof)
        return np.concatenate(inputs), np.concatenate(labels)

    parts = list(map_blocks(scores, examples))
    inputs, labels = (np.concatenate(part) for part in zip(*parts, strict=True))
    if labels.all() or not labels.any():
        return None
    fitted = LogisticRegression(C=10.0).fit(inputs, labels)
    return [float(fitted.intercept_[0]), *map(float, fitted.coef_[0])]


def confidences(calibration: Sequence[float], scores: np.ndarray) -> np.ndarray:
    """Estimate the probability that each hit is the proof of the statement.

    Args:
        calibration: From `calibrate`.
        scores: The scores of the best hits, best first.
    """
    intercept, *weights = calibration
    return expit(intercept + _inputs(scores) @ np.asarray(weights))


def _inputs(scores: np.ndarray) -> np.ndarray:
    """Describe hits: the score, and its logarithm in a softmax over the hits, (hits, 2)."""
    scores = np.asarray(scores, dtype=np.float64)
    return np.stack([scores, scores - logsumexp(scores[:N_HITS])], axis=1)
