"""The outcome of all checks: for people as text, for programs as JSON."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .remarks import Fault, Finding, NotChecked, Remark

SCHEMA_VERSION = 1

_WORDS: dict[type[Remark], str] = {Fault: "FAULT", Finding: "note", NotChecked: "not checked"}


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """What one check found.

    Attributes:
        check: Its name.
        promise: What holds if it finds no fault.
        remarks: What it found.
    """

    check: str
    promise: str
    remarks: tuple[Remark, ...]

    @property
    def faults(self) -> list[Fault]:
        """The faults alone."""
        return [remark for remark in self.remarks if isinstance(remark, Fault)]

    @property
    def complete(self) -> bool:
        """Whether everything could be looked at."""
        return not any(isinstance(remark, NotChecked) for remark in self.remarks)


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What all checks found in a release."""

    release: Path
    outcomes: tuple[CheckOutcome, ...]

    @property
    def faults(self) -> list[Fault]:
        """The faults of all checks."""
        return [fault for outcome in self.outcomes for fault in outcome.faults]

    @property
    def passed(self) -> bool:
        """Whether the release is without fault."""
        return not self.faults

    def as_dict(self) -> dict[str, Any]:
        """Give the report as JSON has it."""
        return {
            "schema_version": SCHEMA_VERSION,
            "release": self.release.name,
            "passed": self.passed,
            "checks": [
                {
                    "name": outcome.check,
                    "promise": outcome.promise,
                    "passed": not outcome.faults,
                    "complete": outcome.complete,
                    "remarks": [
                        {"kind": _WORDS[type(remark)].lower(), **asdict(remark)} for remark in outcome.remarks
                    ],
                }
                for outcome in self.outcomes
            ],
        }

    def __str__(self) -> str:
        return "\n".join(line for outcome in self.outcomes for line in _lines(outcome))


def _lines(outcome: CheckOutcome) -> Iterator[str]:
    mark = "✗" if outcome.faults else "✓" if outcome.complete else "?"
    yield f"{mark} {outcome.check}: {outcome.promise}"
    for remark in outcome.remarks:
        yield f"    {_WORDS[type(remark)]}: {remark.message}"
        yield from (f"        {example}" for example in remark.examples)
        if remark.count > len(remark.examples):
            yield f"        … {remark.count:,} in all"
