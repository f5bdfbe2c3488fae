r"""A statement with formulas in TeX → the typed tokens that the builder would make of it.

Formulas go through MathML, like those of a corpus, but the converter differs from LaTeXML: it chooses other
characters for some signs, and writes no invisible operators. Both differences are evened out here.
"""

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from itertools import pairwise
from xml.etree.ElementTree import Element, tostring

import pyarrow as pa
from latex2mathml.converter import convert_to_element

from proofmatch.errors import ProofmatchError

from ...builder.linearization.formulas import math_tokens
from ...builder.tex import Piece, printed_text, rewritten, split_formulas
from ...builder.tokens import MATH, math_token, parse_token, text_tokens
from ...evaluation.task import select_input
from ..prediction import TrainedMatcher
from ..texts import Texts
from ..vectors import TextVectors

INVISIBLE_TIMES = "\u2062"
FUNCTION_APPLICATION = "\u2061"

# A vocabulary is ordered by frequency. Where LaTeXML has parsed the formulas of a corpus, invisible times is
# among the first words; elsewhere it is rare or unknown.
_FREQUENT = 100


@dataclass(frozen=True, slots=True)
class Query:
    """A statement as a matcher takes it.

    Attributes:
        tokens: Typed tokens, in the spelling of the matcher's corpus.
        vector: The vector of the statement.
    """

    tokens: list[str]
    vector: TextVectors


def read_query(model: TrainedMatcher, statement: str) -> Query:
    """Read a statement, text with formulas in TeX.

    Raises:
        ProofmatchError: If nothing in the statement is input of the matcher.
    """
    tokens = statement_tokens(model, statement)
    return Query(tokens, model.matcher.vectors(_encode(model, statement, tokens), "statement"))


def encode_statement(model: TrainedMatcher, statement: str) -> Texts:
    """Encode one statement, text with formulas in TeX.

    Raises:
        ProofmatchError: If nothing in the statement is input of the matcher.
    """
    return _encode(model, statement, statement_tokens(model, statement))


def _encode(model: TrainedMatcher, statement: str, tokens: list[str]) -> Texts:
    if not statement.strip():
        raise ProofmatchError("the statement is empty; give a sentence or two, with formulas as $TeX$")
    if model.reader.reads_text_column:
        return model.reader.read(pa.array([statement]))
    column = pa.array([tokens], pa.list_(pa.string()))
    input = model.matcher.config.input
    if not len(select_input(column, input).flatten()):
        what = {"text": "words", "math": "formulas, such as $x$,"}.get(input, "words or formulas")
        raise ProofmatchError(f"the model reads {what} only, and the statement has none")
    return model.reader.read(column)


def statement_tokens(model: TrainedMatcher, statement: str) -> list[str]:
    """Convert a statement to typed tokens in the spelling of the model's corpus."""
    vocabulary = model.tokenizer.get_vocab()
    has_invisible = vocabulary.get(math_token(INVISIBLE_TIMES), _FREQUENT) < _FREQUENT
    return known_spellings(tex_tokens(statement, invisible_operators=has_invisible), vocabulary)


# Text and formulas


_MARK = "\ue000"  # from the private use area: has no meaning of its own


def tex_tokens(text: str, *, invisible_operators: bool = False) -> list[str]:
    r"""Linearize text with formulas in TeX.

    Args:
        text: Words with `$…$`, `$$…$$`, `\(…\)`, `\[…\]` or environments such as `equation`. Nothing is
            refused: what cannot be parsed is read character by character.
        invisible_operators: Whether to insert operators between adjacent factors, as LaTeXML does.

    >>> tex_tokens(r"Let $x \in \mathbb{R}$.")
    ['t:Let', 'm:x', 'm:∈', 'm.double-struck:R', 't:.']
    """
    tokens: list[str] = []
    for piece in printed_pieces(text):
        if piece.is_formula:
            tokens += _formula_tokens(piece.tex, invisible_operators)
        else:
            tokens += text_tokens(piece.tex)
    return tokens


def printed_pieces(text: str) -> Iterator[Piece]:
    r"""Split a statement into text, as it is printed, and formulas.

    >>> [piece.tex for piece in printed_pieces(r"\emph{a ring \(R\)}")]
    ['a ring ', 'R', '']
    """
    pieces = list(split_formulas(text.replace(_MARK, " ")))
    # Commands may contain formulas, as in \emph{a ring $R$}: placeholders keep their arguments in one piece.
    marked = "".join(
        f"{_MARK}{at}{_MARK}" if piece.is_formula else piece.tex for at, piece in enumerate(pieces)
    )
    for place, part in enumerate(printed_text(marked).split(_MARK)):
        yield pieces[int(part)] if place % 2 else Piece(False, part)


# What remains of a formula that cannot be converted: commands, numbers and characters, without structure.
_ATOM = re.compile(r"\\[A-Za-z]+|\\[{}|]|\d+(?:\.\d+)?|[^\s\\{}$&_^~%]")

# Where the converter chooses another character than LaTeXML.
_AS_LATEXML = {
    **dict(zip("‖•·⧵⤳⨿", "∥∙⋅∖↝∐", strict=True)),
    **{"″": "′′", "‴": "′′′", "⁗": "′′′′"},
}
_PRIMES = re.compile(rf"(?<={MATH}:)′+(?: {MATH}:′+)+(?= |$)")


def _formula_tokens(tex: str, invisible_operators: bool) -> list[str]:
    plain = rewritten(tex)
    try:
        tokens = _converted(plain, invisible_operators)
    except Exception:  # the converter may raise anything, and half a formula is better than none
        tokens = [token for atom in _ATOM.findall(plain) for token in _atom_tokens(atom)]
    joined = _PRIMES.sub(lambda primes: primes[0].replace(f" {MATH}:", ""), " ".join(tokens))
    return joined.split()


