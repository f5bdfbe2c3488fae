"""Dual variables that prove a matching among candidates optimal.

With a dual variable u for each row and v for each column, the reduced cost of a pair is score − u − v. Duals
are feasible if no reduced cost is positive. If moreover the reduced cost of every matched pair is 0, and the
dual of everything unmatched is 0 (complementary slackness), the matching is optimal.
"""

from dataclasses import dataclass
from math import fsum

import numpy as np

from ..assignment import solve_assignment
from ..candidates import Candidates

_EPSILON = float(np.finfo(np.float64).eps)
# A reduced cost of fewer rounding errors than this counts as 0. If duals still rise without end, as they do
# around a cycle of equal scores where all rounding errors are positive, the next tolerance is tried.
_TOLERANCES = (4, 32, 256, 4096)
_MAX_AUGMENTATIONS = 1000
_MUCH_WORSE = 100  # times as bad as the median column
_FULL_PASSES = 16  # over all rows at once; after those, paths are assumed to be long and rows come one by one


class NotOptimalError(RuntimeError):
    """No dual variables prove the matching optimal."""


@dataclass(frozen=True, eq=False)
class PrimalDual:
    """A matching that is optimal among some pairs, and the dual variables that prove it."""

    columns: np.ndarray  # the column of each row, -1 for none
    row_duals: np.ndarray  # the dual variable of each row
    column_duals: np.ndarray  # the dual variable of each column
    tolerance: float  # how many rounding errors the reduced cost of a pair may amount to

    def matched_scores(self, candidates: Candidates) -> np.ndarray:
        """The scores of the matched pairs."""
        return candidates.scores[self.columns[candidates.rows] == candidates.columns].astype(np.float64)


def rounding_allowance(
    scores: np.ndarray, row_duals: np.ndarray | float, column_duals: np.ndarray, tolerance: float
) -> np.ndarray:
    """The reduced cost of each pair that `tolerance` rounding errors can add up to, in double precision.

    It is relative to the pair's own score and duals: relative to the greatest of all scores, a single huge
    score would hide the differences between the others.
    """
    return tolerance * _EPSILON * (np.abs(scores) + np.abs(row_duals) + np.abs(column_duals))


def solve_primal_dual(candidates: Candidates, start: np.ndarray | None = None) -> PrimalDual:
    """Find the best matching among candidates, with dual variables.

    Args:
        candidates: The allowed pairs, each row's sorted by column; all of the smaller side can be matched.
        start: Column duals that are feasible for most of these pairs, as a warm start.
    """
    if candidates.n_rows > candidates.n_columns:
        transposed = solve_primal_dual(candidates.transposed())
        columns = np.full(candidates.n_rows, -1, dtype=np.int64)
        columns[transposed.columns] = np.arange(candidates.n_columns)
        return PrimalDual(columns, transposed.column_duals, transposed.row_duals, transposed.tolerance)
    if candidates.n_rows < candidates.n_columns:
        return find_duals(candidates, solve_assignment(_relative_to_best(candidates, 0)))
    # If all columns are matched, subtracting column duals keeps the order of matchings. It removes offsets
    # that would hide small differences, and good duals leave the solver almost nothing to do.
    duals = _initial_column_duals(candidates) if start is None else start
    columns = solve_assignment(_relative_to_best(candidates, duals[candidates.columns]))
    return find_duals(candidates, columns, duals)


def _relative_to_best(candidates: Candidates, duals: np.ndarray | int) -> Candidates:
    """Candidates with scores minus duals, minus the best of their row."""
    scores = candidates.scores - duals
    scores -= np.repeat(np.maximum.reduceat(scores, candidates.starts[:-1]), np.diff(candidates.starts))
    return Candidates(candidates.starts, candidates.columns, scores, candidates.n_columns)


