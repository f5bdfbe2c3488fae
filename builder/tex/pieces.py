"""Running text with formulas in TeX → its pieces, text and formulas apart."""

import re
from collections.abc import Iterator
from typing import NamedTuple

DISPLAYS = "math|displaymath|equation|align|alignat|flalign|gather|multline|eqnarray|dmath"
"""Environments that are a formula, of one line or of several; each also with a star."""

# An escaped character comes first, so that neither `\$` nor the second half of `\\[` opens a formula.
_OPENING = re.compile(
    r"(?P<escaped>\\[\\$%&#_{} ])"
    rf"|(?P<dollars>\$\$?)|\\(?P<bracket>[(\[])|\\begin\s*\{{(?P<environment>(?:{DISPLAYS})\*?)\}}"
)
_BRACE_OR_DOLLAR = re.compile(r"\\.|(?P<brace>[{}])|(?P<dollar>\$)", re.DOTALL)
_CLOSING_BRACKETS = {"(": r"\)", "[": r"\]"}


class Piece(NamedTuple):
    """A stretch of text, or a formula: what is between the signs around it, or a whole environment."""

    is_formula: bool
    tex: str


def split_formulas(text: str) -> Iterator[Piece]:
    r"""Find the formulas of a text: `$…$`, `$$…$$`, `\(…\)`, `\[…\]` and environments such as `equation`.

    What opens a formula that nothing closes is text.

    >>> [piece.tex for piece in split_formulas(r"Let $x$ be \(y\).")]
    ['Let ', 'x', ' be ', 'y', '.']
    """
    ends = formula_ends(text)
    start = position = 0
    while opening := _OPENING.search(text, position):
        position = opening.end()
        formula = _formula(text, opening, ends)
        if formula is not None:
            inside, position = formula
            yield Piece(False, text[start : opening.start()])
            yield Piece(True, inside)
            start = position
    yield Piece(False, text[start:])


def formula_end(text: str, start: int) -> int:
    """Find the dollar that ends a formula, which is none inside braces; -1 if there is none."""
    end = text.find("$", start)
    if "{" not in (inside := text[start:end]) and inside[-1:] != "\\":
        return end
    depth = 0
    for match in _BRACE_OR_DOLLAR.finditer(text, start):
        if match["dollar"] and depth <= 0:
            return match.start()
        if brace := match["brace"]:
            depth += 1 if brace == "{" else -1
    return -1


def formula_ends(text: str) -> dict[int, int]:
    """Find for each dollar the one that ends a formula there, which is none inside braces of the formula.

    For all of them at once: to look for each end anew would take very long where none is found.
    """
    ends: dict[int, int] = {}
    depth = 0
    unclosed: list[tuple[int, int]] = []  # dollars and their depths, which become greater
    for match in _BRACE_OR_DOLLAR.finditer(text):
        if match["dollar"]:
            while unclosed and unclosed[-1][1] >= depth:
                ends[unclosed.pop()[0]] = match.start()
            unclosed.append((match.start(), depth))
        elif brace := match["brace"]:
            depth += 1 if brace == "{" else -1
    return ends


def _formula(text: str, opening: re.Match[str], ends: dict[int, int]) -> tuple[str, int] | None:
    """Give the formula after an opening, and where it ends; None if nothing is opened."""
    start = opening.end()
    if opening["escaped"]:
        return None
    if opening["dollars"] == "$":
        # Of braces that do not match, the next dollar is the better guess.
        end, closing = ends.get(opening.start()) or text.find("$", start), "$"
    else:
        environment = opening["environment"]
        closing = opening["dollars"] or _CLOSING_BRACKETS.get(opening["bracket"], rf"\end{{{environment}}}")
        end = text.find(closing, start)
    if end < 0:
        return None
    after = end + len(closing)
    return text[opening.start() : after] if opening["environment"] else text[start:end], after
