"""A `<math>` element → `Formula`: its tokens, converted from content markup if necessary, and its TeX."""

import re
from collections.abc import Iterator
from functools import lru_cache
from html import escape
from html.entities import html5

from lxml import etree

from proofmatch.errors import first_line

from ..records import Formula
from ..tokens import Memo
from .content import ContentMathError, to_presentation
from .presentation import (
    ANNOTATION_TAGS,
    MATH_TAGS,
    MATHML_NAMESPACE,
    ROLES,
    ContentMarkupError,
    Role,
    own_font,
    presentation_tokens,
    styled_tokens,
    surface_tokens,
)

_TEX_ENCODINGS = frozenset(
    {"application/x-tex", "application/x-latex", "text/x-tex", "text/x-latex", "TeX", "LaTeX", "tex", "latex"}
)

# LaTeXML numbers the nodes of a formula, which makes equal formulas differ.
_NODE_NUMBER = re.compile(r'\s(?:xml:id|id|xref)="[^"]*"')

# LaTeXML wraps long lines of TeX with a comment sign.
_WRAPPED_LINE = re.compile(r"(\\[A-Za-z]+)?(?<!\\)%\s*\n\s*")

# It parses only the output of our stylesheet, whose input is limited in depth; a level of content can become
# three of presentation (hence huge_tree). Shared subexpressions are repeated, ids included (hence
# collect_ids=False, which must never be used for documents of others: the parser would fetch their DTDs).
_PARSER = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True, collect_ids=False)

_LONGEST_CACHED = 1 << 14  # characters of markup; longer formulas rarely repeat

# `&InvisibleTimes;` and the like are not XML without MathML's DTD; XML's own five must stay escaped.
_NAMED_ENTITY = re.compile(r"&(\w+;)")
_PROLOGUE = re.compile(r"\s*<\?xml[^>]*\?>")

_role = ROLES.get
_plain_tokens = Memo(lambda text: surface_tokens(text, None))
_LEAF, _STYLE, _SEMANTICS, _ANNOTATION = Role.LEAF, Role.STYLE, Role.SEMANTICS, Role.ANNOTATION


def read_formula(math: etree._Element) -> Formula:
    """Read the tokens and the TeX of a `<math>` element.

    Raises:
        ContentMathError: If it has content markup that cannot be converted.
    """
    try:
        tokens, tex = _read_presentation(math)
    except ContentMarkupError:
        markup = _canonical(math)
        is_short = len(markup) <= _LONGEST_CACHED
        tokens = (_converted_tokens if is_short else _converted_tokens.__wrapped__)(markup)
        tex = _find_tex(math)
    alternative = math.get("alttext")
    if alternative and not alternative.isspace():
        tex = alternative
    return Formula(tokens, _WRAPPED_LINE.sub(_unwrapped, tex) if tex and "%" in tex else tex)


def _unwrapped(line_end: re.Match[str]) -> str:
    # A control word must not run into the letters that follow it.
    return f"{line_end[1]} " if line_end[1] else ""


def _read_presentation(root: etree._Element) -> tuple[str, str | None]:
    """Read tokens and annotated TeX in a flat pass over the tree: this is where a build spends its time.

    Containers are skipped and leaves are read. Only the rarer cases (a font for a whole subtree, fences in
    attributes, elements inside a leaf) are read recursively, and their descendants skipped in the pass.
    """
    tokens: list[str] = []
    tex: str | None = None
    stream = root.iter()
    for element in stream:
        role = _role(element.tag)
        if role is _LEAF:
            if len(element):
                tokens += presentation_tokens(element)
                _skip_inside(element, stream)
            elif text := element.text:
                font = own_font(element) if element.keys() else None
                tokens.append(surface_tokens(text, font) if font else _plain_tokens[text])
        elif role is None or role is _SEMANTICS:
            continue
        elif role is _ANNOTATION:
            if element.get("encoding") in _TEX_ENCODINGS:
                tex = element.text
            if len(element):
                _skip_inside(element, stream)
        elif role is not _STYLE:
            tokens += presentation_tokens(element)
            _skip_inside(element, stream)
        elif font := own_font(element):
            tokens += styled_tokens(element, font)
            _skip_inside(element, stream)
    # A leaf of white space gives an empty string.
    return " ".join(filter(None, tokens) if "" in tokens else tokens), tex


def _skip_inside(element: etree._Element, stream: Iterator[etree._Element]) -> None:
    """Advance a depth-first pass from an element to its last descendant."""
    last = element
    while len(last):
        last = last[-1]
    if last is not element:
        for passed in stream:
            if passed is last:
                break


def _canonical(math: etree._Element) -> str:
    """Serialize a formula in MathML's namespace, so that equal formulas become equal strings."""
    text = etree.tostring(math, encoding="unicode", with_tail=False)
    namespace = etree.QName(math).namespace
    if namespace is None:
        # HTML parsers leave the namespace out.
        text = text.replace("<math", f'<math xmlns="{MATHML_NAMESPACE}"', 1)
    elif namespace != MATHML_NAMESPACE:
        text = text.replace(f'"{namespace}"', f'"{MATHML_NAMESPACE}"', 1)
    # A `share` refers to other nodes by their ids.
    return text if "share" in text else _NODE_NUMBER.sub("", text)


@lru_cache(maxsize=16384)
def _converted_tokens(math_xml: str) -> str:
    converted = etree.fromstring(to_presentation(math_xml).encode(), _PARSER)
    try:
        return _read_presentation(converted)[0]
    except ContentMarkupError as error:
        raise ContentMathError(f"content markup left after conversion: {error}") from None


def _find_tex(math: etree._Element) -> str | None:
    annotations = (element for element in math.iter(*ANNOTATION_TAGS))
    return next((element.text for element in annotations if element.get("encoding") in _TEX_ENCODINGS), None)


def math_tokens(math_xml: str) -> list[str]:
    """Linearize one formula into typed tokens, in reading order.

    Args:
        math_xml: A `<math>` element, with or without MathML's namespace or the customary `m:` prefix,
            in presentation, content or parallel markup.

    Raises:
        ValueError: If the string is not a well-formed `<math>` element.

    Example:
        >>> math_tokens('<math><mi mathvariant="bold">x</mi><mo>:</mo><mi>ℝ</mi></math>')
        ['m.bold:x', 'm::', 'm.double-struck:R']
    """
    body = _NAMED_ENTITY.sub(_character_of_entity, _PROLOGUE.sub("", math_xml, count=1))
    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
    try:
        root = etree.fromstring(f'<formula xmlns:m="{MATHML_NAMESPACE}">{body}</formula>'.encode(), parser)
    except etree.XMLSyntaxError as error:
        raise ValueError(f"not a well-formed <math> element: {first_line(error)}") from error
    if len(root) != 1 or root[0].tag not in MATH_TAGS or f"{root.text or ''}{root[0].tail or ''}".strip():
        raise ValueError("expected exactly one <math> element")
    return read_formula(root[0]).tokens.split()


def _character_of_entity(entity: re.Match[str]) -> str:
    return escape(html5.get(entity[1], "")) or entity[0]
