"""A `<math>` element → `Formula`: its tokens, converted from content markup if need be, and its TeX."""

import re
from collections.abc import Iterator
from functools import lru_cache

from lxml import etree

from ..memo import Memo
from ..records import Formula
from .content import ContentMathError, to_presentation
from .presentation import ContentMarkupError, own_font, presentation_tokens, styled_tokens, surface_tokens
from .vocabulary import ANNOTATION_TAGS, MATHML_NAMESPACE, ROLES, Role

_TEX_ENCODINGS = frozenset(
    {"application/x-tex", "application/x-latex", "text/x-tex", "text/x-latex", "TeX", "LaTeX", "tex", "latex"}
)

# LaTeXML numbers the nodes of a formula, which makes equal formulas differ. A `share` refers to ids.
_NODE_NUMBER = re.compile(r'\s(?:xml:id|id|xref)="[^"]*"')

# TeX as LaTeXML writes it wraps long lines with a comment sign.
_WRAPPED_LINE = re.compile(r"(\\[A-Za-z]+)?(?<!\\)%\s*\n\s*")

# It only sees what our stylesheet writes, of formulas limited in depth, but a level of content can become
# three of presentation. What a formula shares is there several times, ids included.
# (Never collect_ids=False for the documents of others: it makes the parser fetch their DTDs.)
_PARSER = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True, collect_ids=False)

_LONGEST_KEPT = 1 << 14  # characters of the markup of a formula that may come again

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
        is_likely_again = len(markup) <= _LONGEST_KEPT
        tokens = (_converted_tokens if is_likely_again else _converted_tokens.__wrapped__)(markup)
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

    Containers are passed by and leaves are read. Only what is less simple (a font for a whole subtree,
    fences in attributes, elements inside a leaf) is walked recursively, and then skipped in the pass.
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
    # A leaf of white space has no token.
    return " ".join(filter(None, tokens) if "" in tokens else tokens), tex


def _skip_inside(element: etree._Element, stream: Iterator[etree._Element]) -> None:
    """Advance a depth-first pass that stands at an element beyond its last descendant."""
    last = element
    while len(last):
        last = last[-1]
    if last is not element:
        for passed in stream:
            if passed is last:
                break


def _canonical(math: etree._Element) -> str:
    """Serialize a formula in MathML's namespace, so that repetitions of it are equal."""
    text = etree.tostring(math, encoding="unicode", with_tail=False)
    namespace = etree.QName(math).namespace
    if namespace is None:
        # From an HTML parser: the namespace went without saying.
        text = text.replace("<math", f'<math xmlns="{MATHML_NAMESPACE}"', 1)
    elif namespace != MATHML_NAMESPACE:
        text = text.replace(f'"{namespace}"', f'"{MATHML_NAMESPACE}"', 1)
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
