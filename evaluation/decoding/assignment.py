"""Bipartite matching algorithms on candidates: maximum cardinality, and maximum weight (assignment)."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from proofmatch.ragged import starts_of

from .candidates import Candidates

_GREEDY_TRIES = 32


def solve_assignment(candidates: Candidates) -> np.ndarray:
    """Match every row, or every column if there are fewer, with the greatest total score.

    All solvers used are variants of Jonker–Volgenant. `lap` is the fastest for sparse square problems. For
    rectangular ones, which `lap` would pad to squares, and for complete ones SciPy is several times faster.

    Args:
        candidates: The allowed pairs, each row's sorted by column; such a matching must exist among them.

    Returns:
        The column of each row, -1 for none, as for all functions here.
    """
    if min(candidates.shape) == 0:
        return np.full(candidates.n_rows, -1, dtype=np.int64)
    if len(candidates.columns) == candidates.n_rows * candidates.n_columns:
        return _solve_complete(candidates.scores.reshape(candidates.shape))
    if candidates.n_rows == candidates.n_columns:
        return _solve_square(candidates)
    return _solve_rectangular(candidates)


def solve_dense_assignment(scores: np.ndarray) -> np.ndarray:
    """Match every row of a finite matrix, or every column if fewer, with the greatest total score."""
    import lap

    columns = lap.lapjv(_as_costs(scores), extend_cost=scores.shape[0] != scores.shape[1])[1]
    return columns.astype(np.int64)


def maximum_matching(candidates: Candidates) -> np.ndarray:
    """Find a maximum matching, regardless of scores; deterministic.

    SciPy's `maximum_bipartite_matching` takes exponential time if candidates are neighbours on a line.
    """
    search = _AugmentingSearch(
        candidates,
        np.full(candidates.n_rows, -1, dtype=np.int64),
        np.full(candidates.n_columns, -1, dtype=np.int64),
        np.bincount(candidates.columns, minlength=candidates.n_columns) > 0,
        np.random.default_rng(0),
    )
    search.match_greedily()
    while search.augment():
        pass
    return search.columns


def _as_costs(scores: np.ndarray) -> np.ndarray:
    """Costs in [0, 1] that order matchings of equal size as the scores do, in double precision.

    `lap` treats every cost above a million as infinite.
    """
    top, bottom = (float(end) for end in (scores.max(initial=-np.inf), scores.min(initial=np.inf)))
    # Scaling by a power of two is exact, so ties stay ties; halves, because the difference may overflow.
    _, exponent = np.frexp(top / 2 - bottom / 2)
    costs = np.multiply(scores, -0.5, dtype=np.float64)
    costs += top / 2
    return np.ldexp(costs, -exponent, out=costs)


def _solve_complete(scores: np.ndarray) -> np.ndarray:
    from scipy.optimize import linear_sum_assignment

    # Slower than `lap` on most problems, but much faster on those for which column generation ends up with
    # all pairs.
    columns = np.full(len(scores), -1, dtype=np.int64)
    rows, matched = linear_sum_assignment(_as_costs(scores))
    columns[rows] = matched
    return columns


def _solve_square(candidates: Candidates) -> np.ndarray:
    import lap

    costs, starts = _as_costs(candidates.scores), candidates.starts.astype(np.int32)
    listed = candidates.columns.astype(np.int32, copy=False)
    columns = lap.lapmod(candidates.n_rows, costs, starts, listed)[1]
    chosen = columns[candidates.rows] == candidates.columns
    if np.count_nonzero(chosen) != candidates.n_rows:
        # lapmod silently invents pairs if the graph has no perfect matching.
        raise RuntimeError("lap matched a pair that is not a candidate, though a perfect matching exists")
    return columns.astype(np.int64)


def _solve_rectangular(candidates: Candidates) -> np.ndarray:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    if candidates.n_rows > candidates.n_columns:
        columns = np.full(candidates.n_rows, -1, dtype=np.int64)
        columns[_solve_rectangular(candidates.transposed())] = np.arange(candidates.n_columns)
        return columns
    # SciPy first looks for any full matching, row by row, which may take exponential time. With columns
    # renumbered so that pair (i, i) exists for every row i, it finds that matching at once.
    some = maximum_matching(candidates)
    old_columns = np.concatenate([some, np.setdiff1d(np.arange(candidates.n_columns), some)])
    new_columns = np.argsort(old_columns)
    renumbered = Candidates.from_pairs(
        candidates.rows.astype(np.int64) * candidates.n_columns + new_columns[candidates.columns],
        candidates.scores,
        candidates.shape,
    )
    # SciPy treats a cost of zero as a missing pair, hence the smallest positive number.
    costs = np.maximum(_as_costs(renumbered.scores), np.finfo(np.float64).tiny)
    graph = csr_array((costs, renumbered.columns, renumbered.starts), shape=candidates.shape)
    return old_columns[min_weight_full_bipartite_matching(graph)[1]]


@dataclass(eq=False)
class _AugmentingSearch:
    """A matching that grows along augmenting paths, searched breadth-first from all free rows at once."""

    candidates: Candidates
    columns: np.ndarray  # the column of each row, -1 for none
    owners: np.ndarray  # the row of each column, -1 for none
    listed: np.ndarray  # whether a column is in any list
    # Random choices spread rows with equal lists over their columns; else one tree would take all of them.
    generator: np.random.Generator

    def match_greedily(self) -> None:
        """Let free rows try random columns of their lists, which is cheaper than scanning whole lists."""
        starts, lengths = self.candidates.starts[:-1], np.diff(self.candidates.starts)
        rows = np.flatnonzero(lengths)
        for _ in range(_GREEDY_TRIES if len(rows) else 0):
            tried = starts[rows] + (self.generator.random(len(rows)) * lengths[rows]).astype(np.int64)
            heads = self.candidates.columns[tried]
            free = self.owners[heads] < 0
            heads = _assign_randomly(self.owners, heads[free], rows[free], self.generator)
            self.columns[self.owners[heads]] = heads
            rows = rows[self.columns[rows] < 0]

    def augment(self) -> bool:
        """Grow a forest from the free rows, and augment along the path of each tree that finds a free column.

        Every row and column is in at most one tree, so the paths are disjoint. Until the first tree ends, the
        forest contains everything that can be reached: if no tree ends, the matching is maximum, and False is
        returned.
        """
        frontier = np.flatnonzero(self.columns < 0)
        roots = np.full(len(self.columns), -1, dtype=np.int64)
        roots[frontier] = frontier
        parents = np.full(len(self.owners), -1, dtype=np.int64)
        ends = np.full(len(self.columns), -1, dtype=np.int64)
        n_free = np.count_nonzero(self.listed & (self.owners < 0))
        while len(frontier) and n_free:
            positions, lengths = self.candidates.positions_of_rows(frontier)
            heads = self.candidates.columns[positions]
            new = parents[heads] < 0
            heads, tails = heads[new], np.repeat(frontier, lengths)[new]
            free = self.owners[heads] < 0
            n_free -= self._end_trees(tails[free], heads[free], roots, parents, ends)
            growing = ~free & (ends[roots[tails]] < 0)
            heads = _assign_randomly(parents, heads[growing], tails[growing], self.generator)
            frontier = self.owners[heads]
            roots[frontier] = roots[parents[heads]]
        self._flip_paths(ends[ends >= 0], parents)
        return bool((ends >= 0).any())

    def _end_trees(
        self, tails: np.ndarray, heads: np.ndarray, roots: np.ndarray, parents: np.ndarray, ends: np.ndarray
    ) -> int:
        """Give as many trees as possible a free column of their own to end at, and count them."""
        n_ended = 0
        while len(heads):
            choice = np.full(len(roots), -1, dtype=np.int64)
            trees = _assign_randomly(choice, roots[tails], np.arange(len(tails)), self.generator)
            chosen = choice[trees]
            ended = _assign_randomly(parents, heads[chosen], tails[chosen], self.generator)
            ends[roots[parents[ended]]] = ended
            n_ended += len(ended)
            remaining = (ends[roots[tails]] < 0) & (parents[heads] < 0)
            tails, heads = tails[remaining], heads[remaining]
        return n_ended

    def _flip_paths(self, heads: np.ndarray, parents: np.ndarray) -> None:
        """Swap matched and unmatched pairs along the paths that end at the given columns."""
        while len(heads):
            rows = parents[heads]
            previous = self.columns[rows]
            self.columns[rows], self.owners[heads] = heads, rows
            heads = previous[previous >= 0]


def _assign_randomly(
    target: np.ndarray, keys: np.ndarray, values: np.ndarray, generator: np.random.Generator
) -> np.ndarray:
    """Set `target` at each key to one of the key's values, and return the distinct keys in order."""
    order = generator.permutation(len(keys))
    target[keys[order]] = values[order]
    present = np.zeros(len(target), dtype=bool)
    present[keys] = True
    return np.flatnonzero(present)


