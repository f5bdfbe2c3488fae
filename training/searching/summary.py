"""An explanation in a few lines: overlapping features become one line each, formulas are printed readably."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import groupby

from ...builder.linearization.fonts import fold_styled
from ...builder.tokens import MATH, text_token
from ...evaluation.pages.formulas import Leaf, leaves_of, written
from ...evaluation.pages.texts import COMMON_WORDS, shown_text
from ..lexical.explanation import SHARED, NamedFeature, Reason
from ..lexical.features import SHAPES, look_up, stem
from .explain import Explanation

# A smaller contribution would be shown as 0.00.
MIN_CONTRIBUTION = 0.005

_GAP = text_token("…")
_MAX_SYMBOLS = 16  # of a printed formula


@dataclass(frozen=True, slots=True)
class Line:
    """Reasons that concern the same words or formula.

    Attributes:
        statement: The words or formula in the statement, for display.
        proof: The words or formula in the proof; the same for shared features.
        contribution: What all these reasons add to the score.
        reasons: The reasons.
    """

    statement: str
    proof: str
    contribution: float
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class Summary:
    """A readable explanation.

    Attributes:
        shared: What both texts have, strongest first.
        associated: Words or formulas of the statement and the proof that are associated, strongest first.
    """

    shared: list[Line]
    associated: list[Line]


def summarize(explanation: Explanation, *texts: str) -> Summary:
    """Group reasons by the word or formula that they concern.

    N-grams, words and their stems overlap, so one word of a text has many features. Here it is one line with
    the contribution of all of them. Tokens without meaning, such as articles and brackets, have no line.

    Args:
        explanation: The explanation.
        texts: Texts with TeX in which its formulas occur. Tokens have no scripts; these show where they are.
    """
    statement, proof = explanation.statement, explanation.proof
    themes_of_statement, themes_of_proof = _Themes(statement, proof), _Themes(proof, statement)
    formulas = common_formulas(statement, proof)
    shared: list[_Group] = []
    associated: list[_Group] = []
    # Shared features come first, because associations of a feature with itself join their lines.
    for reason in sorted(explanation.reasons, key=lambda reason: reason.kind != SHARED):
        names = themes_of_statement.names(reason.statement), themes_of_proof.names(reason.proof)
        has_same_names = reason.kind == SHARED and names[0] == names[1]
        ours = themes_of_statement.of(reason.statement, has_same_names)
        theirs = themes_of_proof.of(reason.proof, has_same_names)
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
    scripts = _Scripts(texts)
    return Summary(_lines(shared, scripts), _lines(associated, scripts))


def is_symbol(token: str) -> bool:
    """Whether a typed token belongs to a formula."""
    return token.startswith(MATH)


def is_meaningful(token: str) -> bool:
    """Whether a token says what a text is about, unlike operators, brackets and words such as `the`."""
    return _is_name(token) and (is_symbol(token) or _word(token) not in COMMON_WORDS)


@dataclass(frozen=True, slots=True)
class _Theme:
    """The words or symbols that a feature stands for.

    Attributes:
        tokens: Its meaningful tokens.
        keys: Identify them, whatever the endings of words.
        shown: The tokens to print.
    """

    tokens: tuple[str, ...]
    keys: frozenset[str]
    shown: tuple[str, ...]

    def is_near(self, other: "_Theme") -> bool:
        return self.keys <= other.keys or other.keys <= self.keys


@dataclass(slots=True)
class _Group:
    """Reasons with the same theme, which is taken from the strongest one."""

    statement: _Theme
    proof: _Theme
    contribution: float = 0.0
    reasons: list[Reason] = field(default_factory=list)


class _Themes:
    """Finds the themes of a text's features.

    Args:
        tokens: The tokens of the text.
        others: The tokens of the text that it is compared with.
    """

    def __init__(self, tokens: Sequence[str], others: Sequence[str]) -> None:
        self._tokens = tokens
        self._words_of_others = {_word(token) for token in others if not is_symbol(token)}
        self._known: dict[tuple[str, str, tuple[int, int], bool], _Theme] = {}

    def of(self, feature: NamedFeature, has_same_names: bool = False) -> _Theme:
        """Find the theme of a feature.

        Args:
            feature: The feature.
            has_same_names: Whether a feature that does not see names is shared with the same names.
        """
        key = feature.group, feature.surface, feature.spans[0], has_same_names
        if key not in self._known:
            self._known[key] = self._find(feature, has_same_names)
        return self._known[key]

    def names(self, feature: NamedFeature) -> list[str]:
        """List the tokens of a feature as the text has them."""
        return list(self._tokens[slice(*feature.spans[0])])

    def _find(self, feature: NamedFeature, has_same_names: bool) -> _Theme:
        is_shape = feature.group in SHAPES
        if is_shape and not has_same_names:
            return self._of_shape(feature)
        is_math = all(map(is_symbol, self.names(feature))) if is_shape else feature.group.startswith("math")
        return self._of_math(feature) if is_math else self._of_text(feature)

    def _of_shape(self, feature: NamedFeature) -> _Theme:
        """Show variables as placeholders, such as `□ : △ → ○`, but keep different variables apart."""
        signs = feature.surface.split(" ")
        tokens = [token for token in self.names(feature) if is_symbol(token) or _word(token)]
        if len(tokens) < 2 or len(signs) != len(tokens):
            return _Theme((), frozenset(), ())
        shown = [
            f"{MATH}:{sign}" if is_symbol(token) else token for sign, token in zip(signs, tokens, strict=True)
        ]
        keys = frozenset(f"shape {token}" for token in tokens if is_meaningful(token))
        return _Theme(tuple(shown), keys, tuple(shown))

    def _of_math(self, feature: NamedFeature) -> _Theme:
        begin, end = feature.spans[0]
        tokens = self._tokens
        if not all(map(is_symbol, tokens[begin:end])):  # of a matcher whose input is math only
            tokens = [token for token in tokens[begin:end] if is_symbol(token)]
            begin, end = 0, len(tokens)
        begin, end = trimmed(tokens, begin, end)
        return _theme(tokens[begin:end], tokens[begin : closed(tokens, begin, end)])

    def _of_text(self, feature: NamedFeature) -> _Theme:
        found = self._tokens[slice(*feature.spans[0])]
        if len(found) == 1:
            # A part of a compound word stands for the whole word if both texts have that.
            whole = _word(found[0])
            words = [text_token(whole if whole in self._words_of_others else feature.surface)]
        else:
            words = [found[0], found[-1]]
        words = list(filter(is_meaningful, words))
        has_gap = len(words) == 2 and len(found) > 2
        return _theme(words, [words[0], _GAP, words[1]] if has_gap else words)


def _theme(tokens: Sequence[str], shown: Sequence[str]) -> _Theme:
    names = (token if is_symbol(token) else _stem(_word(token)) for token in tokens if _is_name(token))
    return _Theme(tuple(tokens), frozenset(names), tuple(shown))


def _in_whole_formula(theme: _Theme, formulas: list[tuple[str, ...]]) -> _Theme:
    """Find the longest formula in both texts that contains the symbols."""
    for formula in formulas:
        if _joined(theme.tokens) in _joined(formula):
            return _theme(formula, formula[slice(*trimmed(formula, 0, len(formula)))])
    return theme


def _group_of(statement: _Theme, proof: _Theme, groups: list[_Group]) -> _Group:
    """Find the group of a theme, or begin one."""
    for group in groups:
        if group.statement.is_near(statement) and group.proof.is_near(proof):
            return group
    groups.append(_Group(statement, proof))
    return groups[-1]


@lru_cache(maxsize=1 << 14)  # many texts have the same words
def _stem(word: str) -> str:
    return stem(word)


def _word(token: str) -> str:
    return look_up(token).surface


class _Scripts:
    """Finds the scripts of formulas in texts.

    Args:
        texts: The texts, with TeX.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._formulas = [
            [leaf for leaf in leaves_of(piece) if leaf[0] not in _INVISIBLE]
            for text in texts
            for piece in shown_text(text)
            if isinstance(piece, list) and piece[0] == "math"
        ]

    def find(self, symbols: list[str]) -> list[str]:
        """Tell for each symbol whether it is a subscript `_`, a superscript `^`, or neither."""
        n = len(symbols)
        for leaves in self._formulas:
            for start in range(len(leaves) - n + 1):
                some = leaves[start : start + n]
                if some[0][1] == "" and [symbol for symbol, _ in some] == symbols:
                    return [script for _, script in some]
        return [""] * n


