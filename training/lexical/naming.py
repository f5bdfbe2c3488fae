"""Features of a text in words, to explain a match."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from .features import GROUPS, occurrences
from .words import Token, look_up


@dataclass(frozen=True, slots=True)
class NamedFeature:
    """A feature of one text.

    Attributes:
        group: The group it is of.
        surface: How a reader sees it where it occurs first.
        spans: Where it occurs: the place of its first token, and the place after its last one.
    """

    group: str
    surface: str
    spans: list[tuple[int, int]]


def feature_names(
    tokens: Sequence[str], groups: Sequence[str] = GROUPS, input: str = "both"
) -> dict[int, NamedFeature]:
    """Name all features of one text by their hashes, as bags have them.

    Args:
        tokens: Typed tokens.
        groups: The groups of features to name.
        input: What may be read: `both`, `text` or `math`.
    """
    named: dict[int, NamedFeature] = {}
    looked_up = [look_up(token) for token in tokens]
    for group, found in occurrences(pa.array([tokens], pa.list_(pa.string())), groups, input).items():
        order = np.lexsort((found.ends, found.begins))
        hashes = found.hashes.view(np.int64)[order].tolist()
        spans = zip(found.begins[order].tolist(), found.ends[order].tolist(), strict=True)
        # The parts of a compound word are at one place, in their order.
        previous, part = None, 0
        for feature, span in zip(hashes, spans, strict=True):
            part = part + 1 if span == previous else 0
            previous = span
            if feature not in named:
                named[feature] = NamedFeature(group, _surface(group, looked_up[slice(*span)], part), [])
            if span not in named[feature].spans[-1:]:
                named[feature].spans.append(span)
    return named


def _surface(group: str, tokens: list[Token], part: int) -> str:
    if group == "stem" and part:
        return tokens[0].parts[part - 1]
    if group.startswith("math"):
        tokens = [token for token in tokens if token.is_math]
    elif group == "stem-2":
        tokens = [tokens[0], tokens[-1]]
    return " ".join(token.surface for token in tokens)
