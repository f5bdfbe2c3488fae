"""The assignment solvers under all matchings: `lap` for square problems, SciPy for oblong and complete ones.

Both are Jonker–Volgenant. `lap` is the faster one where there are as many rows as columns; oblong problems
made square take it several times as long as they take SciPy.
"""

import numpy as np

from .candidates import Candidates
from .largest import largest_matching


def match_smaller_side(candidates: Candidates) -> np.ndarray:
    """Match every row, or every column if there are fewer, with the greatest total score.

    Args:
        candidates: The pairs allowed, each row's by column; a matching of that kind must exist among them.

    Returns:
        The column of each row, -1 for none.
    """
    if min(candidates.n_rows, candidates.n_columns) == 0:
        return np.full(candidates.n_rows, -1, dtype=np.int64)
    if len(candidates.columns) == candidates.n_rows * candidates.n_columns:
        return _match_all(candidates.scores.reshape(candidates.n_rows, candidates.n_columns))
    if candidates.n_rows == candidates.n_columns:
        return _match_square(candidates)
    return _match_oblong(candidates)


def match_matrix(scores: np.ndarray) -> np.ndarray:
    """Match every row of a finite matrix, or every column if there are fewer, with the greatest total score.

    Returns:
        The column of each row, -1 for none.
    """
    import lap

    columns = lap.lapjv(as_costs(scores), extend_cost=scores.shape[0] != scores.shape[1])[1]
    return columns.astype(np.int64)


def as_costs(scores: np.ndarray) -> np.ndarray:
    """Costs between 0 and 1 that order matchings of one size as the scores do, in double precision.

    `lap` takes anything above a million for infinity.
    """
    scores = np.asarray(scores, dtype=np.float64)
    top, bottom = scores.max(initial=-np.inf), scores.min(initial=np.inf)
    # A power of two changes no digit, so that ties stay ties; halves, because the difference may overflow.
    _, exponent = np.frexp(top / 2 - bottom / 2)
    return np.ldexp(top / 2 - scores / 2, -exponent)


def _match_all(scores: np.ndarray) -> np.ndarray:
    from scipy.optimize import linear_sum_assignment

    # Slower than `lap` on most problems, but many times as fast on those that make exact matching ask for all
    # pairs.
    columns = np.full(len(scores), -1, dtype=np.int64)
    rows, matched = linear_sum_assignment(as_costs(scores))
    columns[rows] = matched
    return columns


def _match_square(candidates: Candidates) -> np.ndarray:
    import lap

    costs, starts = as_costs(candidates.scores), candidates.starts.astype(np.int32)
    columns = lap.lapmod(candidates.n_rows, costs, starts, candidates.columns.astype(np.int32))[1]
    chosen = columns[candidates.rows] == candidates.columns
    if np.count_nonzero(chosen) != candidates.n_rows:
        # What it does without a word where a graph has no full matching.
        raise RuntimeError(
            "the solver left the candidates, which must not happen where they can all be matched"
        )
    return columns.astype(np.int64)


def _match_oblong(candidates: Candidates) -> np.ndarray:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    if candidates.n_rows > candidates.n_columns:
        columns = np.full(candidates.n_rows, -1, dtype=np.int64)
        columns[_match_oblong(candidates.transposed())] = np.arange(candidates.n_columns)
        return columns
    # The solver first looks for any full matching, row by row, and on some graphs for ever. If row i can have
    # column i it finds one at once, because the columns before are taken by the rows before.
    some = largest_matching(candidates)
    old_columns = np.concatenate([some, np.setdiff1d(np.arange(candidates.n_columns), some)])
    new_columns = np.argsort(old_columns)
    renamed = Candidates.from_pairs(
        candidates.rows * candidates.n_columns + new_columns[candidates.columns],
        candidates.scores,
        (candidates.n_rows, candidates.n_columns),
    )
    # The solver takes a cost of zero for a missing pair, hence the least cost that is not.
    costs = np.maximum(as_costs(renamed.scores), np.finfo(np.float64).tiny)
    graph = csr_array(
        (costs, renamed.columns, renamed.starts),
        shape=(candidates.n_rows, candidates.n_columns),
    )
    return old_columns[min_weight_full_bipartite_matching(graph)[1]]
