"""Finds the letters of variables in the readable text of a proof, with the help of its tokens."""

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from ..linearization.fonts import fold_styled
from ..tex import formula_end
from ..tokens import Memo, typed_word
from .letters import letter_of_token
from .sites import Site, character_notation
from .tex import letter_sites

_SPACE = re.compile(r"\s*")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060-\u206f\ufeff]+")  # stand in text, but not in its tokens
_UNPRINTED = re.compile(rf"\s+|{_INVISIBLE.pattern}")
_NAME = re.compile(r"[^\W_]{2,}")

# Enough for any text that belongs to its tokens; one that does not could try millions.
_MOST_CHOICES = 10_000


class _Formula(NamedTuple):
    """A formula in a text: where it is, and its tokens. The dollars of TeX are part of it."""

    start: int
    end: int
    first: int
    last: int
    is_tex: bool


def text_sites(text: str, tokens: list[str]) -> list[Site] | None:
    """Find the letters of variables in a text.

    Its formulas are `$TeX$` or, where the source has no TeX, symbols between words like other words. Only the
    tokens tell which: text and tokens are read side by side.

    Args:
        text: As `readable` writes it.
        tokens: Tokens of the same passage.

    Returns:
        The sites in their order, or None if text and tokens do not belong together.
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
    return " ".join(_NAME.findall("".join(fold_styled(character)[0] for character in surface)))


_names_of_token = Memo(_names_in_token)
_typed_words = Memo(typed_word)


def _names(tokens: list[str]) -> frozenset[str]:
    return frozenset(" ".join([_names_of_token[token] for token in set(tokens)]).split())


def _align(text: str, tokens: list[str]) -> list[_Formula] | None:
    """Read text and tokens side by side and list the formulas.

    It is not always clear how many of the tokens belong to a `$TeX$`, so this is a search, depth first. The
    first choice hardly ever turns out wrong.
    """
    formulas: list[_Formula] = []
    choices: list[tuple[int, Iterator[list[_Formula]]]] = []
    hopeless: set[tuple[int, int]] = set()
    position = index = 0
    for _ in range(_MOST_CHOICES):
        position, index = _read_plain(text, tokens, position, index, formulas)
        if position == len(text) and index == len(tokens):
            return formulas
        if text.startswith("$", position) and (position, index) not in hopeless:
            hopeless.add((position, index))
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
    """Read words, and symbols of formulas without TeX, up to a dollar or to where they do not agree."""
    position, index = _read_words(text, tokens, position, index)
    while True:
        if text.startswith(" ", position):  # hardly ever is there more than one
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
    """Read everything up to a dollar in one step, if it is nothing but words: that is the common case."""
    dollar = text.find("$", position)
    end = len(text) if dollar < 0 else dollar
    words = " ".join([_typed_words[word] for word in text[position:end].split()]).split()
    after = index + len(words)
    return (end, after) if tokens[index:after] == words else (position, index)


def _word_end(text: str, position: int, surface: str) -> int:
    """Find the end of a word whose token was normalized; 0 if it is not there."""
    if surface == "$":
        return position + 2 if text.startswith(r"\$", position) else 0
    for end in range(position + 1, min(len(text), position + 4 * len(surface)) + 1):
        if _INVISIBLE.sub("", unicodedata.normalize("NFC", text[position:end])) == surface:
            return end
    return 0


def _possible_formulas(text: str, tokens: list[str], position: int, index: int) -> Iterator[list[_Formula]]:
    """List what can begin at a dollar, the most probable first.

    Formulas that follow each other immediately share their tokens.
    """
    end_of_math = index
    while end_of_math < len(tokens) and tokens[end_of_math][0] == "m":
        end_of_math += 1
    if spans := _adjacent_formulas(text, position):
        for last in range(end_of_math, index - 1, -1):
            yield [_Formula(start, end, index, last, is_tex=True) for start, end in spans]
    if index < end_of_math and text.startswith(surface := tokens[index].partition(":")[2], position):
        yield [_Formula(position, position + len(surface), index, index + 1, is_tex=False)]
    # Braces may not be balanced, and TeX may end with a backslash.
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
