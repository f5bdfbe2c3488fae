"""Pieces of formulas, as people read them."""

from collections.abc import Iterable, Sequence
from functools import cache

from ...builder.linearization.fonts import fold_styled
from ...builder.tokens import MATH

_RELATIONS = frozenset("=≠<>≤≥≪≫≅≃≈≡∼≺≻∈∉∋⊂⊆⊃⊇⊊⊄∣∥→←↔⟶⟵⟷↦⟼⇒⇐⇔⟹⟸⟺↪↠↝⤳⊢⊨").union((":=",))
_OPERATORS = _RELATIONS.union("+−-±×⋅·⊗⊕∘∩∪∧∨∖/\\|,;:._")
_MARKS = frozenset("′″‴*∗⋆•∙!¯‾~^\u0301\u0302\u0303\u030c")  # belong to what is before them
_INVISIBLE = frozenset("\u2061\u2062\u2063\u2064")
_CLOSING = {"(": ")", "[": "]", "{": "}", "⟨": "⟩"}
_BRACKETS = frozenset(_CLOSING).union(_CLOSING.values())
_SPACE_AFTER = frozenset(",;:")
_ALPHABETS = (range(0x1D400, 0x1D800), range(0x2100, 0x2150))  # of Unicode's letters for formulas


def is_symbol(token: str) -> bool:
    """Tell whether a typed token stands in a formula."""
    return token.startswith(MATH)


def is_name(token: str) -> bool:
    """Tell whether a token says what a formula is about, unlike operators, brackets and marks."""
    return _surface(token) not in _OPERATORS | _BRACKETS | _MARKS | _INVISIBLE


def printed_formula(tokens: Sequence[str]) -> str:
    """Write symbols side by side, with spaces where a formula has them; scripts are not raised.

    >>> printed_formula(["m:f", "m::", "m:X", "m:→", "m:Spec", "m:(", "m.script:O", "m:)"])
    'f: X → Spec(𝒪)'
    """
    text, previous = "", ""
    for token in tokens:
        symbol = _printed_symbol(token)
        if not symbol:
            continue
        is_apart = (
            symbol in _RELATIONS
            or previous in _RELATIONS | _SPACE_AFTER
            or (symbol.isalnum() and previous.isalnum() and len(symbol + previous) > 2)
        )
        text += f" {symbol}" if is_apart and previous else symbol
        previous = symbol
    return text


def trimmed(tokens: Sequence[str], begin: int, end: int) -> tuple[int, int]:
    """Leave out what means nothing at the ends of a piece of a formula.

    >>> trimmed(["m:)", "m:≤", "m:dim", "m:(", "m:R", "m:)", "m:,"], 0, 7)
    (2, 6)
    """
    partners = {begin + place: begin + other for place, other in _partners(tokens[begin:end]).items()}
    while begin < end:
        if partners.get(begin) == end - 1:
            begin, end = begin + 1, end - 1
        elif not is_name(tokens[begin]) and begin not in partners:
            begin += 1
        elif _surface(tokens[end - 1]) in _OPERATORS | _BRACKETS and end - 1 not in partners:
            end -= 1
        else:
            break
    return begin, end


def closed(tokens: Sequence[str], begin: int, end: int) -> int:
    """Tell where a piece of a formula ends if brackets that it opens are closed.

    >>> closed(["m:dim", "m:(", "m:R", "m:)", "m:=", "m:d"], 0, 3)
    4
    """
    formula_end = end
    while formula_end < len(tokens) and is_symbol(tokens[formula_end]):
        formula_end += 1
    partners = _partners(tokens[begin:formula_end])
    return max([end, *(begin + partners.get(place, 0) + 1 for place in range(end - begin))])


def common_formulas(statement: Sequence[str], proof: Sequence[str]) -> list[tuple[str, ...]]:
    """Find the pieces of formulas that two texts have in common, each as long as possible, longest first.

    >>> common_formulas(["m:x", "m:=", "m:y", "t:or", "m:y"], ["m:1", "m:=", "m:y"])
    [('m:=', 'm:y')]
    """
    text = joined(token if is_symbol(token) else "" for token in proof)  # nothing goes on across words
    found: set[tuple[str, ...]] = set()
    for begin in range(len(statement)):
        end = begin
        while (
            end < len(statement) and is_symbol(statement[end]) and joined(statement[begin : end + 1]) in text
        ):
            end += 1
        if end > begin:
            found.add(tuple(statement[begin:end]))
    longest: dict[str, tuple[str, ...]] = {}
    for piece in sorted(found, key=lambda piece: (-len(piece), piece)):
        if not any(joined(piece) in longer for longer in longest):
            longest[joined(piece)] = piece
    return list(longest.values())


def joined(tokens: Iterable[str]) -> str:
    """Write tokens as one text, in which one can look for a part of them."""
    return "".join(f"\0{token}" for token in tokens) + "\0"


def _surface(token: str) -> str:
    return token.partition(":")[2]


def _printed_symbol(token: str) -> str:
    """Give what a reader sees of a symbol, in its font where Unicode has it."""
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
    """Find the other bracket of each that has one."""
    partners: dict[int, int] = {}
    opened: list[int] = []
    for place, token in enumerate(tokens):
        if (surface := _surface(token)) in _CLOSING:
            opened.append(place)
        elif opened and surface == _CLOSING[_surface(tokens[opened[-1]])]:
            partners[place] = opened.pop()
            partners[partners[place]] = place
    return partners
