"""A formula in TeX → MathML for a browser, as nested lists that JSON can hold.

A node is `[element, child, …]` and a leaf `[element, text]`; attributes are an object at the end. A page
creates the elements one by one, so nothing in a formula is ever parsed as HTML.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from html import unescape
from itertools import groupby
from typing import Any
from xml.etree.ElementTree import Element

from ...builder.tex import rewritten

Node = list[Any]

_LEAVES = frozenset({"mi", "mn", "mo", "mtext"})
_ROWS = frozenset({"math", "mrow", "mstyle", "mpadded", "mphantom", "mtd"})
_ELEMENTS = (
    _LEAVES
    | _ROWS
    | {"mfrac", "msqrt", "mroot", "msub", "msup", "msubsup", "mover", "munder", "munderover", "mmultiscripts"}
    | {"mprescripts", "mtable", "mtr", "mspace"}
)
# The values allowed for each attribute, so that no attribute can carry a link or a style.
_ATTRIBUTES = {
    "stretchy": re.compile("true|false"),
    "fence": re.compile("true|false"),
    "accent": re.compile("true|false"),
    "movablelimits": re.compile("true|false"),
    "displaystyle": re.compile("true|false"),
    "form": re.compile("prefix|infix|postfix"),
    "linethickness": re.compile("0"),
    "scriptlevel": re.compile(r"[+-]?\d"),
    "width": re.compile(r"-?\d*\.?\d+(?:em|ex)"),
    "minsize": re.compile(r"\d*\.?\d+em"),
    "maxsize": re.compile(r"\d*\.?\d+em"),
}
_WIDTHS = {"negativethinmathspace": "-0.167em"}  # a named length that browsers have dropped
_OPERATORS = re.compile(r"[^\w\s]+|′+")  # a colon or prime is not an identifier
# The bar that browsers stretch over or below a formula, and a set difference that more fonts have.
_REPLACED = {"―": "‾", "⧵": "∖"}
_IDENTIFIERS = frozenset({"∞", "∅", "∂", "∇", "∀", "∃"})  # not operators
_MACRO = re.compile(r"\\[A-Za-z]+")
# A long formula may be broken before these.
_RELATIONS = frozenset("=≠<>≤≥≪≫∼≃≅≈≡⊂⊆⊊⊃⊇∈∋∉→←↔⇒⇐⇔↦⟶⟵⟼⟹⟺↪↠⊢∣∥≔,;")
_LONGEST_CACHED = (
    100  # characters; longer formulas rarely repeat, and a server may receive any number of them
)
_SIGNS = frozenset("+-−")
_BARS = frozenset("|‖∣∥")  # the same sign opens and closes
_LONG = 12  # leaves; a longer formula may be broken
_VERY_LONG = 18  # leaves; a longer part of a formula may be broken before a sum's terms, too
# Diagrams are shown as TeX: as a row of symbols they would be meaningless.
_DIAGRAM = re.compile(r"\\(?:xymatrix|xygraph|begin\s*\{(?:tikz\w*|CD|xy|diagram)\})")
# LaTeXML writes \bigl{\lVert}, where the converter expects a delimiter without braces, and knows few names.
_BIG = re.compile(r"(\\[bB]igg?[lrm]?)\s*(?:\{\s*(\\\W|\\[A-Za-z]+|[^\s\\{}])\s*\}|(\\[A-Za-z]+|\\\|))")
_DELIMITERS = {
    **dict.fromkeys((r"\lVert", r"\rVert", r"\Vert", r"\|"), "‖"),
    **dict.fromkeys((r"\lvert", r"\rvert", r"\vert"), "|"),
    **{r"\langle": "⟨", r"\rangle": "⟩", r"\lfloor": "⌊", r"\rfloor": "⌋", r"\lceil": "⌈", r"\rceil": "⌉"},
}
_DEEPEST = 64  # levels of nesting; real formulas have fewer than 20
# Unicode's names of MathML's fonts. A second alphabet is for letters that the first one lacks.
_ALPHABETS = {
    "bold": ("BOLD",),
    "bold-italic": ("BOLD ITALIC", "BOLD"),
    "double-struck": ("DOUBLE-STRUCK",),
    "fraktur": ("FRAKTUR", "BLACK-LETTER"),
    "bold-fraktur": ("BOLD FRAKTUR",),
    "script": ("SCRIPT",),
    "bold-script": ("BOLD SCRIPT",),
    "sans-serif": ("SANS-SERIF",),
    "bold-sans-serif": ("SANS-SERIF BOLD",),
    "sans-serif-italic": ("SANS-SERIF ITALIC", "SANS-SERIF"),
    "sans-serif-bold-italic": ("SANS-SERIF BOLD ITALIC", "SANS-SERIF BOLD"),
    "monospace": ("MONOSPACE",),
}


def shown_formula(tex: str) -> list[Node]:
    """Convert a formula to MathML.

    Args:
        tex: The formula without the dollars around it.

    Returns:
        One `math` element, or several between which a long formula may be broken; a `code` element with the
        TeX if it cannot be converted.
    """
    tex = tex.strip()
    return (_shown if len(tex) <= _LONGEST_CACHED else _shown.__wrapped__)(tex)


@lru_cache(maxsize=1 << 16)  # x, X and Spec R occur over and over
def _shown(tex: str) -> list[Node]:
    from latex2mathml.converter import convert_to_element

    if not tex:
        return []
    if _DIAGRAM.search(tex):
        return [["code", tex]]
    try:
        return _broken(_node(convert_to_element(rewritten(_BIG.sub(_big, tex), keeps_layout=True))))
    except Exception:  # the converter raises all kinds of errors
        return [["code", tex]]


def _big(match: re.Match[str]) -> str:
    delimiter = match[2] or match[3]
    return f"{match[1]}{_DELIMITERS.get(delimiter, delimiter)} "


def formula_of_symbols(symbols: list[str]) -> list[Node]:
    """Make a formula from symbols in a row, without any structure."""
    return _broken(["math", *(_leaf_of(symbol) for symbol in symbols)])


def count_leaves(node: Node) -> int:
    """Count the symbols of a formula."""
    return sum(count_leaves(child) for child in node[1:] if isinstance(child, list)) or 1


# Which children of an element are scripts.
_SCRIPTS = {"msub": ("", "_"), "msup": ("", "^"), "msubsup": ("", "_", "^")}
_SUBSCRIPTS = str.maketrans(
    "0123456789+−-=()aehijklmnoprstuvxβγρφχ", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ"
)
_SUPERSCRIPTS = str.maketrans(
    "0123456789+−-=()abcdefghijklmnoprstuvwxyz*′", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ*′"
)
_RAISED = {"_": _SUBSCRIPTS, "^": _SUPERSCRIPTS}

Leaf = tuple[str, str]  # a symbol, and whether it is a subscript `_`, a superscript `^`, or neither


def leaves_of(node: Node, script: str = "") -> list[Leaf]:
    """List the symbols of a formula from left to right; a nested script counts as its outer kind."""
    children = [child for child in node[1:] if not isinstance(child, dict)]
    kinds = _SCRIPTS.get(node[0], ("",) * len(children))
    if len(kinds) != len(children):  # not valid MathML
        kinds = ("",) * len(children)
    found: list[Leaf] = []
    for child, kind in zip(children, kinds, strict=True):
        found += [(child, script)] if isinstance(child, str) else leaves_of(child, script or kind)
    return found


def written(leaves: Iterable[Leaf]) -> str:
    """Write symbols as plain text, with scripts raised or lowered where Unicode has the characters.

    >>> written([("a", ""), ("n", "_"), ("=", ""), ("L", ""), ("B", "_"), ("/", "_"), ("A", "_")])
    'aₙ=L_{B/A}'
    """
    text = ""
    for script, run in groupby(leaves, lambda leaf: leaf[1]):
        symbols = "".join(symbol for symbol, _ in run)
        if not script:
            text += symbols
        elif all(ord(character) in _RAISED[script] for character in symbols):
            text += symbols.translate(_RAISED[script])
        else:
            text += f"{script}{symbols}" if len(symbols) == 1 else f"{script}{{{symbols}}}"
    return text


def _node(element: Element, depth: int = 0) -> Node:
    if depth > _DEEPEST:
        raise ValueError("the formula is nested too deeply")
    if element.tag not in _ELEMENTS:
        raise ValueError(f"{element.tag} is not allowed on a page")
    attributes = _plain_attributes(element)
    if element.tag in _LEAVES and not len(element):
        node = _leaf(element)
        if node[1] == "‖":
            attributes.setdefault("stretchy", "false")  # browsers would stretch it to the height of its line
    else:
        # An operator with parts, \mathop{…}, becomes a row.
        tag = "mrow" if element.tag in _LEAVES else element.tag
        node = [tag, *(_node(child, depth + 1) for child in element)]
        if tag == "mrow" and len(node) == 2 and not attributes:
            return node[1]
    return [*node, attributes] if attributes else node


def _leaf(element: Element) -> Node:
    text = unescape(element.text or "")
    if _MACRO.fullmatch(text) or text in ("\\{", "\\}"):
        text = text[1:]  # a macro of the author: \Spec is printed as Spec
    text = _REPLACED.get(text, text)
    tag, variant = element.tag, element.get("mathvariant")
    if variant and variant not in ("normal", "italic"):
        text = in_alphabet(text, variant)
    elif tag == "mi" and _OPERATORS.fullmatch(text):
        tag = "mo"
    elif tag == "mo" and (text in _IDENTIFIERS or text.isalpha()):
        tag = "mi"
    elif tag == "mi" and variant == "normal" and len(text) == 1:
        tag = "mtext"  # upright; browsers slant an identifier of one letter
    return [tag, text]


def _leaf_of(symbol: str) -> Node:
    if symbol.replace(".", "").isdecimal():
        return ["mn", symbol]
    return ["mi" if symbol.isalnum() or symbol in _IDENTIFIERS else "mo", symbol]


def _plain_attributes(element: Element) -> dict[str, str]:
    found = {name: _WIDTHS.get(value, value) for name, value in element.attrib.items()}
    return {
        name: value
        for name, value in found.items()
        if name in _ATTRIBUTES and _ATTRIBUTES[name].fullmatch(value)
    }


def _broken(formula: Node) -> list[Node]:
    """Break a long formula before its relations, and long sums before their terms, since browsers do not."""
    row = formula[1] if len(formula) == 2 and formula[1][0] == "mrow" else formula
    symbols = [child for child in row[1:] if isinstance(child, list)]
    if count_leaves(formula) < _LONG or len(symbols) != len(row) - 1:
        return [["math", *symbols] if len(symbols) == len(row) - 1 else formula]
    return [part for piece in _broken_at(_RELATIONS, symbols) for part in _broken_sum(piece)]


def _broken_sum(piece: Node) -> list[Node]:
    return _broken_at(_SIGNS, piece[1:]) if count_leaves(piece) > _VERY_LONG else [piece]


def _broken_at(marks: frozenset[str], symbols: list[Node]) -> list[Node]:
    """Break a row before some of its operators, and after commas, but not in brackets."""
    parts: list[Node] = [["math"]]
    depth = 0
    is_in_bars = False
    for symbol in symbols:
        mark = symbol[1] if symbol[0] == "mo" else None
        if mark in marks and depth == 0 and len(parts[-1]) > 1:
            if mark in ",;":  # stays at the end of its line
                parts[-1].append(symbol)
                parts.append(["math"])
                continue
            if mark not in _SIGNS or (not is_in_bars and parts[-1][-1][0] != "mo"):
                parts.append(["math"])
                attributes = symbol[-1] if isinstance(symbol[-1], dict) else {}
                symbol = [*symbol[:2], {**attributes, "form": "infix"}]  # spaced as between two operands
        depth += _depth_of(mark)
        is_in_bars ^= mark in _BARS
        parts[-1].append(symbol)
    return [part for part in parts if len(part) > 1]


def _depth_of(mark: str | None) -> int:
    return 1 if mark in ("(", "[", "{", "⟨") else -1 if mark in (")", "]", "}", "⟩") else 0


@lru_cache(maxsize=1 << 12)
def in_alphabet(text: str, variant: str) -> str:
    """Write letters and digits in a font of MathML, since browsers no longer support `mathvariant`.

    Characters that the font lacks stay as they are.

    >>> in_alphabet("Hx2", "fraktur")
    'ℌ𝔵2'
    """
    return "".join(_in_alphabet(character, variant) for character in text)


def _in_alphabet(character: str, variant: str) -> str:
    words = unicodedata.name(character, "").removeprefix("LATIN ").removeprefix("GREEK ")
    words = words.replace("LETTER ", "")  # LATIN CAPITAL LETTER A is MATHEMATICAL BOLD CAPITAL A
    for alphabet in _ALPHABETS.get(variant, ()):
        for prefix in ("MATHEMATICAL ", ""):  # ℌ and others are older than the block of the alphabets
            try:
                return unicodedata.lookup(f"{prefix}{alphabet} {words}")
            except KeyError:
                continue
    return character
