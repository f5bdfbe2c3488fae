"""A matching of the greatest size, whatever the scores: alternating paths, grown from all free rows at once.

SciPy has `maximum_bipartite_matching`, but takes exponential time where candidates are neighbours on a line.
"""

from dataclasses import dataclass

import numpy as np

from .candidates import Candidates

_FIRST_TRIES = 32


def largest_matching(candidates: Candidates) -> np.ndarray:
    """The column of each row in some matching of the greatest size, -1 for none; the same each time."""
    search = _Search(
        candidates,
        np.full(candidates.n_rows, -1, dtype=np.int64),
        np.full(candidates.n_columns, -1, dtype=np.int64),
        np.bincount(candidates.columns, minlength=candidates.n_columns) > 0,
        np.random.default_rng(0),
    )
    search.begin()
    while search.enlarge():
        pass
    return search.columns


def pairs_of_rows(starts: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the given rows' pairs, and how many each row has."""
    if len(rows) == len(starts) - 1:
        return np.arange(starts[-1]), np.diff(starts)
    lengths = starts[rows + 1] - starts[rows]
    ends = np.cumsum(lengths)
    offsets = np.repeat(starts[rows] - ends + lengths, lengths)
    return np.arange(len(offsets)) + offsets, lengths


@dataclass(eq=False)
class _Search:
    """A matching that grows.

    Attributes:
        candidates: The pairs allowed.
        columns: The column of each row, -1 for none.
        owners: The row of each column, -1 for none.
        listed: Whether a column is in any list.
        generator: Chance spreads what rows with equal lists reach for; in order, one would get everything.
    """

    candidates: Candidates
    columns: np.ndarray
    owners: np.ndarray
    listed: np.ndarray
    generator: np.random.Generator

    def begin(self) -> None:
        """Let free rows try columns of their lists by chance, quicker than a look at whole lists."""
        starts, lengths = self.candidates.starts[:-1], np.diff(self.candidates.starts)
        rows = np.flatnonzero(lengths)
        for _ in range(_FIRST_TRIES if len(rows) else 0):
            tried = starts[rows] + (self.generator.random(len(rows)) * lengths[rows]).astype(np.int64)
            heads = self.candidates.columns[tried]
            free = self.owners[heads] < 0
            heads = _leave_to_chance(self.owners, heads[free], rows[free], self.generator)
            self.columns[self.owners[heads]] = heads
            rows = rows[self.columns[rows] < 0]

    def enlarge(self) -> bool:
        """Grow a forest from the free rows, and match each tree that reaches a free column along its path.

        Every row and column is in one tree at most, so that paths of two trees never meet. Until the first
        tree ends, the forest is all that can be reached: where no tree ends, no larger matching exists.
        """
        frontier = np.flatnonzero(self.columns < 0)
        roots = np.full(len(self.columns), -1, dtype=np.int64)
        roots[frontier] = frontier
        parents = np.full(len(self.owners), -1, dtype=np.int64)
        ends = np.full(len(self.columns), -1, dtype=np.int64)
        n_left = np.count_nonzero(self.listed & (self.owners < 0))
        while len(frontier) and n_left:
            pairs, lengths = pairs_of_rows(self.candidates.starts, frontier)
            heads = self.candidates.columns[pairs]
            new = parents[heads] < 0
            heads, tails = heads[new], np.repeat(frontier, lengths)[new]
            free = self.owners[heads] < 0
            n_left -= self._end_trees(tails[free], heads[free], roots, parents, ends)
            growing = ~free & (ends[roots[tails]] < 0)
            heads = _leave_to_chance(parents, heads[growing], tails[growing], self.generator)
            frontier = self.owners[heads]
            roots[frontier] = roots[parents[heads]]
        self._augment(ends[ends >= 0], parents)
        return bool((ends >= 0).any())

    def _end_trees(
        self, tails: np.ndarray, heads: np.ndarray, roots: np.ndarray, parents: np.ndarray, ends: np.ndarray
    ) -> int:
        """Give as many trees as possible a free column of their own to end at, and say how many."""
        n_ended = 0
        while len(heads):
            choice = np.full(len(roots), -1, dtype=np.int64)
            trees = _leave_to_chance(choice, roots[tails], np.arange(len(tails)), self.generator)
            chosen = choice[trees]
            ended = _leave_to_chance(parents, heads[chosen], tails[chosen], self.generator)
            ends[roots[parents[ended]]] = ended
            n_ended += len(ended)
            left = (ends[roots[tails]] < 0) & (parents[heads] < 0)
            tails, heads = tails[left], heads[left]
        return n_ended

    def _augment(self, heads: np.ndarray, parents: np.ndarray) -> None:
        while len(heads):
            rows = parents[heads]
            left = self.columns[rows]
            self.columns[rows], self.owners[heads] = heads, rows
            heads = left[left >= 0]


def _leave_to_chance(
    holders: np.ndarray, keys: np.ndarray, values: np.ndarray, generator: np.random.Generator
) -> np.ndarray:
    """Set for each key one of the values that come with it, and return the keys, each once, in order."""
    order = generator.permutation(len(keys))
    holders[keys[order]] = values[order]
    present = np.zeros(len(holders), dtype=bool)
    present[keys] = True
    return np.flatnonzero(present)
