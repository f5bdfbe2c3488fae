"""What becomes of statements that a one-to-one matching leaves without a proof.

A prediction has to name a proof for every statement, and a matching cannot always: there may be more
statements than proofs, or their candidates may be too few.
"""

import numpy as np

from .decoding.candidates import Candidates


def serve_all(columns: np.ndarray, candidates: Candidates) -> np.ndarray:
    """Give every row a column: those without one their best candidate, which another row has, too.

    Args:
        columns: The column of each row in a matching that is as large as can be, -1 for none.
        candidates: The candidates of each row, best first, at least one.

    Returns:
        The columns, the given ones unchanged.
    """
    return np.where(columns < 0, candidates.columns[candidates.starts[:-1]], columns)
