r"""A statement with formulas in TeX → the typed tokens that the builder would make from it.

Formulas go through MathML, as in a corpus, but the converter differs from LaTeXML: it chooses other
characters for some signs, and writes no invisible operators. Both differences are evened out here.
"""

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from html import unescape
from itertools import pairwise
from xml.etree.ElementTree import Element, tostring

import pyarrow as pa
from latex2mathml.converter import convert_to_element

from proofmatch.errors import ProofmatchError

from ...builder.linearization.formulas import math_tokens
from ...builder.tex import DISPLAYS, Piece, printed_text, rewritten, split_formulas
from ...builder.tokens import MATH, math_token, parse_token, text_tokens
from ...evaluation.task import select_input
from ..prediction import TrainedMatcher
from ..texts import Texts
from .macros import Macros, expand, read_macros

INVISIBLE_TIMES = "\u2062"
FUNCTION_APPLICATION = "\u2061"

# A vocabulary is ordered by frequency. Where LaTeXML has parsed the formulas of a corpus, invisible times is
# among the first words; elsewhere it is rare or unknown.
_FREQUENT = 100


@dataclass(frozen=True, slots=True)
class Query:
    """A statement in the form that a matcher reads.

    Attributes:
        text: The statement, with the author's macros expanded.
        tokens: Typed tokens, in the spelling of the matcher's corpus.
        column: The statement as a column for the matcher's reader.
        not_understood: Undefined commands, and other faults of the TeX.
    """

    text: str
    tokens: list[str]
    column: pa.Array
    not_understood: list[str] = field(default_factory=list)


def read_query(
    model: TrainedMatcher, statement: str, macros: Macros | None = None, max_tokens: int | None = None
) -> Query:
    r"""Read a statement, text with formulas in TeX.

    Args:
        model: The model to search with.
        statement: The statement; it may contain definitions such as `\newcommand`.
        macros: Further definitions.
        max_tokens: Refuse longer statements.

    Raises:
        ProofmatchError: If the statement is too long, the matcher can read nothing in it, or macros expand
            without end.
    """
    own, text = read_macros(statement)
    text = expand(text, {**(macros or {}), **own})
    tokens, faults = _read(model, text)
    if max_tokens is not None and len(tokens) > max_tokens:
        raise ProofmatchError(
            f"the statement has {len(tokens):,} words and symbols; shorten it to at most {max_tokens:,}"
        )
    return Query(text, tokens, _column(model, text, tokens), faults)


def encode_statement(model: TrainedMatcher, statement: str) -> Texts:
    """Encode one statement, text with formulas in TeX.

    Raises:
        ProofmatchError: If the matcher can read nothing in the statement.
    """
    return model.reader.read(_column(model, statement, statement_tokens(model, statement)))


def statement_tokens(model: TrainedMatcher, statement: str) -> list[str]:
    """Convert a statement to typed tokens in the spelling of the model's corpus."""
    return _read(model, statement)[0]


def _read(model: TrainedMatcher, text: str) -> tuple[list[str], list[str]]:
    """Return the tokens of a text, and the parts that are not understood."""
    vocabulary = model.tokenizer.get_vocab()
    has_invisible = vocabulary.get(math_token(INVISIBLE_TIMES), _FREQUENT) < _FREQUENT
    read = read_tex(text, invisible_operators=has_invisible)
    unknown = [
        rf"\{name}"
        for name in read.unknown
        # It is read as its name, which is right if the corpus has that: many define \Spec as Spec.
        if len(name) == 1 or math_token(name) not in vocabulary
    ]
    if model.reader.reads_text_column:
        unknown = []  # it reads raw TeX
    return known_spellings(read.tokens, vocabulary), [*dict.fromkeys([*unknown, *read.faults])][:_MAX_FAULTS]


def not_understood_line(faults: list[str]) -> str:
    r"""Say in one line which parts of a statement were not understood.

    >>> not_understood_line([r"\PP", r"\cF", "unclosed {"])
    'not understood: \\PP, \\cF; unclosed {'
    """
    commands = [fault for fault in faults if fault.startswith("\\")]
    return "not understood: " + "; ".join(
        [*([", ".join(commands)] if commands else []), *(fault for fault in faults if fault not in commands)]
    )


def _column(model: TrainedMatcher, statement: str, tokens: list[str]) -> pa.Array:
    if not statement.strip():
        raise ProofmatchError("the statement is empty; give a sentence or two, with formulas as $TeX$")
    if model.reader.reads_text_column:
        return pa.array([statement])
    column = pa.array([tokens], pa.list_(pa.string()))
    input = model.matcher.config.input
    if not len(select_input(column, input).flatten()):
        what = {"text": "words", "math": "formulas, such as $x$,"}.get(input, "words or formulas")
        raise ProofmatchError(f"the model reads {what} only, and the statement has none")
    return column


# Text and formulas


_MARK = "\ue000"  # from the private use area: has no meaning of its own
_UNKNOWN = re.compile(r"\\([A-Za-z]+)")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_DELIMITER = re.compile(rf"\\[\\$%&#_{{}} ]|(\$\$?|\\[(\[]|\\begin\s*\{{(?:{DISPLAYS})\*?\}})")
_MAX_FAULTS = 10
_MAX_SHOWN = 40  # characters of a formula


