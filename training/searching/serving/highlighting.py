"""An explanation → the few reasons that a page shows, and marks on the words and symbols of the proof.

A reason refers to typed tokens, a page shows pieces of text and formulas. Both come from the same source, but
the page's formulas are made by another converter than those of a corpus: it writes other characters for some
signs, and no invisible ones. Hence tokens and pieces are aligned first.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import count
from typing import Any, NamedTuple

from ....builder.linearization.fonts import fold_styled
from ....builder.tokens import math_token, text_tokens
from ....evaluation.pages.formulas import Node
from ....evaluation.pages.texts import Pieces
from ...lexical.explanation import ASSOCIATED, SHARED, NamedFeature
from ..explain import Explanation
from ..query import known_spellings
from ..summary import MIN_CONTRIBUTION, Line, is_meaningful, is_symbol, summarize

# Reasons


_MAX_REASONS = {SHARED: 7, ASSOCIATED: 4}
# Of the many features of one reason, the weak ones would mark too much else.
_SHARE_OF_STRONGEST = 0.2
_MARKS = {SHARED: "orange-mark", ASSOCIATED: "blue-mark"}
_LEVELS = ((0.4, "strong"), (0.15, "medium"), (0.0, "weak"))


@dataclass(frozen=True, slots=True)
class ShownReason:
    """A reason for a match.

    Attributes:
        kind: `shared` or `associated`.
        contribution: What it adds to the score.
        names: What it concerns in the statement and in the proof, to read.
        tokens: The indices of the proof's tokens to mark.
    """

    kind: str
    contribution: float
    names: tuple[str, str]
    tokens: frozenset[int]


def shown_reasons(explanation: Explanation) -> list[ShownReason]:
    """Select the strongest reasons, shared ones first."""
    summary = summarize(explanation)
    return [
        _shown_reason(kind, line, explanation)
        for kind, lines in ((SHARED, summary.shared), (ASSOCIATED, summary.associated))
        for line in lines[: _MAX_REASONS[kind]]
        if line.contribution >= MIN_CONTRIBUTION
    ]


def _shown_reason(kind: str, line: Line, explanation: Explanation) -> ShownReason:
    reasons = [reason for reason in line.reasons if reason.kind == kind]
    least = _SHARE_OF_STRONGEST * max((reason.contribution for reason in reasons), default=0.0)
    strong = [reason.proof for reason in reasons if reason.contribution >= least]
    tokens = frozenset(token for feature in strong for token in _tokens_of(feature, explanation.proof))
    return ShownReason(kind, line.contribution, (line.statement, line.proof), tokens)


def _tokens_of(feature: NamedFeature, text: Sequence[str]) -> Iterator[int]:
    """Find the meaningful tokens of a feature, wherever it occurs."""
    is_math = feature.group.startswith("math")
    for begin, end in feature.spans:
        if is_math:
            yield from (
                token for token in range(begin, end) if is_symbol(text[token]) and is_meaningful(text[token])
            )
        else:
            # A pair of words may have symbols between them.
            yield from (token for token in {begin, end - 1} if is_meaningful(text[token]))


# Places: where each token of a text is in the pieces that a page shows


CODE = "code"  # a formula that cannot be converted is shown as code

_WORD = re.compile(r"\S+")
# Characters of the page's converter → those of LaTeXML.
_SAME = str.maketrans({"‾": "¯", "″": "′′", "‴": "′′′", "⁗": "′′′′"})


class Place(NamedTuple):
    """Where a token is shown.

    Attributes:
        piece: The index of the piece.
        begin: Where it begins in a string or in code; in a formula, the index of the leaf.
        end: Where it ends, or the index of the next leaf.
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
    shown = _shown_tokens(pieces, frozenset(ours))
    theirs = [one.token for one in shown]
    places: list[Place | None] = [None] * len(ours)
    # Most texts differ in a few places only, and a full alignment is slow.
    first = _common_prefix(ours, theirs)
    last = _common_prefix(ours[first:][::-1], theirs[first:][::-1])
    places[:first] = [one.place for one in shown[:first]]
    if last:
        places[-last:] = [one.place for one in shown[-last:]]
    middle = ours[first : len(ours) - last], theirs[first : len(theirs) - last]
    for block in SequenceMatcher(None, *middle, autojunk=False).get_matching_blocks():
        for step in range(block.size):
            places[first + block.a + step] = shown[first + block.b + step].place
    return places


def leaves(node: Node) -> Iterator[str]:
    """Yield the texts of a formula's leaves, in reading order."""
    for child in node[1:]:
        if isinstance(child, list):
            yield from leaves(child)
        elif isinstance(child, str):
            yield child


def _common_prefix(left: Sequence[str], right: Sequence[str]) -> int:
    pairs = zip(left, right, strict=False)
    return next(
        (place for place, (one, other) in enumerate(pairs) if one != other), min(len(left), len(right))
    )


