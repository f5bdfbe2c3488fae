"""Local and global decoding: every row's best column, or the best one-to-one matching."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from proofmatch.errors import ProofmatchError

from .assignment import dulmage_mendelsohn, solve_assignment, solve_dense_assignment
from .candidates import Candidates
from .scores import DenseScores, ScoreSource, map_blocks


@dataclass(frozen=True, eq=False)
class Matching:
    """A one-to-one matching of rows and columns."""

    columns: np.ndarray  # the column of each row, -1 for none
    total: float  # the sum of the matched pairs' scores

    @property
    def n_unmatched(self) -> int:
        """How many rows have no column."""
        return int(np.count_nonzero(self.columns < 0))


def match_locally(scores: np.ndarray | ScoreSource) -> np.ndarray:
    """Find the best column of each row; among equal scores the lowest, and -1 if there are no columns."""
    source = DenseScores(scores) if isinstance(scores, np.ndarray) else scores
    if source.shape[1] == 0:
        return np.full(source.shape[0], -1, dtype=np.int64)
    best = map_blocks(source, lambda _, block: block.argmax(axis=1))
    return np.concatenate([np.empty(0, dtype=np.int64), *best])


def match_globally(scores: ArrayLike) -> np.ndarray:
    """Match rows and columns of a matrix in memory one-to-one with the greatest total score.

    As many rows as possible are matched, and among such matchings the total is the greatest. The same matrix
    always gives the same matching; which one of several equally good ones is not specified.

    Args:
        scores: Score of each pair, (rows, columns), higher is better; -inf for a pair that is forbidden.

    Returns:
        The column of each row, -1 for a row that stays unmatched.
    """
    scores = np.asarray(scores, dtype=np.float64)
    if scores.ndim != 2:
        raise ProofmatchError(f"scores must be a matrix, one row per statement, not {scores.ndim}-D")
    if scores.size == 0:
        return np.full(scores.shape[0], -1, dtype=np.int64)
    if not scores.max() < np.inf:  # also true for NaN
        row, column = np.argwhere(~(scores < np.inf))[0]
        raise ProofmatchError(
            f"the score of row {row} and column {column} is {scores[row, column]}: "
            "give a number, or -inf for a pair that must not be matched"
        )
    if scores.min() > -np.inf:
        return solve_dense_assignment(scores)
    allowed = np.flatnonzero(scores > -np.inf)
    shape = (scores.shape[0], scores.shape[1])
    return match_candidates(Candidates.from_pairs(allowed, scores.ravel()[allowed], shape)).columns


def match_candidates(candidates: Candidates) -> Matching:
    """Match as many rows as the candidates allow, and among such matchings reach the greatest total score.

    Which of several equally good matchings is returned depends only on the listed pairs and their scores, not
    on the order of the lists.
    """
    candidates = candidates.sorted_by_column()
    columns = np.full(candidates.n_rows, -1, dtype=np.int64)
    for component in dulmage_mendelsohn(candidates):
        found = solve_assignment(component.candidates)
        columns[component.rows[found >= 0]] = component.columns[found[found >= 0]]
    chosen = columns[candidates.rows] == candidates.columns
    return Matching(columns, float(candidates.scores[chosen].sum(dtype=np.float64)))


def fill_unmatched(columns: np.ndarray, candidates: Candidates) -> np.ndarray:
    """Give every unmatched row its best candidate, which it then shares with another row.

    A prediction names a proof for every statement, but a matching may leave statements free: there may be
    more statements than proofs, or too few candidates.

    Args:
        columns: The column of each row in a maximum matching, -1 for none.
        candidates: The candidates of each row, best first, at least one.
    """
    return np.where(columns < 0, candidates.columns[candidates.starts[:-1]], columns)