def _lines(groups: list[_Group], scripts: _Scripts) -> list[Line]:
    lines = [
        Line(
            _printed(group.statement, scripts),
            _printed(group.proof, scripts),
            group.contribution,
            tuple(group.reasons),
        )
        for group in groups
    ]
    return sorted(lines, key=lambda line: -line.contribution)


def _printed(theme: _Theme, scripts: _Scripts) -> str:
    pieces = []
    for is_formula, some in groupby(theme.shown, is_symbol):
        tokens = list(some)
        if is_formula:
            cut = " …" if len(tokens) > _MAX_SYMBOLS else ""
            pieces.append(printed_formula(tokens[:_MAX_SYMBOLS], scripts.find) + cut)
        else:
            pieces += map(_word, tokens)
    return " ".join(pieces)


# Pieces of formulas


_RELATIONS = frozenset("=≠<>≤≥≪≫≅≃≈≡∼≺≻∈∉∋⊂⊆⊃⊇⊊⊄∣∥→←↔⟶⟵⟷↦⟼⇒⇐⇔⟹⟸⟺↪↠↝⤳⊢⊨").union((":=",))
_OPERATORS = _RELATIONS.union("+−-±×⋅·⊗⊕∘∩∪∧∨∖/\\|,;:._")
_MARKS = frozenset("′″‴*∗⋆•∙!¯‾~^\u0301\u0302\u0303\u030c")  # belong to the symbol before them
_INVISIBLE = frozenset("\u2061\u2062\u2063\u2064")
_CLOSING = {"(": ")", "[": "]", "{": "}", "⟨": "⟩"}
_BRACKETS = frozenset(_CLOSING).union(_CLOSING.values())
_SPACE_AFTER = frozenset(",;:")
_ALPHABETS = (range(0x1D400, 0x1D800), range(0x2100, 0x2150))  # Unicode's mathematical letters


