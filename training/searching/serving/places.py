"""Typed tokens of a text → where each of them is in the pieces that a page shows of it.

Both come from the same source by different ways: words are the same, but formulas of a page are made by
another converter than those of a corpus. It has other characters for some signs, and none that nobody sees.
"""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from ....builder.linearization.fonts import fold_styled
from ....builder.tokens import math_token, text_tokens
from ....evaluation.pages.formulas import Node
from ....evaluation.pages.texts import Pieces
from ...explaining.formulas import is_symbol
from ..spellings import known_spellings

CODE = "code"  # what a formula is shown as that cannot be converted

_WORD = re.compile(r"\S+")
# As the page's converter has it, and as LaTeXML has it.
_SAME = str.maketrans({"‾": "¯", "″": "′′", "‴": "′′′", "⁗": "′′′′"})


class Place(NamedTuple):
    """Where a token is shown.

    Attributes:
        piece: The number of the piece.
        begin: Where it begins in a string or in code; in a formula, the number of the leaf.
        end: Where it ends, or the number of the next leaf.
    """

    piece: int
    begin: int
    end: int


class _Shown(NamedTuple):
    token: str
    place: Place


def places_of(tokens: Sequence[str], pieces: Pieces) -> list[Place | None]:
    """Find the places of all tokens; None for those that are not shown, or not found."""
    ours = [_without_font(token) for token in tokens]
    shown = _shown(pieces, frozenset(ours))
    theirs = [one.token for one in shown]
    places: list[Place | None] = [None] * len(ours)
    # Most texts differ in a few places only, and comparing in general takes long.
    first = _common(ours, theirs)
    last = _common(ours[first:][::-1], theirs[first:][::-1])
    places[:first] = [one.place for one in shown[:first]]
    if last:
        places[-last:] = [one.place for one in shown[-last:]]
    middle = ours[first : len(ours) - last], theirs[first : len(theirs) - last]
    for block in SequenceMatcher(None, *middle, autojunk=False).get_matching_blocks():
        for step in range(block.size):
            places[first + block.a + step] = shown[first + block.b + step].place
    return places


def leaves(node: Node) -> Iterator[str]:
    """Give the texts of a formula's leaves, in the order in which they are read."""
    for child in node[1:]:
        if isinstance(child, list):
            yield from leaves(child)
        elif isinstance(child, str):
            yield child


def _common(left: Sequence[str], right: Sequence[str]) -> int:
    """Count how many tokens are the same from the beginning."""
    pairs = zip(left, right, strict=False)
    return next(
        (place for place, (one, other) in enumerate(pairs) if one != other), min(len(left), len(right))
    )


def _shown(pieces: Pieces, known: frozenset[str]) -> list[_Shown]:
    """Read what is shown as typed tokens without fonts, spelled as those of the text."""
    shown: list[_Shown] = []
    for number, piece in enumerate(pieces):
        if isinstance(piece, str):
            shown += _words(number, piece)
        elif piece[0] == CODE:  # diagrams, for instance, of which a corpus has the words as well
            shown += _words(number, piece[1])
        else:
            for at, leaf in enumerate(leaves(piece)):
                symbols = [math_token(_plain(symbol)) for symbol in leaf.split()]
                spelled = known_spellings(symbols, known)
                shown += [_Shown(token, Place(number, at, at + 1)) for token in spelled]
    return shown


def _words(number: int, text: str) -> Iterator[_Shown]:
    for word in _WORD.finditer(text):
        end = word.start()
        for token in text_tokens(word[0]):
            surface = token.partition(":")[2]
            begin = text.find(surface, end, word.end())
            if begin < 0:  # it is written in another way: with a combining accent, or signs that are not seen
                yield _Shown(token, Place(number, *word.span()))
            else:
                end = begin + len(surface)
                yield _Shown(token, Place(number, begin, end))


def _without_font(token: str) -> str:
    return math_token(_plain(token.partition(":")[2])) if is_symbol(token) else token


def _plain(symbol: str) -> str:
    return "".join(fold_styled(character)[0] for character in symbol.translate(_SAME))