def _shown_tokens(pieces: Pieces, known: frozenset[str]) -> list[_Shown]:
    """Convert pieces back to typed tokens without fonts, in the spelling of the text."""
    shown: list[_Shown] = []
    for number, piece in enumerate(pieces):
        if isinstance(piece, str):
            shown += _shown_words(number, piece)
        elif piece[0] == CODE:  # such as diagrams; a corpus has their words, too
            shown += _shown_words(number, piece[1])
        else:
            for at, leaf in enumerate(leaves(piece)):
                symbols = [math_token(_plain(symbol)) for symbol in leaf.split()]
                spelled = known_spellings(symbols, known)
                shown += [_Shown(token, Place(number, at, at + 1)) for token in spelled]
    return shown


def _shown_words(number: int, text: str) -> Iterator[_Shown]:
    for word in _WORD.finditer(text):
        end = word.start()
        for token in text_tokens(word[0]):
            surface = token.partition(":")[2]
            begin = text.find(surface, end, word.end())
            if begin < 0:  # the text differs: it has a combining accent, or invisible characters
                yield _Shown(token, Place(number, *word.span()))
            else:
                end = begin + len(surface)
                yield _Shown(token, Place(number, begin, end))


def _without_font(token: str) -> str:
    return math_token(_plain(token.partition(":")[2])) if is_symbol(token) else token


def _plain(symbol: str) -> str:
    return "".join(fold_styled(character)[0] for character in symbol.translate(_SAME))


# Marks


def classes_of(reasons: Sequence[ShownReason], places: Sequence[Place | None]) -> Mapping[Place, str]:
    """Choose the CSS classes of marked places: kind, strength, and the numbers of their reasons.

    Args:
        reasons: From `shown_reasons`.
        places: The places of the proof's tokens.
    """
    strongest = max((reason.contribution for reason in reasons), default=1.0)
    numbers: dict[Place, list[int]] = {}
    for number, reason in enumerate(reasons):
        for place in dict.fromkeys(places[token] for token in sorted(reason.tokens)):
            if place is not None:
                numbers.setdefault(place, []).append(number)
    classes = {}
    for place, found in numbers.items():
        best = max((reasons[number] for number in found), key=lambda reason: reason.contribution)
        kind = SHARED if any(reasons[number].kind == SHARED for number in found) else ASSOCIATED
        level = next(name for least, name in _LEVELS if best.contribution >= least * strongest)
        classes[place] = " ".join([_MARKS[kind], level, *(f"reason-{number}" for number in found)])
    return classes


def marked(pieces: Pieces, classes: Mapping[Place, str]) -> Pieces:
    """Mark places of a text; other pieces stay as they are.

    Args:
        pieces: From `shown_text`.
        classes: The class of each marked place; of overlapping places, the first one is marked.

    >>> marked(["a ring"], {Place(0, 2, 6): "blue-mark"})
    ['a ', ['mark', 'blue-mark', 'ring']]
    """
    by_piece: dict[int, dict[Place, str]] = {}
    for place in sorted(classes):
        by_piece.setdefault(place.piece, {})[place] = classes[place]
    result: Pieces = []
    for number, piece in enumerate(pieces):
        inside = by_piece.get(number)
        if inside is None:
            result.append(piece)
        elif isinstance(piece, str):
            result += _marked_words(piece, inside)
        elif piece[0] == CODE:
            result += [_in_code(part) for part in _marked_words(piece[1], inside)]
        else:
            result.append(_marked_node(piece, {place.begin: name for place, name in inside.items()}, count()))
    return result


def _marked_words(text: str, classes: Mapping[Place, str]) -> Iterator[Any]:
    end = 0
    for place, name in classes.items():
        if place.begin < end:
            continue  # part of a word that is marked as a whole
        if place.begin > end:
            yield text[end : place.begin]
        yield ["mark", name, text[place.begin : place.end]]
        end = place.end
    if end < len(text):
        yield text[end:]


def _in_code(part: Any) -> Node:  # noqa: ANN401 - a string or a mark
    return [CODE, part] if isinstance(part, str) else [part[0], f"{part[1]} in-code", part[2]]


def _marked_node(node: Node, classes: Mapping[int, str], numbers: Iterator[int]) -> Node:
    """Mark a copy of a node; the node itself is cached and shared by other texts."""
    copied: Node = [node[0]]
    name = None
    for child in node[1:]:
        if isinstance(child, list):
            copied.append(_marked_node(child, classes, numbers))
        elif isinstance(child, str):
            name = classes.get(next(numbers))
            copied.append(child)
        else:
            copied.append(dict(child))
    if name:
        attributes = copied.pop() if isinstance(copied[-1], dict) else {}
        copied.append({**attributes, "class": name})
    return copied
