"""Moves of rows along cycles and paths that a solver has missed by its rounding errors."""

from math import fsum

import numpy as np

from .candidates import Candidates


def exchanged(
    candidates: Candidates, columns: np.ndarray, own: np.ndarray, causes: np.ndarray
) -> np.ndarray | None:
    """Move rows to the columns whose prices they raised, along cycles and up to free columns, if that gains.

    Args:
        candidates: The pairs.
        columns: The column of each row; all matched.
        own: The score of each row with it.
        causes: The pair that each column's price was last raised for, by its position; -1 for none.

    Returns:
        The better matching; None if no such move gains.
    """
    free = np.ones(candidates.n_columns, dtype=bool)
    free[columns] = False
    ends = np.flatnonzero((free & (causes >= 0)) | on_cycles(candidates, columns, causes))
    better, moved = columns.copy(), set()
    for end in ends.tolist():
        pairs, column = [], end
        while causes[column] >= 0 and len(pairs) <= len(columns):
            pairs.append(causes[column])
            column = columns[candidates.rows[causes[column]]]
            if column == end:
                break
        rows = candidates.rows[pairs]
        if len(pairs) > len(columns) or len(set(rows.tolist())) < len(rows) or moved & set(rows.tolist()):
            continue
        if fsum(np.concatenate([candidates.scores[pairs], -own[rows]])) > 0:
            better[rows] = candidates.columns[pairs]
            moved |= set(rows.tolist())
    return better if moved else None


def on_cycles(candidates: Candidates, columns: np.ndarray, causes: np.ndarray) -> np.ndarray:
    """Which columns owe their price, through the columns of the rows that raised it, to themselves."""
    before = np.arange(candidates.n_columns)
    raised = np.flatnonzero(causes >= 0)
    before[raised] = columns[candidates.rows[causes[raised]]]
    # After so many steps back one is on a cycle or at a column that was never raised.
    for _ in range(candidates.n_columns.bit_length()):
        before = before[before]
    cyclic = np.zeros(candidates.n_columns, dtype=bool)
    cyclic[before] = True
    return cyclic & (causes >= 0)
