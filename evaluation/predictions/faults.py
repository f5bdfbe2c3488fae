"""What is wrong with a prediction file, all of it, worded for its author."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from proofmatch.errors import ProofmatchError

SHOWN = 20
_LONGEST_NAME = 60
_LONGEST_REASON = 300


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong.

    Attributes:
        place: The line or row, counted from 1; None if it is the file as a whole.
        statement: The statement's id, where it is known.
        problem: What is wrong, and how it should be.
    """

    place: int | None
    statement: str | None
    problem: str


class FaultList:
    """Counts the faults of a file and keeps the first ones.

    Args:
        path: The file.
        unit: What a place is: `line` or `row`.

    Attributes:
        count: How many faults there are.
    """

    def __init__(self, path: Path, unit: str) -> None:
        self.count = 0
        self.unit = unit
        self._path = path
        self._shown: list[str] = []

    def add(self, faults: Iterable[Fault], n_more: int = 0) -> None:
        """Add the faults of some rows, in any order, and the number of those that are not worth listing."""
        self.count += n_more
        for fault in sorted(faults, key=lambda fault: fault.place or 0):
            self.count += 1
            if len(self._shown) < SHOWN:
                self._shown.append(self._worded(fault))

    def refuse_if_any(self) -> None:
        """Refuse the file if something is wrong with it.

        Raises:
            ProofmatchError: With the number of faults and the first of them, a line each.
        """
        if not self.count:
            return
        lines = [
            f"{self._path} has {self.count:,} fault{'s' * (self.count > 1)} and was not used:",
            *self._shown,
        ]
        if self.count > len(self._shown):
            lines.append(f"and {self.count - len(self._shown):,} more")
        raise ProofmatchError("\n  ".join(lines))

    def _worded(self, fault: Fault) -> str:
        place = [f"{self.unit} {fault.place:,}"] if fault.place is not None else []
        statement = [f"({quoted(fault.statement)})"] if fault.statement is not None else []
        where = " ".join(place + statement)
        return f"{where}: {fault.problem}" if where else fault.problem


def quoted(name: str) -> str:
    """Show an id of somebody else's making: short, and with nothing that a terminal would obey."""
    shown = name if name.isprintable() and name else ascii(name)
    return shown if len(shown) <= _LONGEST_NAME else f"{shown[:_LONGEST_NAME]}…"


def one_line(reason: str) -> str:
    """Show what a library says of a file: a line, not too long, with nothing that a terminal would obey."""
    line = " ".join(reason.split())
    shown = line if line.isprintable() else ascii(line)[1:-1]
    return shown if len(shown) <= _LONGEST_REASON else f"{shown[:_LONGEST_REASON]}…"


def shown(value: object) -> str:
    """Show a value of somebody else's making as Python writes it, but short."""
    return quoted(repr(value))
