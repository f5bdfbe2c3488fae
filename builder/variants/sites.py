"""Where a variable's letter stands in a text, and how another letter is written in its place."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from typing import NamedTuple

from ..linearization.fonts import fold_styled
from .letters import TEX_NAMES, UPPER_NAMES, VARIABLE_OF


class Site(NamedTuple):
    """A letter in a text.

    Attributes:
        start: Where its notation begins.
        end: Where its notation ends.
        letter: The letter.
        write: Writes any letter of the same alphabet and case in this notation.
    """

    start: int
    end: int
    letter: str
    write: Callable[[str], str]


def rewrite(text: str, sites: Iterable[Site], letters: Mapping[str, str]) -> str:
    """Write other letters at the sites, and leave everything between them as it is."""
    pieces, done = [], 0
    for start, end, letter, write in sites:
        if letter in letters:
            pieces += text[done:start], write(letters[letter])
            done = end
    pieces.append(text[done:])
    return "".join(pieces)


def _same(letter: str) -> str:
    return letter


def _command(letter: str) -> str:
    return f"\\{TEX_NAMES[letter]}"


def _slanted_capital(letter: str) -> str:
    return f"\\var{TEX_NAMES[letter]}"


# Letters of an alphabet that have a command of their own: an ℓ is a script l, ℜ and ℑ are black-letter.
_OWN_COMMANDS = {
    ("mathscr", "l"): r"\ell",
    ("mathfrak", "R"): r"\Re",
    ("mathfrak", "I"): r"\Im",
}


def _own_command(alphabet: str, letter: str) -> str:
    """Write a letter by its own command or, where it has none, in a form that nobody else uses.

    So the command can be restored. The outer braces make it an argument wherever a command is one.
    """
    return _OWN_COMMANDS.get((alphabet, letter)) or f"{{\\{alphabet}{{{{{letter}}}}}}}"


_Notation = tuple[str, Callable[[str], str]]

# Control word → its letter and notation.
_COMMANDS: dict[str, _Notation] = {
    **{name: (letter, _command) for letter, name in TEX_NAMES.items()},
    **{f"var{name}": (letter, _slanted_capital) for letter, name in UPPER_NAMES.items()},
    **{
        command[1:]: (letter, partial(_own_command, alphabet))
        for (alphabet, letter), command in _OWN_COMMANDS.items()
    },
}


def command_notation(name: str) -> _Notation | None:
    """Find the letter that a control word stands for, and how others are written in its place."""
    return _COMMANDS.get(name)


def restored_notation(alphabet: str, letter: str) -> _Notation | None:
    """Find the notation of what `_own_command` wrote for a letter without a command of its own."""
    is_foreign = (alphabet, letter) in _OWN_COMMANDS
    return None if is_foreign else (letter, partial(_own_command, alphabet))


@cache
def character_notation(character: str) -> _Notation | None:
    """Find the letter that a character stands for, plain or styled, and how others are written in its place.

    >>> letter, write = character_notation("𝐱")
    >>> letter, write("q")
    ('x', '𝐪')
    """
    if character in VARIABLE_OF:
        return character, _same
    letter, font = fold_styled(character)
    if font in (None, "double-struck") or letter not in VARIABLE_OF:
        return None
    alphabet = _styled_alphabet(font)
    # A few letters are in Unicode twice; only one of the two can be restored.
    return (letter, alphabet.__getitem__) if alphabet.get(letter) == character else None


@cache
def _styled_alphabet(font: str) -> dict[str, str]:
    """Map letters to their characters in a styled alphabet."""
    styled = {}
    for code in (*range(0x1D400, 0x1D7CC), *range(0x2100, 0x2140)):
        letter, its_font = fold_styled(chr(code))
        if its_font == font and letter in VARIABLE_OF:
            # Those among the older Letterlike Symbols come last: a text has ℓ rather than 𝓁.
            styled[letter] = chr(code)
    return styled
