"""Rows of a prediction file against each other and against the task."""

from collections.abc import Iterator

import numpy as np

from .faults import Fault, FaultList, quoted
from .lists import FlatLists, first_of_rows
from .numbering import NumberedBatch, Numbering
from .parsed import ParsedBatch


class RowChecker:
    """Checks rows as they are read and turns those without fault into numbers.

    Args:
        statements: The statements there are.
        proofs: The proofs there are.
        faults: Takes what is wrong.
        where: What the ids are looked for in, for the wording.
    """

    def __init__(self, statements: Numbering, proofs: Numbering, faults: FaultList, where: str) -> None:
        self._statements = statements
        self._proofs = proofs
        self._faults = faults
        self._where = where
        self._place_of: dict[int, int] = {}  # of each statement that has been read
        self._first: tuple[int, bool] | None = None  # place of the first row, and whether it has scores

    def check(self, batch: ParsedBatch) -> NumberedBatch:
        """Report all that is wrong with some rows and keep the others."""
        rows = batch.rows
        assert rows.scores is not None  # noqa: S101 - readers leave nulls where there are no scores
        statements = self._statements.numbers(rows.statement_ids)
        lists = FlatLists(rows.proof_ids, rows.scores, self._proofs)
        found = [*self._wrong_statements(statements, batch), *self._wrong_lists(lists, batch)]
        names = rows.statement_ids
        faults = [Fault(int(batch.places[row]), names[row].as_py(), problem) for row, problem in found]
        self._faults.add([*batch.faults, *faults], batch.n_more_faults)
        kept = lists.usable.copy()
        kept[[row for row, _ in found]] = False
        return lists.numbered(statements, kept)

    def finish(self) -> None:
        """Report the statements that no row was about."""
        if not self._place_of and self._faults.count:
            return  # nothing could be read, and why has been said
        if not self._place_of:
            self._faults.add([Fault(None, None, "there are no rows")])
        missing = (name for number, name in enumerate(self._statements.ids) if number not in self._place_of)
        self._faults.add(
            Fault(None, None, f"statement {quoted(name)} is missing; give it a row") for name in missing
        )

    def _wrong_statements(self, statements: np.ndarray, batch: ParsedBatch) -> Iterator[tuple[int, str]]:
        for row, number in enumerate(statements.tolist()):
            if number < 0:
                yield row, f"there is no such statement in {self._where}"
            elif number in self._place_of:
                earlier = f"{self._faults.unit} {self._place_of[number]:,}"
                yield row, f"the statement is also in {earlier}; give it once, in one place"
            else:
                self._place_of[number] = int(batch.places[row])

    def _wrong_lists(self, lists: FlatLists, batch: ParsedBatch) -> Iterator[tuple[int, str]]:
        ids = batch.rows.proof_ids
        for row in np.flatnonzero(lists.usable & (lists.lengths == 0)).tolist():
            yield row, "lists no proof; list at least one"
        if not self._proofs.growing:
            for row in np.flatnonzero(lists.lengths > len(self._proofs)).tolist():
                yield row, f"lists {lists.lengths[row]:,} proofs, but there are only {len(self._proofs):,}"
        for row, at, count in first_of_rows(lists.rows[lists.proofs < 0], np.flatnonzero(lists.proofs < 0)):
            others = f" and {count - 1:,} more" if count > 1 else ""
            name = quoted(ids[row][at - int(lists.starts[row])].as_py())
            yield row, f"proof {name}{others}: there is no such proof in {self._where}"
        for row, at in lists.repeated():
            yield row, f"proof {quoted(ids[row][at].as_py())} is listed more than once"
        yield from self._wrong_scores(lists, batch)

    def _wrong_scores(self, lists: FlatLists, batch: ParsedBatch) -> Iterator[tuple[int, str]]:
        if self._first is None and lists.usable.any():
            row = int(lists.usable.argmax())
            self._first = int(batch.places[row]), bool(lists.scored[row])
        if self._first is not None:
            place, scored = self._first
            for row in np.flatnonzero(lists.usable & (lists.scored != scored)).tolist():
                has = "has no scores" if scored else "has scores"
                unlike = f"{self._faults.unit} {place:,}"
                yield row, f"{has}, unlike {unlike}; give scores in all rows or in none"
        uneven = lists.usable & lists.scored & (lists.lengths != lists.score_lengths)
        for row in np.flatnonzero(uneven).tolist():
            n_proofs, n_scores = lists.lengths[row], lists.score_lengths[row]
            yield row, f"has {n_proofs:,} proofs and {n_scores:,} scores; give a score for each proof"
        for row, at in lists.not_finite():
            yield row, f"score {at + 1:,} is not finite; give a number"
        for row, at in lists.increasing():
            yield row, f"score {at + 1:,} is greater than the one before it; list proofs best first"