@dataclass(slots=True)
class ReadText:
    """A text with formulas in TeX, read.

    Attributes:
        tokens: Typed tokens.
        unknown: Names of commands without a known meaning.
        faults: What else is wrong with the TeX, to show.
    """

    tokens: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def tex_tokens(text: str, *, invisible_operators: bool = False) -> list[str]:
    r"""Linearize text with formulas in TeX.

    Args:
        text: Words with `$…$`, `$$…$$`, `\(…\)`, `\[…\]` or environments such as `equation`. Nothing is
            refused: what cannot be parsed is read character by character.
        invisible_operators: Whether to insert operators between adjacent factors, as LaTeXML does.

    >>> tex_tokens(r"Let $x \in \mathbb{R}$.")
    ['t:Let', 'm:x', 'm:∈', 'm.double-struck:R', 't:.']
    """
    return read_tex(text, invisible_operators=invisible_operators).tokens


def read_tex(text: str, *, invisible_operators: bool = False) -> ReadText:
    r"""Linearize text with formulas in TeX as `tex_tokens` does, and note what is not understood.

    >>> read_tex(r"On $\PP^n$ \foo").unknown
    ['PP', 'foo']
    """
    read = ReadText(faults=_unclosed(text))
    for piece in printed_pieces(text):
        if piece.is_formula:
            read.tokens += _formula_tokens(piece.tex, invisible_operators, read)
        else:
            read.tokens += text_tokens(piece.tex)
            read.unknown += _UNKNOWN.findall(piece.tex)
    return read


def _unclosed(text: str) -> list[str]:
    """Find what is opened and not closed, or closed and not opened."""
    faults: list[str] = []
    outside: list[str] = []
    for piece in split_formulas(text):
        if piece.is_formula:
            faults += _unmatched_braces(piece.tex)
        else:
            outside.append(piece.tex)
            faults += [f"unclosed {match[1]}" for match in _DELIMITER.finditer(piece.tex) if match[1]]
    return faults + _unmatched_braces("".join(outside))


def _unmatched_braces(tex: str) -> list[str]:
    depth, unopened = 0, False
    for match in _BRACE.finditer(tex):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        unopened |= depth < 0
        depth = max(0, depth)
    return ["unclosed {"] * bool(depth) + ["unopened }"] * unopened


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


def _formula_tokens(tex: str, invisible_operators: bool, read: ReadText) -> list[str]:
    plain = rewritten(tex)
    try:
        tokens = _converted(plain, read, invisible_operators)
    except Exception:  # the converter may raise anything, and half a formula is better than none
        cut = f"{tex[:_MAX_SHOWN]}…" if len(tex) > _MAX_SHOWN else tex
        read.faults.append(f"the formula ${' '.join(cut.split())}$")
        tokens = [token for atom in _ATOM.findall(plain) for token in _atom_tokens(atom, read)]
    joined = _PRIMES.sub(lambda primes: primes[0].replace(f" {MATH}:", ""), " ".join(tokens))
    return joined.split()


def _atom_tokens(atom: str, read: ReadText) -> list[str]:
    try:
        return _converted(atom, read)
    except Exception:  # as above
        return [math_token(atom.removeprefix("\\"))]


def _converted(tex: str, read: ReadText, invisible_operators: bool = False) -> list[str]:
    if not tex.strip():
        return []
    formula = convert_to_element(tex)
    for element in formula.iter():
        text = unescape(element.text or "")
        if unknown := _UNKNOWN.fullmatch(text):
            read.unknown.append(unknown[1])  # printed as its name, as LaTeXML does
            element.text = unknown[1]
        else:
            element.text = _AS_LATEXML.get(text, text) or None
    if invisible_operators:
        _add_invisible_operators(formula)
    return math_tokens(tostring(formula, encoding="unicode"))


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


# Spellings: of several characters for one sign, a model knows those that its corpus's converter wrote


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
    r"""Replace unknown math tokens with known ones for the same sign, where there are any.

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


def read_column(model: TrainedMatcher, texts: Sequence[str], side: str) -> pa.Array:
    """Convert texts with formulas in TeX to a column for the model's reader.

    Args:
        model: The model.
        texts: The texts.
        side: The name of a text in messages.

    Raises:
        ProofmatchError: If they are not a list of texts, or one of them is empty.
    """
    if isinstance(texts, str):
        raise ProofmatchError(f"{side}s must be a list of texts; put a single text in a list")
    for number, text in enumerate(texts, start=1):
        if not isinstance(text, str) or not text.strip():
            raise ProofmatchError(f"{side} {number} is {'empty' if text == '' else repr(text)}; give a text")
    if model.reader.reads_text_column:
        return pa.array(list(texts), pa.string())
    vocabulary = model.tokenizer.get_vocab()
    has_invisible = vocabulary.get(math_token(INVISIBLE_TIMES), _FREQUENT) < _FREQUENT
    tokens = [
        known_spellings(tex_tokens(text, invisible_operators=has_invisible), vocabulary) for text in texts
    ]
    return pa.array(tokens, pa.list_(pa.string()))
