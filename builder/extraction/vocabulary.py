"""The HTML element names that matter for reading an article."""

from enum import IntEnum, auto
from typing import Any

from ..linearization.vocabulary import MATH_TAGS, XHTML_NAMESPACE


class Flow(IntEnum):
    """What an element does to the text around it."""

    MATH = auto()  # is a formula
    BLOCK = auto()  # starts a new line
    SKIP = auto()  # is not text


_BLOCKS = """
    address article aside blockquote br caption center dd div dl dt fieldset figcaption figure footer
    form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tbody td tfoot th thead tr ul
"""
_SKIPPED = "script style noscript template head iframe object svg button"


def html_tags(*names: str) -> tuple[str, ...]:
    """Spell HTML element names as an XML parser (namespace) and an HTML parser (none) report them."""
    return tuple(prefix + name for prefix in (f"{{{XHTML_NAMESPACE}}}", "") for name in names)


DIV_TAGS = html_tags("div")
HEADING_TAGS = frozenset(html_tags("h1", "h2", "h3", "h4", "h5", "h6"))

FLOW: dict[Any, Flow] = {
    **dict.fromkeys(html_tags(*_BLOCKS.split()), Flow.BLOCK),
    **dict.fromkeys(html_tags(*_SKIPPED.split()), Flow.SKIP),
    "{http://www.w3.org/2000/svg}svg": Flow.SKIP,
    **dict.fromkeys(MATH_TAGS, Flow.MATH),
}
