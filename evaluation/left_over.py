"""What becomes of statements that a one-to-one matching leaves without a proof.

A prediction has to name a proof for every statement, and a matching cannot always: there may be more
statements than proofs, or their candidates may be too few.
"""

import numpy as np

from .decoding.candidates import Candidates


def serve_all(columns: np.ndarray, candidates: Candidates) -> np.ndarray:
    """Give every row a column: its best candidate that no other row has, and if there is none its best one.

    Args:
        columns: The column of each row, -1 for none.
        candidates: The candidates of each row, best first.

    Returns:
        The columns, the given ones unchanged.
    """
    served, taken = columns.copy(), set(columns[columns >= 0].tolist())
    for row in np.flatnonzero(columns < 0):
        listed = candidates.columns[candidates.starts[row] : candidates.starts[row + 1]].tolist()
        served[row] = next((column for column in listed if column not in taken), listed[0])
        taken.add(int(served[row]))
    return served
