"""A formula in TeX → MathML for a browser, as nested lists that JSON can hold.

A node is `[element, child, …]`, a leaf `[element, text]`, and attributes are an object at its end. Pages make
elements of it one by one, so that nothing in a formula is ever read as HTML.
"""

import re
from functools import lru_cache
from html import unescape
from typing import Any
from xml.etree.ElementTree import Element

from ...builder.tex import rewritten
from .alphabets import in_alphabet

Node = list[Any]

_LEAVES = frozenset({"mi", "mn", "mo", "mtext"})
_ROWS = frozenset({"math", "mrow", "mstyle", "mpadded", "mphantom", "mtd"})
_ELEMENTS = (
    _LEAVES
    | _ROWS
    | {"mfrac", "msqrt", "mroot", "msub", "msup", "msubsup", "mover", "munder", "munderover", "mmultiscripts"}
    | {"mprescripts", "mtable", "mtr", "mspace"}
)
# Of each what is plain, so that no attribute can carry anything else; links and styles are not among them.
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
_WIDTHS = {"negativethinmathspace": "-0.167em"}  # a name that browsers no longer know
_OPERATORS = re.compile(r"[^\w\s]+|′+")  # a colon or prime is no identifier
_AS_BROWSERS_KNOW = {"―": "‾"}  # a line over or below that stretches
_NAMES = frozenset({"∞", "∅", "∂", "∇", "∀", "∃"})  # and these no operators
_MACRO = re.compile(r"\\[A-Za-z]+")
# What separates sides of a long formula: a line may end before it.
_RELATIONS = frozenset("=≠<>≤≥≪≫∼≃≅≈≡⊂⊆⊊⊃⊇∈∋∉→←↔⇒⇐⇔↦⟶⟵⟼⟹⟺↪↠⊢∣∥≔,;")
_LONGEST_KEPT = 100  # characters of a formula that is likely to come again; a server may be given any
_LONG = 12  # leaves, from which on a formula may be broken
# Diagrams, of which only their TeX is left to read; as a row of symbols they would say nothing.
_DIAGRAM = re.compile(r"\\(?:xymatrix|xygraph|begin\s*\{(?:tikz\w*|CD|xy|diagram)\})")
_DEEPEST = 64  # nodes within nodes; formulas of people have fewer than 20


def shown_formula(tex: str) -> list[Node]:
    """Convert a formula to MathML.

    Args:
        tex: Without the dollars around it.

    Returns:
        The formula: several `math` elements where it is long, between which a line may end; or a `code`
        element with its TeX, if it cannot be converted.
    """
    tex = tex.strip()
    return (_shown if len(tex) <= _LONGEST_KEPT else _shown.__wrapped__)(tex)


@lru_cache(maxsize=1 << 16)  # x, X and Spec R come again and again
def _shown(tex: str) -> list[Node]:
    from latex2mathml.converter import convert_to_element

    if not tex:
        return []
    if _DIAGRAM.search(tex):
        return [["code", tex]]
    try:
        return _broken(_node(convert_to_element(rewritten(tex, keeps_layout=True))))
    except Exception:  # the converter raises whatever comes to it
        return [["code", tex]]


def formula_of_symbols(symbols: list[str]) -> list[Node]:
    """Make a formula of symbols in a row, of which nothing more is known."""
    return _broken(["math", *(_leaf_of(symbol) for symbol in symbols)])


def count_leaves(node: Node) -> int:
    """Count the symbols of a formula."""
    return sum(count_leaves(child) for child in node[1:] if isinstance(child, list)) or 1


def _node(element: Element, depth: int = 0) -> Node:
    if depth > _DEEPEST:
        raise ValueError("what is nested deeper is hard to read, for programs as well")
    if element.tag not in _ELEMENTS:
        raise ValueError(f"{element.tag} is not shown")
    attributes = _plain_attributes(element)
    if element.tag in _LEAVES and not len(element):
        node = _leaf(element)
    else:
        # An operator may have parts, \mathop{…}: a row then.
        tag = "mrow" if element.tag in _LEAVES else element.tag
        node = [tag, *(_node(child, depth + 1) for child in element)]
        if tag == "mrow" and len(node) == 2 and not attributes:
            return node[1]
    return [*node, attributes] if attributes else node


def _leaf(element: Element) -> Node:
    text = unescape(element.text or "")
    if _MACRO.fullmatch(text):
        text = text[1:]  # a macro of the author: \Spec is printed as Spec
    text = _AS_BROWSERS_KNOW.get(text, text)
    tag, variant = element.tag, element.get("mathvariant")
    if variant and variant not in ("normal", "italic"):
        text = in_alphabet(text, variant)
    elif tag == "mi" and _OPERATORS.fullmatch(text):
        tag = "mo"
    elif tag == "mo" and (text in _NAMES or text.isalpha()):
        tag = "mi"
    elif tag == "mi" and variant == "normal" and len(text) == 1:
        tag = "mtext"  # upright, as a name of one letter is not by itself
    return [tag, text]


def _leaf_of(symbol: str) -> Node:
    if symbol.replace(".", "").isdecimal():
        return ["mn", symbol]
    return ["mi" if symbol.isalnum() or symbol in _NAMES else "mo", symbol]


def _plain_attributes(element: Element) -> dict[str, str]:
    found = {name: _WIDTHS.get(value, value) for name, value in element.attrib.items()}
    return {
        name: value
        for name, value in found.items()
        if name in _ATTRIBUTES and _ATTRIBUTES[name].fullmatch(value)
    }


def _broken(formula: Node) -> list[Node]:
    """Break a long formula before its relations, since browsers do not."""
    row = formula[1] if len(formula) == 2 and formula[1][0] == "mrow" else formula
    symbols = [child for child in row[1:] if isinstance(child, list)]
    if count_leaves(formula) < _LONG or len(symbols) != len(row) - 1:
        return [["math", *symbols] if len(symbols) == len(row) - 1 else formula]
    parts: list[Node] = [["math"]]
    depth = 0
    for symbol in symbols:
        mark = symbol[1] if symbol[0] == "mo" else None
        if mark in _RELATIONS and depth == 0 and len(parts[-1]) > 1:
            if mark in ",;":  # ends its line instead of beginning the next one
                parts[-1].append(symbol)
                parts.append(["math"])
                continue
            parts.append(["math"])
        depth += _depth_of(mark)
        parts[-1].append(symbol)
    return [part for part in parts if len(part) > 1]


def _depth_of(mark: str | None) -> int:
    return 1 if mark in ("(", "[", "{", "⟨") else -1 if mark in (")", "]", "}", "⟩") else 0