def _initial_column_duals(candidates: Candidates) -> np.ndarray:
    """Column duals to start from if all columns are matched: zero, except for columns that are much worse.

    A column is as bad as its best score relative to the best score of that row. Starting from zero, a column
    of huge negative scores would raise all other duals to that size, and their rounding errors with them.
    """
    scores = candidates.scores.astype(np.float64)
    best = np.maximum.reduceat(scores, candidates.starts[:-1])
    duals = np.full(candidates.n_columns, -np.inf)
    np.maximum.at(duals, candidates.columns, scores - np.repeat(best, np.diff(candidates.starts)))
    return np.where(duals < _MUCH_WORSE * np.median(duals), duals, 0.0)


def find_duals(candidates: Candidates, columns: np.ndarray, start: np.ndarray | None = None) -> PrimalDual:
    """Find feasible duals that satisfy complementary slackness with a matching, and improve the matching.

    The dual of a column is the greatest total change of score along an alternating path that ends there: a
    longest path, which exists because an optimal matching has no alternating cycle with a gain. If there is
    such a cycle, because the solver's rounding errors hid it, the matching is augmented along it.

    Args:
        candidates: The pairs, no more rows than columns.
        columns: The column of each row in a matching that is optimal up to rounding errors; all rows matched.
        start: Column duals to start from. By default all start at zero, so that no dual is negative and that
            of a free column is zero, as optimality requires if there are more columns than rows.
    """
    duals = np.zeros(candidates.n_columns) if start is None else start
    n_augmentations = 0
    for tolerance in _TOLERANCES:
        while n_augmentations < _MAX_AUGMENTATIONS:
            ascent = DualAscent(candidates, columns, duals.copy(), tolerance)
            converged = ascent.run()
            better = ascent.augmented()
            if better is not None:
                columns = better
                n_augmentations += 1
            elif converged:
                return PrimalDual(columns, ascent.row_duals, ascent.duals, 2 * tolerance)
            else:
                break
    raise NotOptimalError("the matching is not optimal: its dual variables are unbounded")


