"""What a check has to say: faults, findings, and what it could not look at."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

EXAMPLES = 5  # shown of each kind; the count is always that of all


@dataclass(frozen=True, slots=True)
class Remark:
    """Something a check has to say.

    Attributes:
        message: A sentence that names the file, table or split.
        examples: The first or the worst cases.
        count: How many cases there are in all.
    """

    message: str
    examples: tuple[str, ...] = ()
    count: int = 0

    @classmethod
    def about(cls, message: str, cases: Iterable[object]) -> Self:
        """Make a remark of all cases, of which the first few are shown."""
        named = [str(case) for case in cases]
        return cls(message, tuple(named[:EXAMPLES]), len(named))


class Fault(Remark):
    """Something that must not be in a release."""

    __slots__ = ()


class Finding(Remark):
    """Something worth knowing that is not wrong."""

    __slots__ = ()


class NotChecked(Remark):
    """Something that could not be looked at because of a fault found elsewhere."""

    __slots__ = ()


def excerpt(text: str, length: int = 60) -> str:
    """Shorten a text to its beginning."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"
