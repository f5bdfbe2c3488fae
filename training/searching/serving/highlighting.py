"""An explanation → the few reasons that a page shows, and marks for the words and symbols of the proof."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ....builder.tokens import MATH, parse_token
from ....evaluation.pages.formulas import in_alphabet
from ...lexical.explanation import ASSOCIATED, SHARED, NamedFeature
from ..explain import Explanation
from ..summary import MIN_CONTRIBUTION, Line, is_meaningful, is_symbol, summarize

_MAX_REASONS = {SHARED: 7, ASSOCIATED: 4}
# A reason has many features; weak ones would mark too many other words.
_SHARE_OF_STRONGEST = 0.2
_MARKS = {SHARED: "orange-mark", ASSOCIATED: "blue-mark"}
_LEVELS = ((0.4, "strong"), (0.15, "medium"), (0.0, "weak"))


@dataclass(frozen=True, slots=True)
class ShownReason:
    """A reason for a match.

    Attributes:
        kind: `shared` or `associated`.
        contribution: What it adds to the score.
        names: The words or formulas it concerns in the statement and in the proof, for display.
        keys: The words and symbols of the proof to mark, as scripts of pages name them: `t:ring`, `m:x`.
    """

    kind: str
    contribution: float
    names: tuple[str, str]
    keys: frozenset[str]


def shown_reasons(explanation: Explanation, *texts: str) -> list[ShownReason]:
    """Select the strongest reasons, shared ones first; `texts` have the scripts of formulas."""
    summary = summarize(explanation, *texts)
    return [
        _shown_reason(kind, line, explanation.proof)
        for kind, lines in ((SHARED, summary.shared), (ASSOCIATED, summary.associated))
        for line in lines[: _MAX_REASONS[kind]]
        if line.contribution >= MIN_CONTRIBUTION
    ]


def marks_of(reasons: Sequence[ShownReason]) -> Mapping[str, str]:
    """Choose the CSS classes of marked words and symbols: kind, strength, the numbers of their reasons."""
    strongest = max((reason.contribution for reason in reasons), default=1.0)
    numbers: dict[str, list[int]] = {}
    for number, reason in enumerate(reasons):
        for key in sorted(reason.keys):
            numbers.setdefault(key, []).append(number)
    marks = {}
    for key, found in numbers.items():
        best = max(reasons[number].contribution for number in found)
        kind = SHARED if any(reasons[number].kind == SHARED for number in found) else ASSOCIATED
        level = next(name for least, name in _LEVELS if best >= least * strongest)
        marks[key] = " ".join([_MARKS[kind], level, *(f"reason-{number}" for number in found)])
    return marks


def _shown_reason(kind: str, line: Line, proof: Sequence[str]) -> ShownReason:
    reasons = [reason for reason in line.reasons if reason.kind == kind]
    least = _SHARE_OF_STRONGEST * max((reason.contribution for reason in reasons), default=0.0)
    strong = [reason.proof for reason in reasons if reason.contribution >= least]
    keys = frozenset(_key(token) for feature in strong for token in _tokens_of(feature, proof))
    return ShownReason(kind, line.contribution, (line.statement, line.proof), keys)


def _tokens_of(feature: NamedFeature, text: Sequence[str]) -> Iterator[str]:
    """Find the meaningful tokens of a feature, wherever it occurs."""
    is_math = feature.group.startswith("math")
    for begin, end in feature.spans:
        # A pair of words may have symbols between them.
        some = filter(is_symbol, text[begin:end]) if is_math else {text[begin], text[end - 1]}
        yield from filter(is_meaningful, some)


def _key(token: str) -> str:
    kind, font, surface = parse_token(token)
    return f"{kind}:{in_alphabet(surface, font or '')}" if kind == MATH else f"{kind}:{surface.lower()}"
