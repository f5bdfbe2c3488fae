"""Which rows and columns can be matched together when not all can: the Dulmage-Mendelsohn decomposition."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .candidates import Candidates
from .largest import largest_matching


@dataclass(frozen=True, eq=False)
class Part:
    """Rows and columns that every largest matching matches among themselves, the smaller side fully.

    Attributes:
        rows: The rows, in order.
        columns: The columns, in order.
        candidates: The pairs of the two, numbered within the part.
    """

    rows: np.ndarray
    columns: np.ndarray
    candidates: Candidates


def split_into_parts(candidates: Candidates) -> Iterator[Part]:
    """Split a graph so that the best largest matching is made of one in each part.

    A largest matching leaves rows free in a part with more rows than columns, and columns free in one with
    more columns; the third part is square. No pair across parts is in any largest matching, so that no
    penalty is needed for making a matching as large as possible before it is made as good as possible.
    """
    matched = largest_matching(candidates)
    n_rows, n_columns = candidates.n_rows, candidates.n_columns
    free_columns = np.setdiff1d(np.arange(n_columns), matched)
    if len(free_columns) == max(0, n_columns - n_rows):
        yield Part(np.arange(n_rows), np.arange(n_columns), candidates)
        return
    # Along a path from a free row or column, pairs outside and inside of the matching alternate.
    inside = matched[candidates.rows] == candidates.columns
    row_nodes, column_nodes = candidates.rows, candidates.columns + n_rows
    tails = np.where(inside, column_nodes, row_nodes)
    heads = np.where(inside, row_nodes, column_nodes)
    label = np.zeros(n_rows + n_columns, dtype=np.int64)
    label[_reachable(tails, heads, np.flatnonzero(matched < 0), len(label))] = 1
    label[_reachable(heads, tails, free_columns + n_rows, len(label))] = 2
    for number in range(3):
        part = _part(candidates, label[:n_rows] == number, label[n_rows:] == number)
        if len(part.rows) and len(part.columns):
            yield part


def _reachable(tails: np.ndarray, heads: np.ndarray, sources: np.ndarray, n_nodes: int) -> np.ndarray:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order

    # One node more, from which an arc leads to every source.
    tails = np.concatenate([tails, np.full(len(sources), n_nodes)])
    heads = np.concatenate([heads, sources])
    graph = csr_array((np.ones(len(tails), dtype=np.int8), (tails, heads)), shape=(n_nodes + 1, n_nodes + 1))
    return breadth_first_order(graph, n_nodes, return_predecessors=False)[1:]


def _part(candidates: Candidates, in_rows: np.ndarray, in_columns: np.ndarray) -> Part:
    rows, columns = np.flatnonzero(in_rows), np.flatnonzero(in_columns)
    kept = in_rows[candidates.rows] & in_columns[candidates.columns]
    new_rows, new_columns = np.cumsum(in_rows) - 1, np.cumsum(in_columns) - 1
    pairs = new_rows[candidates.rows[kept]] * len(columns) + new_columns[candidates.columns[kept]]
    return Part(
        rows, columns, Candidates.from_pairs(pairs, candidates.scores[kept], (len(rows), len(columns)))
    )
