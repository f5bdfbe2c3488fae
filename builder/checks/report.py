"""What the checks report: faults, notes and what could not be checked, as text and as JSON."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

SCHEMA_VERSION = 1
EXAMPLES = 5  # shown per remark; the count always covers all cases


@dataclass(frozen=True, slots=True)
class Remark:
    """One result of a check."""

    message: str  # a sentence that names the file, table or split
    examples: tuple[str, ...] = ()  # the first or the worst cases
    count: int = 0  # the number of all cases

    @classmethod
    def about(cls, message: str, cases: Iterable[object]) -> Self:
        """Make a remark about all cases and show the first few."""
        named = [str(case) for case in cases]
        return cls(message, tuple(named[:EXAMPLES]), len(named))

    @classmethod
    def if_any(cls, message: str, cases: Iterable[object]) -> Iterator[Self]:
        """Make a remark about all cases unless there are none."""
        remark = cls.about(message, cases)
        if remark.count:
            yield remark


class Fault(Remark):
    """Something that must not be in a release."""

    __slots__ = ()


class Note(Remark):
    """Something worth knowing that is not wrong."""

    __slots__ = ()


class NotChecked(Remark):
    """Something that could not be checked because of a fault elsewhere."""

    __slots__ = ()


_KINDS: dict[type[Remark], str] = {Fault: "FAULT", Note: "note", NotChecked: "not checked"}


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """The result of one check."""

    check: str
    promise: str  # what holds if it finds no fault
    remarks: tuple[Remark, ...]

    @property
    def faults(self) -> list[Fault]:
        """Only the faults."""
        return [remark for remark in self.remarks if isinstance(remark, Fault)]

    @property
    def complete(self) -> bool:
        """Whether everything could be checked."""
        return not any(isinstance(remark, NotChecked) for remark in self.remarks)

    def lines(self) -> Iterator[str]:
        """Render the outcome for a terminal."""
        mark = "✗" if self.faults else "✓" if self.complete else "?"
        yield f"{mark} {self.check}: {self.promise}"
        for remark in self.remarks:
            yield f"    {_KINDS[type(remark)]}: {remark.message}"
            yield from (f"        {example}" for example in remark.examples)
            if remark.count > len(remark.examples):
                yield f"        … {remark.count:,} in all"

    def as_dict(self) -> dict[str, Any]:
        """Convert the outcome to JSON values."""
        return {
            "name": self.check,
            "promise": self.promise,
            "passed": not self.faults,
            "complete": self.complete,
            "remarks": [{"kind": _KINDS[type(remark)].lower(), **asdict(remark)} for remark in self.remarks],
        }


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The results of all checks of a release."""

    release: Path
    outcomes: tuple[CheckOutcome, ...]

    @property
    def faults(self) -> list[Fault]:
        """The faults of all checks."""
        return [fault for outcome in self.outcomes for fault in outcome.faults]

    @property
    def passed(self) -> bool:
        """Whether there are no faults."""
        return not self.faults

    def as_dict(self) -> dict[str, Any]:
        """Convert the report to JSON values."""
        return {
            "schema_version": SCHEMA_VERSION,
            "release": self.release.name,
            "passed": self.passed,
            "checks": [outcome.as_dict() for outcome in self.outcomes],
        }

    def __str__(self) -> str:
        return "\n".join(line for outcome in self.outcomes for line in outcome.lines())
