"""Errors caused by the user's input, with messages for the user."""

import unicodedata
from collections.abc import Collection, Mapping
from math import inf

# Invisible characters: control characters, direction marks, surrogates, line and paragraph separators.
_CONTROLS = ("Cc", "Cf", "Cs", "Zl", "Zp")
_OBEYED = "\n\t"
_LONGEST_NAME = 60
_LONGEST_MESSAGE = 300


class ProofmatchError(ValueError):
    """A failure that is explained in one sentence and shown without a traceback.

    It is a `ValueError`, as Python users expect for invalid input.

    Attributes:
        exit_code: 2 for bad usage or input, 1 for a check that failed.
    """

    exit_code = 2


class NotFoundError(ProofmatchError, FileNotFoundError):
    """A file, folder or repository does not exist."""


class CheckFailed(ProofmatchError):  # noqa: N818 - a verdict, not an accident
    """A check has failed."""

    exit_code = 1


def check_choice(name: str, value: object, choices: Collection[str]) -> None:
    """Refuse a value that is not one of the choices."""
    if value not in choices:
        raise ProofmatchError(f"{name} must be one of {', '.join(choices)}, not {value!r}")


def check_integers(config: object, minima: Mapping[str, int]) -> None:
    """Refuse fields of a configuration that are not integers, or less than their minimum."""
    for name, minimum in minima.items():
        value = getattr(config, name)
        if not isinstance(value, int) or value < minimum:
            raise ProofmatchError(f"{name} must be an integer of at least {minimum}, not {value!r}")


def check_weights(config: object, *names: str) -> None:
    """Refuse fields of a configuration that are not finite numbers of at least 0."""
    for name in names:
        value = getattr(config, name)
        if not isinstance(value, int | float) or not 0 <= value < inf:
            raise ProofmatchError(f"{name} must be at least 0, not {value!r}")


def first_line(error: BaseException) -> str:
    """Return the first line of a library's error message; many messages are a paragraph long."""
    return str(error).strip().partition("\n")[0]


def printable(text: str) -> str:
    r"""Escape the control characters in an untrusted text, so that it is safe to print on a terminal.

    >>> printable("a\x1b[2Jb")
    'a\\x1b[2Jb'
    """
    return "".join(
        character
        if character in _OBEYED or unicodedata.category(character) not in _CONTROLS
        # As Python writes it.
        else ascii(character)[1:-1]
        for character in text
    )


def quoted(name: str) -> str:
    """Show a name from an untrusted file: at most 60 characters, without terminal control characters."""
    visible = name if name.isprintable() and name else ascii(name)
    return _cut(visible, _LONGEST_NAME)


def shown(value: object) -> str:
    """Show the `repr` of a value from an untrusted file, shortened like a name."""
    return quoted(repr(value))


def one_line(message: str) -> str:
    """Show a library's message about a file on one line of at most 300 characters."""
    line = " ".join(message.split())
    return _cut(line if line.isprintable() else ascii(line)[1:-1], _LONGEST_MESSAGE)


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[:length]}…"