@dataclass(frozen=True, eq=False)
class Component:
    """Rows and columns that every maximum matching matches among themselves, the smaller side completely."""

    rows: np.ndarray  # ascending
    columns: np.ndarray  # ascending
    candidates: Candidates  # the pairs of the two, renumbered within the component


def dulmage_mendelsohn(candidates: Candidates) -> Iterator[Component]:
    """Decompose a graph, its lists sorted by column, so that its best matching has one per component.

    A maximum matching leaves rows free in the component with more rows than columns, and columns free in the
    one with more columns; the third is square. No maximum matching has a pair across components. So matchings
    can be made as large as possible first and as good as possible second without any penalty terms.
    """
    matched = maximum_matching(candidates)
    n_rows, n_columns = candidates.shape
    free_columns = np.setdiff1d(np.arange(n_columns), matched)
    if len(free_columns) == max(0, n_columns - n_rows):
        yield Component(np.arange(n_rows), np.arange(n_columns), candidates)
        return
    # Unmatched and matched pairs alternate along a path from a free row or column.
    inside = matched[candidates.rows] == candidates.columns
    row_nodes, column_nodes = candidates.rows, candidates.columns + np.int32(n_rows)
    tails = np.where(inside, column_nodes, row_nodes)
    heads = np.where(inside, row_nodes, column_nodes)
    label = np.zeros(n_rows + n_columns, dtype=np.int64)
    label[_reachable(tails, heads, np.flatnonzero(matched < 0), len(label))] = 1
    label[_reachable(heads, tails, free_columns + n_rows, len(label))] = 2
    for number in range(3):
        component = _induced(candidates, label[:n_rows] == number, label[n_rows:] == number)
        if len(component.rows) and len(component.columns):
            yield component


def _reachable(tails: np.ndarray, heads: np.ndarray, sources: np.ndarray, n_nodes: int) -> np.ndarray:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order

    # One additional node with an arc to every source.
    tails = np.concatenate([tails, np.full(len(sources), n_nodes)])
    heads = np.concatenate([heads, sources])
    graph = csr_array((np.ones(len(tails), dtype=np.int8), (tails, heads)), shape=(n_nodes + 1, n_nodes + 1))
    return breadth_first_order(graph, n_nodes, return_predecessors=False)[1:]


def _induced(candidates: Candidates, in_rows: np.ndarray, in_columns: np.ndarray) -> Component:
    rows, columns = np.flatnonzero(in_rows), np.flatnonzero(in_columns)
    kept = in_rows[candidates.rows] & in_columns[candidates.columns]
    lengths = np.bincount(candidates.rows[kept], minlength=candidates.n_rows)[rows]
    new_columns = (np.cumsum(in_columns) - 1).astype(np.int32)  # in the order of the old ones
    listed = Candidates(
        starts_of(lengths), new_columns[candidates.columns[kept]], candidates.scores[kept], len(columns)
    )
    return Component(rows, columns, listed)
