"""The assignment solver under all sparse matchings: SciPy's Jonker-Volgenant.

`lap.lapmod`, the paper's solver, takes about as long on square problems and up to eight times as long
on oblong ones made square, and where a graph has no full matching it answers with pairs outside of it.
"""

import numpy as np

from .candidates import Candidates


def match_smaller_side(candidates: Candidates) -> np.ndarray:
    """Match every row, or every column if there are fewer, with the greatest total score.

    Args:
        candidates: The pairs allowed; a matching of that kind must exist among them.

    Returns:
        The column of each row, -1 for none.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    columns = np.full(candidates.n_rows, -1, dtype=np.int64)
    if min(candidates.n_rows, candidates.n_columns) == 0:
        return columns
    # The solver takes a cost of zero for a missing pair, hence costs from 1 to 2.
    graph = csr_array(
        (as_costs(candidates.scores) + 1, candidates.columns, candidates.starts),
        shape=(candidates.n_rows, candidates.n_columns),
    )
    rows, matched = min_weight_full_bipartite_matching(graph)
    columns[rows] = matched
    return columns


def as_costs(scores: np.ndarray) -> np.ndarray:
    """Costs between 0 and 1 that order matchings of one size as the scores do, in double precision."""
    scores = np.asarray(scores, dtype=np.float64)
    top, bottom = scores.max(initial=-np.inf), scores.min(initial=np.inf)
    # A power of two changes no digit, so that ties stay ties; halves, because the difference may overflow.
    _, exponent = np.frexp(top / 2 - bottom / 2)
    return np.ldexp(top / 2 - scores / 2, -exponent)