def _atom_tokens(atom: str) -> list[str]:
    try:
        return _converted(atom)
    except Exception:  # as above
        return [math_token(atom.removeprefix("\\"))]


def _converted(tex: str, invisible_operators: bool = False) -> list[str]:
    if not tex.strip():
        return []
    formula = convert_to_element(tex)
    for element in formula.iter():
        element.text = _surface(element)
    if invisible_operators:
        _add_invisible_operators(formula)
    return math_tokens(tostring(formula, encoding="unicode"))


def _surface(leaf: Element) -> str | None:
    """Return the text of a leaf, whose characters the converter writes as entities."""
    if not leaf.text:
        return None
    text = unescape(leaf.text)
    if re.fullmatch(r"\\[A-Za-z]+", text):
        return text[1:]  # an author's own macro: \Spec is printed as Spec
    return _AS_LATEXML.get(text, text)


# Invisible operators: times between factors, and the application of functions


_ROWS = frozenset({"math", "mrow", "mtd"})
_SCRIPTED = frozenset({"msub", "msup", "msubsup", "mover", "munder", "munderover"})
_FRACTIONS_AND_ROOTS = frozenset({"mfrac", "msqrt", "mroot"})
_NAMES = frozenset({"mi", "mn", "mtext"})
_CLOSING = frozenset(")]}!")
_OPENING = frozenset("([{∑∏∫∂∇")


def _add_invisible_operators(formula: Element) -> None:
    """Insert operators between adjacent factors, as LaTeXML does where it parses a formula."""
    for row in [element for element in formula.iter() if element.tag in _ROWS]:
        # Thin spaces do not separate factors.
        items = [item for item in row if not item.get("width", "").startswith("0")]
        is_integral = any(_base(item).text == "∫" for item in items)
        for left, right in pairwise(items):
            if not (_ends_factor(left) and _begins_factor(right)) or (is_integral and left.text == "d"):
                continue
            operator = Element("mo")
            operator.text = FUNCTION_APPLICATION if _is_function(left) else INVISIBLE_TIMES
            row.insert(list(row).index(right), operator)


def _base(item: Element) -> Element:
    """Return the base of a scripted element, or the first element of a row."""
    while len(item) and item.tag in _SCRIPTED | _ROWS:
        item = item[0]
    return item


def _is_factor(base: Element) -> bool:
    return base.tag in _FRACTIONS_AND_ROOTS or (base.tag in _NAMES and (base.text or "").isalnum())


def _begins_factor(item: Element) -> bool:
    base = _base(item)
    return _is_factor(base) or base.text in _OPENING


def _ends_factor(item: Element) -> bool:
    base = _base(item)
    return _is_factor(base) or base.text in _CLOSING


def _is_function(item: Element) -> bool:
    base = _base(item)
    return base.tag == "mi" and len(base.text or "") > 1


# Spellings: which of several characters for one sign a model knows depends on what made its formulas


_SAME_SIGN = (
    *("→⟶", "↦⟼", "⇒⟹", "⇔⟺", "⇐⟸", "←⟵", "↔⟷", "∥‖", "∙•", "⋅·", "∖⧵\\", "∐⨿", "↝⤳⇝", "◻□", "⟂⊥"),
    *("¯‾\u0304\u0305_\u0332", "´\u0301", "`\u0300", "^\u0302", "~\u0303"),
    *("˙\u0307", "¨\u0308", "ˇ\u030c", "˘\u0306"),
)
_OTHERS = {
    **{sign: [other for other in signs if other != sign] for signs in _SAME_SIGN for sign in signs},
    "′′": ["″", "′ ′"],
    "′′′": ["‴", "′ ′ ′"],
}


def known_spellings(tokens: list[str], known: Container[str]) -> list[str]:
    r"""Replace unknown math tokens by known ones for the same sign, where there are any.

    >>> known_spellings(["m:⟶", "m:xymatrix", "t:⟶"], {"m:→", "m:\\xymatrix"})
    ['m:→', 'm:\\xymatrix', 't:⟶']
    """
    return [spelled for token in tokens for spelled in _spelled(token, known)]


def _spelled(token: str, known: Container[str]) -> list[str]:
    kind, font, surface = parse_token(token)
    if kind != MATH or token in known:
        return [token]
    # LaTeXML prints macros that it does not know with their backslash.
    for other in _OTHERS.get(surface, [f"\\{surface}"]):
        spelled = [math_token(part, font) for part in other.split()]
        if all(part in known for part in spelled):
            return spelled
    return [token]


# Many texts at once


def encode_readable(model: TrainedMatcher, texts: Sequence[str], side: str) -> Texts:
    """Encode texts with formulas in TeX as the model takes them.

    Args:
        model: The model.
        texts: The texts.
        side: What messages call one of them.

    Raises:
        ProofmatchError: If they are no list of texts, or one of them is empty.
    """
    if isinstance(texts, str):
        raise ProofmatchError(f"{side}s must be a list of texts; put the one text into brackets")
    for number, text in enumerate(texts, start=1):
        if not isinstance(text, str) or not text.strip():
            raise ProofmatchError(f"{side} {number} is {'empty' if text == '' else repr(text)}; give a text")
    if model.reader.reads_text_column:
        return model.reader.read(pa.array(list(texts), pa.string()))
    vocabulary = model.tokenizer.get_vocab()
    has_invisible = vocabulary.get(math_token(INVISIBLE_TIMES), _FREQUENT) < _FREQUENT
    tokens = [
        known_spellings(tex_tokens(text, invisible_operators=has_invisible), vocabulary) for text in texts
    ]
    return model.reader.read(pa.array(tokens, pa.list_(pa.string())))