class DualAscent:
    """Column duals that rise until all listed pairs are feasible: longest paths, after Bellman and Ford.

    The row duals follow from complementary slackness: the score of the matched pair minus its column's dual.

    Attributes:
        duals: The dual of each column.
        matched_scores: The score of each row with its column.
        predecessors: For each column the position of the pair that last raised its dual; -1 for none.
    """

    def __init__(
        self, candidates: Candidates, columns: np.ndarray, duals: np.ndarray, tolerance: float
    ) -> None:
        self.candidates, self.columns, self.duals, self.tolerance = candidates, columns, duals, tolerance
        matched = candidates.columns == columns[candidates.rows]
        self.matched_scores = candidates.scores[matched].astype(np.float64)
        self.owners = np.full(candidates.n_columns, -1, dtype=np.int64)
        self.owners[columns] = np.arange(candidates.n_rows)
        self.predecessors = np.full(candidates.n_columns, -1, dtype=np.int64)

    @property
    def row_duals(self) -> np.ndarray:
        """The dual of each row."""
        return self.matched_scores - self.duals[self.columns]

    def run(self) -> bool:
        """Raise duals until no pair is infeasible; return whether that succeeded."""
        rows = np.arange(self.candidates.n_rows)
        for number in range(self.candidates.n_columns + 1):
            rows = self._relax_all(rows) if number < _FULL_PASSES else self._sweep(rows, number % 2 == 0)
            if not len(rows):
                return True
            # A cycle of predecessors raises duals forever. Checked at powers of two only, to save time.
            if number >= 2 * _FULL_PASSES and number & (number - 1) == 0 and self._on_cycles().any():
                return False
        return False

    def _relax_all(self, rows: np.ndarray) -> np.ndarray:
        """Relax the pairs of all given rows at once; return the rows whose columns were raised."""
        positions, lengths = self.candidates.positions_of_rows(rows)
        scores = self.candidates.scores[positions]
        raised = self._relax(positions, scores, np.repeat(self.row_duals[rows], lengths))
        changed = np.zeros(self.candidates.n_columns, dtype=bool)
        changed[raised] = True
        owners = self.owners[changed]
        return np.sort(owners[owners >= 0])

    def _sweep(self, rows: np.ndarray, ascending: bool) -> np.ndarray:
        """Relax row by row in the order of the columns' duals; return the rows that were raised too late.

        A row that is raised by an earlier one is relaxed in the same sweep. So a long path along which duals
        rise, or fall, takes one sweep instead of as many passes as it has columns.
        """
        starts = self.candidates.starts
        own_duals = self.duals[self.columns]
        order = np.argsort(own_duals if ascending else -own_duals, kind="stable")
        turns = np.empty(len(order), dtype=np.int64)
        turns[order] = np.arange(len(order))
        waiting = np.zeros(len(order), dtype=bool)
        waiting[turns[rows]] = True
        turn = int(waiting.argmax())
        while waiting[turn]:
            waiting[turn] = False
            row = order[turn]
            first, end = int(starts[row]), int(starts[row + 1])
            row_dual = self.matched_scores[row] - self.duals[self.columns[row]]
            raised = self._relax(np.arange(first, end), self.candidates.scores[first:end], row_dual)
            owners = self.owners[raised]
            waiting[turns[owners[owners >= 0]]] = True
            turn += int(waiting[turn:].argmax())
        return np.sort(order[waiting])

    def _relax(self, positions: np.ndarray, scores: np.ndarray, row_duals: np.ndarray | float) -> np.ndarray:
        """Raise the columns of infeasible pairs until these are feasible, and return the columns."""
        needed, targets = scores - row_duals, self.candidates.columns[positions]
        more = np.flatnonzero(needed > self.duals[targets])
        row_duals = row_duals[more] if isinstance(row_duals, np.ndarray) else row_duals
        targets, needed = targets[more], needed[more]
        allowed = rounding_allowance(scores[more], row_duals, self.duals[targets], self.tolerance)
        infeasible = needed > self.duals[targets] + allowed
        positions, targets, needed = positions[more[infeasible]], targets[infeasible], needed[infeasible]
        np.maximum.at(self.duals, targets, needed)
        highest = needed == self.duals[targets]
        self.predecessors[targets[highest]] = positions[highest]
        return targets

    def augmented(self) -> np.ndarray | None:
        """Augment the matching along predecessor cycles and paths to free columns; None if none gains."""
        candidates, columns, predecessors = self.candidates, self.columns, self.predecessors
        free = np.ones(candidates.n_columns, dtype=bool)
        free[columns] = False
        ends = np.flatnonzero((free & (predecessors >= 0)) | self._on_cycles())
        better, moved = columns.copy(), set()
        for end in ends.tolist():
            positions, column = [], end
            while predecessors[column] >= 0 and len(positions) <= len(columns):
                positions.append(predecessors[column])
                column = columns[candidates.rows[predecessors[column]]]
                if column == end:
                    break
            rows = candidates.rows[positions]
            distinct = set(rows.tolist())
            if len(positions) > len(columns) or len(distinct) < len(rows) or moved & distinct:
                continue
            if fsum(np.concatenate([candidates.scores[positions], -self.matched_scores[rows]])) > 0:
                better[rows] = candidates.columns[positions]
                moved |= distinct
        return better if moved else None

    def _on_cycles(self) -> np.ndarray:
        """Which columns are on a cycle of predecessors."""
        before = np.arange(self.candidates.n_columns)
        raised = np.flatnonzero(self.predecessors >= 0)
        before[raised] = self.columns[self.candidates.rows[self.predecessors[raised]]]
        # As many steps back as there are columns lead to a cycle or to a column that was never raised.
        for _ in range(self.candidates.n_columns.bit_length()):
            before = before[before]
        cyclic = np.zeros(self.candidates.n_columns, dtype=bool)
        cyclic[before] = True
        return cyclic & (self.predecessors >= 0)
