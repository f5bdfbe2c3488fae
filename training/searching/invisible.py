"""The signs that nobody writes: times between factors, and functions applied to arguments."""

from itertools import pairwise
from xml.etree.ElementTree import Element

INVISIBLE_TIMES = "\u2062"
FUNCTION_APPLICATION = "\u2061"

_ROWS = frozenset({"math", "mrow", "mtd"})
_SCRIPTED = frozenset({"msub", "msup", "msubsup", "mover", "munder", "munderover"})
_FRACTIONS_AND_ROOTS = frozenset({"mfrac", "msqrt", "mroot"})
_NAMES = frozenset({"mi", "mn", "mtext"})
_CLOSING = frozenset(")]}!")
_OPENING = frozenset("([{∑∏∫∂∇")


def add_invisible_operators(formula: Element) -> None:
    """Put signs between factors that stand side by side, as LaTeXML does where it understands a formula."""
    for row in [element for element in formula.iter() if element.tag in _ROWS]:
        # Thin spaces do not keep factors apart.
        items = [item for item in row if not item.get("width", "").startswith("0")]
        is_integral = any(_base(item).text == "∫" for item in items)
        for left, right in pairwise(items):
            if not (_ends_factor(left) and _begins_factor(right)) or (is_integral and left.text == "d"):
                continue
            sign = Element("mo")
            sign.text = FUNCTION_APPLICATION if _is_function(left) else INVISIBLE_TIMES
            row.insert(list(row).index(right), sign)


def _base(item: Element) -> Element:
    """Find what scripts stand at, or what a group begins with."""
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
