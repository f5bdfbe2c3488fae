"""Presentation MathML → typed tokens: the leaves of the tree, depth first."""

from collections.abc import Iterable
from enum import IntEnum, auto
from functools import lru_cache
from html import unescape
from typing import Any

from lxml import etree

from ..tokens import LONGEST_REMEMBERED, math_token
from .fonts import UNMARKED, declared_font, fold_styled

MATHML_NAMESPACE = "http://www.w3.org/1998/Math/MathML"
XHTML_NAMESPACE = "http://www.w3.org/1999/xhtml"


class Role(IntEnum):
    """What to do with an element inside a formula."""

    LEAF = auto()  # its text is tokens
    STYLE = auto()  # may declare a font for its descendants
    FENCED = auto()  # has tokens in its attributes
    SEMANTICS = auto()  # only its first child is the formula
    ANNOTATION = auto()  # repeats the formula in another language
    CONTENT = auto()  # content markup: has to be converted first


_LEAVES = "mi mn mo mtext ms"
_CONTENT = """
    cn ci csymbol cs cbytes cerror apply bind bvar share
    reln fn declare lambda compose inverse ident domain codomain image domainofapplication
    interval condition lowlimit uplimit degree momentabout logbase piecewise piece otherwise sep
    quotient factorial divide max min minus plus power rem times root gcd lcm
    abs conjugate arg real imaginary floor ceiling exp
    and or xor not implies forall exists equivalent
    eq neq gt lt geq leq approx factorof
    int diff partialdiff divergence grad curl laplacian
    set list union intersect in notin subset prsubset notsubset notprsubset setdiff card cartesianproduct
    sum product limit tendsto
    ln log sin cos tan sec csc cot sinh cosh tanh sech csch coth
    arcsin arccos arctan arccosh arccot arccoth arccsc arccsch arcsec arcsech arcsinh arctanh
    mean sdev variance median mode moment
    vector matrix matrixrow determinant transpose selector vectorproduct scalarproduct outerproduct
    integers reals rationals naturalnumbers complexes primes emptyset
    exponentiale imaginaryi notanumber true false pi eulergamma infinity
"""

# HTML parsers report no namespace, and in XHTML whose author forgot MathML's, math is in XHTML's.
_NAMESPACES = (f"{{{MATHML_NAMESPACE}}}", "", f"{{{XHTML_NAMESPACE}}}")

CONTENT_ELEMENTS = frozenset(_CONTENT.split())


def qualified(*names: str) -> tuple[str, ...]:
    """Combine element names with every namespace in which they occur."""
    return tuple(namespace + name for namespace in _NAMESPACES for name in names)


MATH_TAGS = qualified("math")
ANNOTATION_TAGS = qualified("annotation")

# Other containers (mrow, mfrac, unknown elements) have no role: only their children matter.
# `math` itself can declare a font like `mstyle`.
ROLES: dict[Any, Role] = {
    **dict.fromkeys(qualified(*_LEAVES.split()), Role.LEAF),
    **dict.fromkeys(qualified("mstyle", "math"), Role.STYLE),
    **dict.fromkeys(qualified("mfenced"), Role.FENCED),
    **dict.fromkeys(qualified("semantics"), Role.SEMANTICS),
    **dict.fromkeys(qualified("annotation", "annotation-xml"), Role.ANNOTATION),
    **dict.fromkeys(qualified(*CONTENT_ELEMENTS), Role.CONTENT),
}


class ContentMarkupError(Exception):
    """The formula contains content markup and has to be converted first."""


def presentation_tokens(element: etree._Element) -> list[str]:
    """Read the tokens of a formula or a part of one, leaf by leaf.

    Raises:
        ContentMarkupError: If there is content markup outside annotations.
    """
    tokens: list[str] = []
    _walk((element,), None, tokens)
    return tokens


def styled_tokens(style: etree._Element, font: str) -> list[str]:
    """Read the tokens inside an element that declares a font for them."""
    if len(style) == 1 and len(style[0]) == 0 and ROLES.get(style[0].tag) is Role.LEAF:
        # The common case: a single letter.
        leaf = style[0]
        return [surface_tokens(leaf.text, own_font(leaf) or font)] if leaf.text else []
    tokens: list[str] = []
    _walk(style, font, tokens)
    return tokens


def surface_tokens(text: str, font: str | None) -> str:
    """Type the white-space separated surfaces of a leaf's text; nearly always there is one.

    A styled character keeps its own font whatever the markup around it says, as MathML prescribes.
    """
    return (_surface_tokens if len(text) <= LONGEST_REMEMBERED else _surface_tokens.__wrapped__)(text, font)


@lru_cache(maxsize=65536)
def _surface_tokens(text: str, font: str | None) -> str:
    tokens = []
    for surface in text.split():
        plain, own_font = fold_styled(surface)
        mark = own_font or font
        tokens.append(math_token(plain, None if mark in UNMARKED else mark))
    return " ".join(tokens)


def _walk(elements: Iterable[etree._Element], font: str | None, tokens: list[str]) -> None:
    for element in elements:
        role = ROLES.get(element.tag)
        if role is Role.LEAF:
            text = _deep_text(element) if len(element) else element.text
            if text:
                tokens.append(surface_tokens(text, own_font(element) or font))
        elif role is None:
            _walk(element, font, tokens)
        elif role is Role.STYLE:
            _walk(element, own_font(element) or font, tokens)
        elif role is Role.SEMANTICS:
            _walk(element[:1], font, tokens)
        elif role is Role.FENCED:
            _walk_fenced(element, font, tokens)
        elif role is Role.CONTENT:
            raise ContentMarkupError(element.tag)


def own_font(element: etree._Element) -> str | None:
    """Name the font that an element declares for itself or its descendants."""
    variant, classes = element.get("mathvariant"), element.get("class")
    if not variant and not classes:
        return None
    is_short = len(variant or "") + len(classes or "") <= LONGEST_REMEMBERED
    return (declared_font if is_short else declared_font.__wrapped__)(variant, classes)


def _walk_fenced(fenced: etree._Element, font: str | None, tokens: list[str]) -> None:
    """Read an `mfenced`, whose fences and separators are attributes; the last separator repeats."""
    separators = "".join(fenced.get("separators", ",").split())
    tokens.append(surface_tokens(fenced.get("open", "("), font))
    for position, child in enumerate(fenced):
        if position and separators:
            tokens.append(surface_tokens(separators[min(position, len(separators)) - 1], font))
        _walk((child,), font, tokens)
    tokens.append(surface_tokens(fenced.get("close", ")"), font))


def _deep_text(element: etree._Element) -> str:
    """Collect the text of a leaf with elements or unresolved entities inside (HTML in `mtext`, `&alpha;`)."""
    pieces = [element.text or ""]
    for child in element:
        if isinstance(child, etree._Entity):
            pieces.append(unescape(child.text or ""))
        elif ROLES.get(child.tag) is not Role.ANNOTATION:
            inner = _deep_text(child)
            # Symbols of a formula inside text are words of their own.
            pieces.append(f" {inner} " if child.tag in ROLES else inner)
        pieces.append(child.tail or "")
    return "".join(pieces)
