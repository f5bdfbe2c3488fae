"""Finds the letters of variables in a formula written in TeX."""

import re
from functools import lru_cache

from ..tex import (
    BEGIN,
    DIMENSION,
    DIMENSION_COMMANDS,
    DIMENSION_OF_BOX,
    DIMENSION_OF_LINE_BREAK,
    FONT_COMMANDS,
    FONT_DECLARATIONS,
    TEXT_COMMANDS,
    UNTOUCHED_ARGUMENTS,
    formula_end,
)
from .sites import Site, character_notation, command_notation, restored_notation

_TOKEN = re.compile(
    r"\{\\(?P<alphabet>mathscr|mathfrak)\{\{(?P<restored>[A-Za-z])\}\}\}(?![A-Za-z])"
    r"|\\(?P<word>[A-Za-z]+)|\\(?P<symbol>.)"
    "|(?P<character>[A-Za-z\u0370-\u03ff\u2100-\u214f\U0001d400-\U0001d7ff])",
    re.DOTALL,
)
_OPTIONS = re.compile(r"\*?(?:\s*\[[^\]]*\])*\s*")
_ARGUMENT = re.compile(r"\\[A-Za-z]+|\\?.", re.DOTALL)
_BRACE = re.compile(r"\\.|(?P<brace>[{}])", re.DOTALL)
_DOLLAR = re.compile(r"\\.|(?P<dollar>\$)", re.DOTALL)
_NAME = re.compile(r"\s*(?P<name>[^\W_]+)")
_CONTROL = re.compile(r"\\[A-Za-z]+|\\.|[\W_]", re.DOTALL)


@lru_cache(maxsize=1 << 15)
def letter_sites(tex: str, names: frozenset[str] = frozenset()) -> tuple[Site, ...]:
    r"""Find the letters of variables in a formula.

    Args:
        tex: The formula, without dollars.
        names: Names of several letters that its tokens have. The same TeX, `\mathit{Sch}`, is one identifier
            or three to different converters and even in different places; only the tokens tell.
    """
    return tuple(_Scanner(tex, names).formula(0, len(tex)))


class _Scanner:
    """Walks through a formula.

    Args:
        tex: The formula.
        names: See `letter_sites`.
    """

    def __init__(self, tex: str, names: frozenset[str]) -> None:
        self._tex = tex
        self._names = names

    def formula(self, position: int, end: int) -> list[Site]:
        """Find the sites in a stretch of math mode."""
        sites: list[Site] = []
        while match := _TOKEN.search(self._tex, position, end):
            start, position = match.span()
            notation = None
            if character := match["character"]:
                notation = character_notation(character)
            elif match["alphabet"]:
                notation = restored_notation(match["alphabet"], match["restored"])
            elif word := match["word"]:
                notation = command_notation(word)
                if word in TEXT_COMMANDS:
                    position = self._text(position, end, sites)
                elif not notation:
                    position = self._after(word, position, end)
            elif match["symbol"] == "\\":
                position = _skipped(DIMENSION_OF_LINE_BREAK, self._tex, position)
            if notation:
                sites.append(Site(start, position, *notation))
        return sites

    def _after(self, word: str, position: int, end: int) -> int:
        """Skip what follows a command and is no formula."""
        if word in UNTOUCHED_ARGUMENTS:
            for _ in range(UNTOUCHED_ARGUMENTS[word]):
                _, position = self._argument(position, end)
        elif word in FONT_COMMANDS:
            start, stop = self._argument(position, end)
            name = _CONTROL.sub("", self._tex[start:stop])
            if name in self._names:
                position = stop
        elif word in FONT_DECLARATIONS:
            following = _NAME.match(self._tex, position, end)
            if following and following["name"] in self._names:
                position = following.end()
        elif word in DIMENSION_COMMANDS:
            position = _skipped(DIMENSION, self._tex, position)
        elif word == "begin" and (environment := BEGIN.match(self._tex, position, end)):
            position = environment.end()
            if environment["columns"] is not None:
                _, position = self._argument(position, end)
        return position

    def _text(self, position: int, end: int, sites: list[Site]) -> int:
        """Find the formulas in an argument that is text; a single letter there is a name too."""
        position = _skipped(DIMENSION_OF_BOX, self._tex, position)
        start, stop = self._argument(position, end)
        content = self._tex[start:stop].strip("{} ")
        if len(content) == 1:
            sites += self.formula(start, stop)
            return stop
        while (dollar := _next_dollar(self._tex, start, stop)) >= 0:
            closing = formula_end(self._tex, dollar + 1)
            if not -1 < closing < stop:
                break
            sites += self.formula(dollar + 1, closing)
            start = closing + 1
        return stop

    def _argument(self, position: int, end: int) -> tuple[int, int]:
        """Find the argument of a command, beyond its options: a group, a command or a character."""
        start = _skipped(_OPTIONS, self._tex, position)
        if self._tex.startswith("{", start) and start < end:
            return start, self._group_end(start, end)
        single = _ARGUMENT.match(self._tex, start, end)
        return start, single.end() if single else end

    def _group_end(self, start: int, end: int) -> int:
        depth = 0
        for match in _BRACE.finditer(self._tex, start, end):
            if brace := match["brace"]:
                depth += 1 if brace == "{" else -1
                if not depth:
                    return match.end()
        return end


def _next_dollar(tex: str, position: int, end: int) -> int:
    matches = _DOLLAR.finditer(tex, position, end)
    return next((match.start() for match in matches if match["dollar"]), -1)


def _skipped(pattern: re.Pattern[str], tex: str, position: int) -> int:
    match = pattern.match(tex, position)
    return match.end() if match else position
