"""`math_tokens`: the tokens of a formula given as a string."""

import re
from html import escape
from html.entities import html5

from lxml import etree

from proofmatch.errors import first_line

from .formulas import read_formula
from .vocabulary import MATH_TAGS, MATHML_NAMESPACE

_PROLOGUE = re.compile(r"\s*<\?xml[^>]*\?>")
# `&InvisibleTimes;` and its like are not XML without MathML's DTD; XML's own five must stay escaped.
_NAMED_ENTITY = re.compile(r"&(\w+;)")


def math_tokens(math_xml: str) -> list[str]:
    """Linearize one formula into typed tokens.

    Args:
        math_xml: A `<math>` element, with or without MathML's namespace or the customary `m:` prefix,
            in presentation, content or parallel markup.

    Returns:
        The tokens in reading order.

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
