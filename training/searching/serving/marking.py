"""Pieces of a text → the same pieces with some places marked."""

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

from ....evaluation.pages.formulas import Node
from ....evaluation.pages.texts import Pieces
from .places import CODE, Place


def marked(pieces: Pieces, classes: Mapping[Place, str]) -> Pieces:
    """Give places their classes; pieces without any stay as they are.

    Args:
        pieces: From `shown_text`.
        classes: The class of each place that is marked; of places that overlap, the first is.

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
            continue  # a part of a word that is marked as a whole
        if place.begin > end:
            yield text[end : place.begin]
        yield ["mark", name, text[place.begin : place.end]]
        end = place.end
    if end < len(text):
        yield text[end:]


def _in_code(part: Any) -> Node:  # noqa: ANN401 - a string or a mark
    return [CODE, part] if isinstance(part, str) else [part[0], f"{part[1]} in-code", part[2]]


def _marked_node(node: Node, classes: Mapping[int, str], numbers: Iterator[int]) -> Node:
    """Copy a node; formulas that come again are shared with other texts, and must not change."""
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
