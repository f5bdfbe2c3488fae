"""One statement or proof → a passage of text and formulas, and what is made of it."""

from html import unescape

from lxml import etree

from ..linearization.formulas import read_formula
from ..memo import Memo
from ..records import BLOCK_BREAK, Formula, Length, Passage, Segment
from ..tokens import parse_token, typed_word
from .vocabulary import FLOW, Flow

_typed_words = Memo(typed_word)

_START = 2000  # characters of a passage that is too long, enough to tell its language and show how it begins


def read_passage(element: etree._Element, longest: int) -> Passage:
    """Read an element into alternating stretches of text and formulas, in document order.

    Args:
        element: A statement or a proof.
        longest: Of a longer passage only a part is read: it will be dropped anyway, and only the start of
            its text still matters, for the language of the article.

    Raises:
        ContentMathError: If a formula cannot be converted.
    """
    pieces: list[str | etree._Element] = []
    _collect(element, pieces)
    # Words are counted as the paper does, text node by text node. They come first, because they are cheap
    # to count and may already tell that the formulas need not be read.
    words = len(" ".join([piece for piece in pieces if isinstance(piece, str)]).split())
    if words > longest:
        # Proofs can be nested, so keeping all of each would multiply the document.
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
        flow = FLOW.get(element.tag)
        if flow is Flow.MATH:
            pieces.append(element)
        elif flow is Flow.BLOCK:
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
    """Write a passage for people: one line a block, formulas as `$TeX$` where the source has TeX."""
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
