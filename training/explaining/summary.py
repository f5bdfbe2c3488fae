"""The reasons of an explanation in a few lines: reasons about the same thing are one."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby

from ...builder.tokens import text_token
from ...evaluation.pages.texts import COMMON_WORDS
from ..lexical.explanation import SHARED, Reason
from ..lexical.naming import NamedFeature
from ..lexical.words import look_up, stem
from .explanation import Explanation
from .formulas import closed, common_formulas, is_name, is_symbol, joined, printed_formula, trimmed

_GAP = text_token("…")
_MOST_SYMBOLS = 16  # of a formula that are shown


@dataclass(frozen=True, slots=True)
class Line:
    """Reasons that are about the same thing.

    Attributes:
        statement: What it is in the statement, to read.
        proof: What it is in the proof; the same, for what both texts have.
        contribution: What all these reasons together add to the score.
        reasons: These.
    """

    statement: str
    proof: str
    contribution: float
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class Summary:
    """An explanation for people.

    Attributes:
        shared: What both texts have, the strongest first.
        associated: What of the statement goes together with what else of the proof, the strongest first.
    """

    shared: list[Line]
    associated: list[Line]


def summarize(explanation: Explanation) -> Summary:
    """Put together reasons that are about the same word or formula.

    N-grams, words and their stems overlap, so that one word of a text has many features. Here it is one line,
    with all that these add to the score. What says nothing, such as articles and brackets, has no line.
    """
    statement, proof = explanation.statement, explanation.proof
    themes_of_statement, themes_of_proof = _Themes(statement, proof), _Themes(proof, statement)
    formulas = common_formulas(statement, proof)
    shared: list[_Group] = []
    associated: list[_Group] = []
    # What both have also goes together with itself, and is one line all the same: hence it comes first.
    for reason in sorted(explanation.reasons, key=lambda reason: reason.kind != SHARED):
        ours, theirs = themes_of_statement.of(reason.statement), themes_of_proof.of(reason.proof)
        if not ours.keys or not theirs.keys:
            continue
        if reason.kind == SHARED:
            ours = _in_whole_formula(ours, formulas)
            group = _group_of(ours, ours, shared)
        else:
            same = (
                group
                for group in shared
                if group.statement.keys & ours.keys and group.proof.keys & theirs.keys
            )
            group = next(same, None) or _group_of(ours, theirs, associated)
        group.contribution += reason.contribution
        group.reasons.append(reason)
    return Summary(_lines(shared), _lines(associated))


@dataclass(frozen=True, slots=True)
class _Theme:
    """What a feature is about.

    Attributes:
        tokens: Those of its tokens that say something.
        keys: What tells them from others, whatever the endings of words are.
        shown: What is printed.
    """

    tokens: tuple[str, ...]
    keys: frozenset[str]
    shown: tuple[str, ...]

    def is_near(self, other: "_Theme") -> bool:
        return self.keys <= other.keys or other.keys <= self.keys


@dataclass(slots=True)
class _Group:
    """Reasons about the same thing, which is that of the strongest one."""

    statement: _Theme
    proof: _Theme
    contribution: float = 0.0
    reasons: list[Reason] = field(default_factory=list)


class _Themes:
    """Tells what the features of a text are about.

    Args:
        tokens: Those of the text.
        others: Those of the text that it is compared with.
    """

    def __init__(self, tokens: Sequence[str], others: Sequence[str]) -> None:
        self._tokens = tokens
        self._words_of_others = {_word(token) for token in others if not is_symbol(token)}
        self._known: dict[tuple[str, str, tuple[int, int]], _Theme] = {}

    def of(self, feature: NamedFeature) -> _Theme:
        which = feature.group, feature.surface, feature.spans[0]
        if which not in self._known:
            is_math = feature.group.startswith("math")
            self._known[which] = self._of_math(feature) if is_math else self._of_text(feature)
        return self._known[which]

    def _of_math(self, feature: NamedFeature) -> _Theme:
        begin, end = feature.spans[0]
        tokens = self._tokens
        if not all(map(is_symbol, tokens[begin:end])):  # of a matcher that reads formulas only
            tokens = [token for token in tokens[begin:end] if is_symbol(token)]
            begin, end = 0, len(tokens)
        begin, end = trimmed(tokens, begin, end)
        return _theme(tokens[begin:end], tokens[begin : closed(tokens, begin, end)])

    def _of_text(self, feature: NamedFeature) -> _Theme:
        found = self._tokens[slice(*feature.spans[0])]
        if len(found) == 1:
            # A part of a compound word stands for the whole, if both texts have that.
            whole = _word(found[0])
            words = [text_token(whole if whole in self._words_of_others else feature.surface)]
        else:
            words = [found[0], found[-1]]
        said = [
            word for word in words if is_name(word) and (is_symbol(word) or _word(word) not in COMMON_WORDS)
        ]
        has_gap = len(said) == 2 and len(found) > 2
        return _theme(said, [said[0], _GAP, said[1]] if has_gap else said)


def _theme(tokens: Sequence[str], shown: Sequence[str]) -> _Theme:
    names = (token if is_symbol(token) else _stem(_word(token)) for token in tokens if is_name(token))
    return _Theme(tuple(tokens), frozenset(names), tuple(shown))


def _in_whole_formula(theme: _Theme, formulas: list[tuple[str, ...]]) -> _Theme:
    """Find the longest formula of both texts that symbols are a part of."""
    for formula in formulas:
        if joined(theme.tokens) in joined(formula):
            return _theme(formula, formula[slice(*trimmed(formula, 0, len(formula)))])
    return theme


def _group_of(statement: _Theme, proof: _Theme, groups: list[_Group]) -> _Group:
    """Find the group of reasons that are about the same, or begin one."""
    for group in groups:
        if group.statement.is_near(statement) and group.proof.is_near(proof):
            return group
    groups.append(_Group(statement, proof))
    return groups[-1]


@lru_cache(maxsize=1 << 14)  # the same words come in one text after the other
def _stem(word: str) -> str:
    return stem(word)


def _word(token: str) -> str:
    return look_up(token).surface


def _lines(groups: list[_Group]) -> list[Line]:
    lines = [
        Line(_printed(group.statement), _printed(group.proof), group.contribution, tuple(group.reasons))
        for group in groups
    ]
    return sorted(lines, key=lambda line: -line.contribution)


def _printed(theme: _Theme) -> str:
    pieces = []
    for is_formula, some in groupby(theme.shown, is_symbol):
        tokens = list(some)
        if is_formula:
            cut = " …" if len(tokens) > _MOST_SYMBOLS else ""
            pieces.append(printed_formula(tokens[:_MOST_SYMBOLS]) + cut)
        else:
            pieces += map(_word, tokens)
    return " ".join(pieces)
