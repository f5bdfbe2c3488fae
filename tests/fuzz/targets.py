"""The fuzzing targets: how inputs are made and processed, and which outcomes are allowed."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

# Each a module with `make(chance)` and `run(input, folder)`.
NAMES = ("articles", "formulas", "tex", "published", "predictions", "result_files", "archives")


class FindingError(AssertionError):
    """Something came of an input that must not."""


@dataclass(frozen=True)
class Target:
    """One reader of other people's files.

    Attributes:
        name: Its name.
        make: Makes an input.
        run: Reads an input and says in a word what came of it: what it was good for, or why it was refused.
            Raises whatever must not be.
        seconds: The maximum CPU time for one input.
        megabytes: The most memory by which a process may grow, over any number of inputs.
        share: How many inputs to try, compared with the others: fewer where one takes long.
    """

    name: str
    make: Callable[[Random], Any]
    run: Callable[[Any, Path], str]
    seconds: float = 5.0
    megabytes: int = 200
    share: float = 1.0

    def input(self, seed: int, number: int) -> Any:
        """Make the input of a number; the same one every time."""
        return self.make(Random(f"{self.name} {seed} {number}"))  # noqa: S311 - not for cryptography


def target(name: str) -> Target:
    module = import_module(f"tests.fuzz.{name}")
    limits = {
        limit: value
        for limit in ("seconds", "megabytes", "share")
        if (value := getattr(module, limit.upper(), None))
    }
    return Target(name, module.make, module.run, **limits)


def check(condition: object, words: str) -> None:
    if not condition:
        raise FindingError(words)


def check_message(message: str, most_lines: int = 1) -> None:
    """A message for people: not too long, and with nothing that a terminal would obey."""
    lines = message.split("\n")
    check(len(lines) <= most_lines, f"a message of {len(lines)} lines: {message[:300]!r}")
    check(len(message) <= 600 * most_lines, f"a message of {len(message)} characters: {message[:300]!r}")
    odd = [character for character in message if ord(character) < 32 and character != "\n"]
    check(not odd and "\x7f" not in message, f"a message with control characters: {message[:300]!r}")