def printed_formula(
    tokens: Sequence[str],
    find_scripts: Callable[[list[str]], list[str]] = lambda symbols: [""] * len(symbols),
) -> str:
    """Write symbols side by side, with spaces where a formula has them.

    Args:
        tokens: The symbols.
        find_scripts: Tells for each symbol whether it is a subscript `_`, a superscript `^`, or neither.

    >>> printed_formula(["m:f", "m::", "m:X", "m:→", "m:Spec", "m:(", "m.script:O", "m:)"])
    'f: X → Spec(𝒪)'
    >>> printed_formula(["m:a", "m:n", "m:=", "m:0"], lambda _: ["", "_", "", ""])
    'aₙ = 0'
    """
    symbols = [symbol for symbol in map(_printed_symbol, tokens) if symbol]
    leaves: list[Leaf] = []
    previous = ""
    for symbol, script in zip(symbols, find_scripts(symbols), strict=True):
        is_apart = not script and (
            symbol in _RELATIONS
            or previous in _RELATIONS | _SPACE_AFTER
            or (symbol.isalnum() and previous.isalnum() and len(symbol + previous) > 2)
        )
        if is_apart and previous:
            leaves.append((" ", ""))
        leaves.append((symbol, script))
        previous = symbol
    return written(leaves)


def trimmed(tokens: Sequence[str], begin: int, end: int) -> tuple[int, int]:
    """Drop operators and unmatched brackets from both ends of a piece of a formula.

    >>> trimmed(["m:)", "m:≤", "m:dim", "m:(", "m:R", "m:)", "m:,"], 0, 7)
    (2, 6)
    """
    partners = {begin + place: begin + other for place, other in _partners(tokens[begin:end]).items()}
    while begin < end:
        if partners.get(begin) == end - 1:
            begin, end = begin + 1, end - 1
        elif not _is_name(tokens[begin]) and begin not in partners:
            begin += 1
        elif _surface(tokens[end - 1]) in _OPERATORS | _BRACKETS and end - 1 not in partners:
            end -= 1
        else:
            break
    return begin, end


