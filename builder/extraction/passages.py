"""One statement or proof → a passage of text and formulas → its tokens and its readable text."""

from enum import IntEnum, auto
from html import unescape
from typing import Any

from lxml import etree

from ..linearization.formulas import read_formula
from ..linearization.presentation import MATH_TAGS
from ..records import BLOCK_BREAK, Formula, Length, Passage, Segment
from ..tokens import Memo, parse_token, typed_word
from .document import html_tags

_START = 2000  # characters kept of a passage that is too long, enough to tell its language


class _Flow(IntEnum):
    """What an element does to the text around it."""

    MATH = auto()  # is a formula
    BLOCK = auto()  # starts a new line
    SKIP = auto()  # is not text


_BLOCKS = """
    address article aside blockquote br caption center dd div dl dt fieldset figcaption figure footer
    form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tbody td tfoot th thead tr ul
"""
_SKIPPED = "script style noscript template head iframe object svg button"

_FLOW: dict[Any, _Flow] = {
    **dict.fromkeys(html_tags(*_BLOCKS.split()), _Flow.BLOCK),
    **dict.fromkeys(html_tags(*_SKIPPED.split()), _Flow.SKIP),
    "{http://www.w3.org/2000/svg}svg": _Flow.SKIP,
    **dict.fromkeys(MATH_TAGS, _Flow.MATH),
}

_typed_words = Memo(typed_word)


def read_passage(element: etree._Element, longest: int) -> Passage:
    """Read an element into alternating stretches of text and formulas, in document order.

    Args:
        element: A statement or a proof.
        longest: Longer passages will be dropped by their length, so only the start of their text is read,
            for the language of the article.

    Raises:
        ContentMathError: If a formula cannot be converted.
    """
    pieces: list[str | etree._Element] = []
    _collect(element, pieces)
    # Words are counted as in the paper, text node by text node. They come first, because counting them is
    # cheap and may show that the formulas need not be read.
    words = len(" ".join([piece for piece in pieces if isinstance(piece, str)]).split())
    if words > longest:
        # Proofs can be nested, so keeping all of their text could multiply the document.
        start = "".join([piece for piece in pieces if isinstance(piece, str)])[:_START]
        return Passage((start,), Length(words, 0))
    leaves = 0
    segments: list[Segment] = []
    text: list[str] = []
    for piece in pieces:
        if isinstance(piece, str):
            text.append(piece)
        elif words + leaves <= longest:
            if text:
                segments.append("".join(text))
                text.clear()
            formula = read_formula(piece)
            leaves += formula.leaves
            segments.append(formula)
    if text:
        segments.append("".join(text))
    return Passage(tuple(segments), Length(words, leaves))


def _collect(parent: etree._Element, pieces: list[str | etree._Element]) -> None:
    """List the text nodes and the formulas of an element in document order."""
    if text := parent.text:
        pieces.append(text)
    for element in parent:
        flow = _FLOW.get(element.tag)
        if flow is _Flow.MATH:
            pieces.append(element)
        elif flow is _Flow.BLOCK:
            pieces.append(BLOCK_BREAK)
            _collect(element, pieces)
            pieces.append(BLOCK_BREAK)
        elif isinstance(element, etree._Entity):
            pieces.append(unescape(element.text or ""))
        elif flow is None:
            _collect(element, pieces)
        if tail := element.tail:
            pieces.append(tail)


def passage_tokens(passage: Passage) -> str:
    """Linearize a passage into typed tokens, joined by spaces."""
    pieces: list[str] = []
    for segment in passage.segments:
        if isinstance(segment, Formula):
            pieces.append(segment.tokens)
        else:
            pieces += map(_typed_words.__getitem__, segment.split())
    return " ".join(filter(None, pieces))


def readable(passage: Passage) -> str:
    """Write a passage for people: one line per block, formulas as `$TeX$` where the source has TeX."""
    pieces = []
    for segment in passage.segments:
        if not isinstance(segment, Formula):
            pieces.append(segment.replace("$", r"\$"))
        elif segment.tex is not None:
            pieces.append(f"${segment.tex}$")
        else:
            pieces.append(" ".join(parse_token(token).surface for token in segment.tokens.split()))
    lines = (" ".join(line.split()) for line in "".join(pieces).split(BLOCK_BREAK))
    return "\n".join(line for line in lines if line)


def running_text(passage: Passage) -> str:
    """Keep the text between the formulas only, for language identification."""
    text = " ".join(segment for segment in passage.segments if not isinstance(segment, Formula))
    return text.replace(BLOCK_BREAK, "\n")
