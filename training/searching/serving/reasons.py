"""An explanation → the few reasons that a page shows, and the tokens of both texts that each is about."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ....evaluation.pages.texts import COMMON_WORDS
from ...explaining.explanation import Explanation
from ...explaining.formulas import is_name, is_symbol
from ...explaining.summary import Line, summarize
from ...lexical.explanation import ASSOCIATED, SHARED
from ...lexical.naming import NamedFeature
from ...lexical.words import look_up
from .places import Place

_MOST = {SHARED: 7, ASSOCIATED: 4}  # reasons of a kind that are shown
_LEAST = 0.005  # what is less would be shown as 0.00
# Of the many features that one reason consists of, the weak ones are about too much else.
_SHARE_OF_STRONGEST = 0.2
_MARKS = {SHARED: "orange-mark", ASSOCIATED: "blue-mark"}
_LEVELS = ((0.4, "strong"), (0.15, "medium"), (0.0, "weak"))


@dataclass(frozen=True, slots=True)
class ShownReason:
    """A reason for a match.

    Attributes:
        kind: `shared` or `associated`.
        contribution: What it adds to the score.
        names: What it is about in the statement and in the proof, to read.
        tokens: The tokens it is about, numbers of those of the statement and of those of the proof.
    """

    kind: str
    contribution: float
    names: tuple[str, str]
    tokens: tuple[frozenset[int], frozenset[int]]


def shown_reasons(explanation: Explanation) -> list[ShownReason]:
    """Choose the strongest reasons, first what both texts share."""
    summary = summarize(explanation)
    return [
        _shown(kind, line, explanation)
        for kind, lines in ((SHARED, summary.shared), (ASSOCIATED, summary.associated))
        for line in lines[: _MOST[kind]]
        if line.contribution >= _LEAST
    ]


def classes_of(
    reasons: Sequence[ShownReason], places: Sequence[Place | None], side: int
) -> Mapping[Place, str]:
    """Tell which places of a text are marked, and how: by kind, strength, and the numbers of the reasons.

    Args:
        reasons: From `shown_reasons`.
        places: Those of the text's tokens.
        side: 0 for the statement, 1 for the proof.
    """
    strongest = max((reason.contribution for reason in reasons), default=1.0)
    numbers: dict[Place, list[int]] = {}
    for number, reason in enumerate(reasons):
        for place in dict.fromkeys(places[token] for token in sorted(reason.tokens[side])):
            if place is not None:
                numbers.setdefault(place, []).append(number)
    classes = {}
    for place, found in numbers.items():
        best = max((reasons[number] for number in found), key=lambda reason: reason.contribution)
        kind = SHARED if any(reasons[number].kind == SHARED for number in found) else ASSOCIATED
        level = next(name for least, name in _LEVELS if best.contribution >= least * strongest)
        classes[place] = " ".join([_MARKS[kind], level, *(f"reason-{number}" for number in found)])
    return classes


def _shown(kind: str, line: Line, explanation: Explanation) -> ShownReason:
    reasons = [reason for reason in line.reasons if reason.kind == kind]
    least = _SHARE_OF_STRONGEST * max((reason.contribution for reason in reasons), default=0.0)
    strong = [reason for reason in reasons if reason.contribution >= least]
    ours, theirs = (
        frozenset(token for feature in features for token in _tokens_of(feature, text))
        for features, text in (
            ([reason.statement for reason in strong], explanation.statement),
            ([reason.proof for reason in strong], explanation.proof),
        )
    )
    return ShownReason(kind, line.contribution, (line.statement, line.proof), (ours, theirs))


def _tokens_of(feature: NamedFeature, text: Sequence[str]) -> Iterator[int]:
    """Find the tokens that a feature is about, wherever it occurs."""
    is_math = feature.group.startswith("math")
    for begin, end in feature.spans:
        if is_math:
            yield from (
                token for token in range(begin, end) if is_symbol(text[token]) and is_name(text[token])
            )
        else:
            # A pair of words may have others between them.
            yield from (token for token in {begin, end - 1} if _says_something(text[token]))


def _says_something(token: str) -> bool:
    return is_name(token) and (is_symbol(token) or look_up(token).surface not in COMMON_WORDS)