def closed(tokens: Sequence[str], begin: int, end: int) -> int:
    """Return the end of a piece of a formula, extended to close the brackets that it opens.

    >>> closed(["m:dim", "m:(", "m:R", "m:)", "m:=", "m:d"], 0, 3)
    4
    """
    formula_end = end
    while formula_end < len(tokens) and is_symbol(tokens[formula_end]):
        formula_end += 1
    partners = _partners(tokens[begin:formula_end])
    return max([end, *(begin + partners.get(place, 0) + 1 for place in range(end - begin))])


def common_formulas(statement: Sequence[str], proof: Sequence[str]) -> list[tuple[str, ...]]:
    """Find the maximal pieces of formulas that two texts have in common, longest first.

    >>> common_formulas(["m:x", "m:=", "m:y", "t:or", "m:y"], ["m:1", "m:=", "m:y"])
    [('m:=', 'm:y')]
    """
    text = _joined(token if is_symbol(token) else "" for token in proof)  # no piece extends across words
    found: set[tuple[str, ...]] = set()
    for begin in range(len(statement)):
        end = begin
        while (
            end < len(statement) and is_symbol(statement[end]) and _joined(statement[begin : end + 1]) in text
        ):
            end += 1
        if end > begin:
            found.add(tuple(statement[begin:end]))
    longest: dict[str, tuple[str, ...]] = {}
    for piece in sorted(found, key=lambda piece: (-len(piece), piece)):
        if not any(_joined(piece) in longer for longer in longest):
            longest[_joined(piece)] = piece
    return list(longest.values())


def _joined(tokens: Iterable[str]) -> str:
    """Write tokens as one string, so that a sequence of tokens is a substring."""
    return "".join(f"\0{token}" for token in tokens) + "\0"


def _is_name(token: str) -> bool:
    return _surface(token) not in _OPERATORS | _BRACKETS | _MARKS | _INVISIBLE


def _surface(token: str) -> str:
    return token.partition(":")[2]


def _printed_symbol(token: str) -> str:
    """Write a symbol in its font, where Unicode has it."""
    token_type, _, surface = token.partition(":")
    if surface in _INVISIBLE:
        return ""
    font = token_type.partition(".")[2] or None
    return "".join(_styled().get((letter, font), letter) for letter in surface)


@cache
def _styled() -> dict[tuple[str, str | None], str]:
    characters = (chr(code) for block in _ALPHABETS for code in block)
    folded = {fold_styled(character): character for character in characters}
    return {(letter, font): character for (letter, font), character in folded.items() if font}


def _partners(tokens: Sequence[str]) -> dict[int, int]:
    """Map each matched bracket to its partner."""
    partners: dict[int, int] = {}
    opened: list[int] = []
    for place, token in enumerate(tokens):
        if (surface := _surface(token)) in _CLOSING:
            opened.append(place)
        elif opened and surface == _CLOSING[_surface(tokens[opened[-1]])]:
            partners[place] = opened.pop()
            partners[partners[place]] = place
    return partners
