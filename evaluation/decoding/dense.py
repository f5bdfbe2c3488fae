"""Global decoding of a score matrix in memory."""

import numpy as np
from numpy.typing import ArrayLike

from proofmatch.errors import ProofmatchError

from .candidates import Candidates
from .pruned import match_candidates
from .solver import match_matrix


def match_globally(scores: ArrayLike) -> np.ndarray:
    """Match rows and columns one-to-one with the greatest total score.

    As many rows as possible are matched, and among such matchings the total is the greatest. The same matrix
    always gives the same matching; which one of several equally good ones is not specified.

    Args:
        scores: Score of each pair, (rows, columns), higher is better; -inf for a pair that is forbidden.

    Returns:
        The column of each row, -1 for a row that none is left for.
    """
    scores = np.asarray(scores, dtype=np.float64)
    if scores.ndim != 2:
        raise ProofmatchError(f"scores must be a matrix, one row a statement, not {scores.ndim}-D")
    columns = np.full(scores.shape[0], -1, dtype=np.int64)
    if scores.size == 0:
        return columns
    if not scores.max() < np.inf:  # true for NaN, too
        row, column = np.argwhere(~(scores < np.inf))[0]
        raise ProofmatchError(
            f"the score of row {row} and column {column} is {scores[row, column]}: "
            "give a number, or -inf for a pair that must not be matched"
        )
    if scores.min() == -np.inf:
        return match_candidates(_allowed(scores)).columns
    return match_matrix(scores)


def _allowed(scores: np.ndarray) -> Candidates:
    pairs = np.flatnonzero(scores > -np.inf)
    return Candidates.from_pairs(pairs, scores.ravel()[pairs], (scores.shape[0], scores.shape[1]))
