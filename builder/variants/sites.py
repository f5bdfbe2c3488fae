"""Finds the letters of variables in the readable text of a proof, with the help of its tokens."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ..linearization.fonts import fold_styled
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
from ..tokens import INVISIBLE_IN_TEXT, Memo, typed_word
from .letters import COMMAND_NOTATIONS, Site, character_notation, letter_of_token, restored_notation

_SPACE = re.compile(r"\s*")
_UNPRINTED = re.compile(rf"\s+|{INVISIBLE_IN_TEXT.pattern}+")
_LONG_NAME = re.compile(r"[^\W_]{2,}")

# Enough for any text that matches its tokens; one that does not could take millions.
_MOST_CHOICES = 10_000

# In TeX.
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


class _Formula(NamedTuple):
    """A formula in a text, with the dollars of TeX: its position and the range of its tokens."""

    start: int
    end: int
    first: int
    last: int
    is_tex: bool


def text_sites(text: str, tokens: list[str]) -> list[Site] | None:
    """Find the letters of variables in a text.

    Its formulas are `$TeX$` or, if the source has no TeX, symbols between words like other words. Only the
    tokens tell which, so text and tokens are aligned.

    Returns:
        The sites in order, or None if text and tokens do not match.
    """
    formulas = _align(text, tokens)
    if formulas is None:
        return None
    sites: list[Site] = []
    for start, end, first, last, is_tex in formulas:
        if is_tex:
            inside = letter_sites(text[start + 1 : end - 1], _names(tokens[first:last]))
            offset = start + 1
            sites += [
                Site(offset + begin, offset + stop, letter, write) for begin, stop, letter, write in inside
            ]
        elif letter_of_token[tokens[first]] and (notation := character_notation(text[start])):
            sites.append(Site(start, end, *notation))
    return sites


def _names_in_token(token: str) -> str:
    """List the names of several letters in a token; styled letters (ℋ𝑜𝑚) count as plain ones."""
    surface = token.partition(":")[2]
    return " ".join(_LONG_NAME.findall("".join(fold_styled(character)[0] for character in surface)))


_names_of_token = Memo(_names_in_token)
_typed_words = Memo(typed_word)


def _names(tokens: list[str]) -> frozenset[str]:
    return frozenset(" ".join([_names_of_token[token] for token in set(tokens)]).split())


def _align(text: str, tokens: list[str]) -> list[_Formula] | None:
    """Align text and tokens and list the formulas.

    It can be ambiguous how many of the tokens belong to a `$TeX$`, so this is a depth-first search. The first
    choice is nearly always right.
    """
    formulas: list[_Formula] = []
    choices: list[tuple[int, Iterator[list[_Formula]]]] = []
    tried: set[tuple[int, int]] = set()
    position = index = 0
    for _ in range(_MOST_CHOICES):
        position, index = _read_plain(text, tokens, position, index, formulas)
        if position == len(text) and index == len(tokens):
            return formulas
        if text.startswith("$", position) and (position, index) not in tried:
            tried.add((position, index))
            choices.append((len(formulas), _possible_formulas(text, tokens, position, index)))
        chosen = None
        while choices and not chosen:
            count, possibilities = choices[-1]
            chosen = next(possibilities, None)
            if chosen is None:
                choices.pop()
            else:
                del formulas[count:]
                formulas += chosen
        if chosen is None:
            break
        position, index = formulas[-1].end, formulas[-1].last
    return None


def _read_plain(
    text: str, tokens: list[str], position: int, index: int, formulas: list[_Formula]
) -> tuple[int, int]:
    """Read words, and symbols of formulas without TeX, up to a dollar or a mismatch."""
    position, index = _read_words(text, tokens, position, index)
    while True:
        if text.startswith(" ", position):  # nearly always just one
            position = _SPACE.match(text, position).end()  # pyright: ignore[reportOptionalMemberAccess]
        if index < len(tokens) and not text.startswith("$", position):
            token = tokens[index]
            surface = token[token.index(":") + 1 :]
            end = position + len(surface) if text.startswith(surface, position) else 0
            if token[0] == "t":
                end = end or _word_end(text, position, surface)
            elif end:
                formulas.append(_Formula(position, end, index, index + 1, is_tex=False))
            if end:
                position, index = end, index + 1
                continue
        unprinted = _UNPRINTED.match(text, position)
        if not unprinted:
            return position, index
        position = unprinted.end()


def _read_words(text: str, tokens: list[str], position: int, index: int) -> tuple[int, int]:
    """Read everything up to a dollar in one step if it is words only, the common case."""
    dollar = text.find("$", position)
    end = len(text) if dollar < 0 else dollar
    words = " ".join([_typed_words[word] for word in text[position:end].split()]).split()
    after = index + len(words)
    return (end, after) if tokens[index:after] == words else (position, index)


def _word_end(text: str, position: int, surface: str) -> int:
    """Find the end of a word whose token was normalized; 0 if there is no such word."""
    if surface == "$":
        return position + 2 if text.startswith(r"\$", position) else 0
    for end in range(position + 1, min(len(text), position + 4 * len(surface)) + 1):
        if INVISIBLE_IN_TEXT.sub("", unicodedata.normalize("NFC", text[position:end])) == surface:
            return end
    return 0


def _possible_formulas(text: str, tokens: list[str], position: int, index: int) -> Iterator[list[_Formula]]:
    """List what can begin at a dollar, the most probable first. Adjacent formulas share their tokens."""
    end_of_math = index
    while end_of_math < len(tokens) and tokens[end_of_math][0] == "m":
        end_of_math += 1
    if spans := _adjacent_formulas(text, position):
        for last in range(end_of_math, index - 1, -1):
            yield [_Formula(start, end, index, last, is_tex=True) for start, end in spans]
    if index < end_of_math and text.startswith(surface := tokens[index].partition(":")[2], position):
        yield [_Formula(position, position + len(surface), index, index + 1, is_tex=False)]
    # Braces can be unbalanced, and TeX can end with a backslash.
    end = text.find("$", position + 1)
    while end >= 0:
        for last in range(end_of_math, index - 1, -1):
            yield [_Formula(position, end + 1, index, last, is_tex=True)]
        end = text.find("$", end + 1)


def _adjacent_formulas(text: str, position: int) -> list[tuple[int, int]]:
    spans = []
    while text.startswith("$", position) and (end := formula_end(text, position + 1)) >= 0:
        spans.append((position, end + 1))
        position = _SPACE.match(text, end + 1).end()  # pyright: ignore[reportOptionalMemberAccess]
    return spans


@lru_cache(maxsize=1 << 15)
def letter_sites(tex: str, names: frozenset[str] = frozenset()) -> tuple[Site, ...]:
    r"""Find the letters of variables in a formula.

    Args:
        tex: The formula, without dollars.
        names: Names of several letters among its tokens. `\mathit{Sch}` is one identifier or three, depending
            on the converter and even on the place; only the tokens tell.
    """
    return tuple(_Scanner(tex, names).formula(0, len(tex)))


class _Scanner:
    """Scans a formula; for its arguments see `letter_sites`."""

    def __init__(self, tex: str, names: frozenset[str]) -> None:
        self._tex = tex
        self._names = names

    def formula(self, position: int, end: int) -> list[Site]:
        """Find the sites in a part of a formula."""
        sites: list[Site] = []
        while match := _TOKEN.search(self._tex, position, end):
            start, position = match.span()
            notation = None
            if character := match["character"]:
                notation = character_notation(character)
            elif match["alphabet"]:
                notation = restored_notation(match["alphabet"], match["restored"])
            elif word := match["word"]:
                notation = COMMAND_NOTATIONS.get(word)
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
        """Skip the arguments of a command that are not formulas."""
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
        """Find the formulas in an argument that is text; a single letter counts as a formula."""
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
        """Find the argument of a command after its options: a group, a command or a character."""
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
