"""One statement or proof → a passage of text and formulas, and what is made of it."""

from html import unescape

from lxml import etree

from ..linearization.formulas import read_formula
from ..records import BLOCK_BREAK, Formula, Length, Passage, Segment
from ..tokens import parse_token, typed_word
from .vocabulary import FLOW, Flow


def read_passage(element: etree._Element, longest: int) -> Passage:
    """Read an element into alternating stretches of text and formulas, in document order.

    Args:
        element: A statement or a proof.
        longest: Once the passage is longer than this, its formulas are left out: it will be dropped
            anyway, and only its text still matters, for the language of the article.

    Raises:
        ContentMathError: If a formula cannot be converted.
    """
    outline = _Outline()
    outline.read(element)
    # Words first: they are cheap to count, and may already tell that the formulas need not be read.
    words, leaves = outline.words, 0
    segments: list[Segment] = []
    for part in outline.finished_parts():
        if isinstance(part, str):
            segments.append(part)
        elif words + leaves <= longest:
            formula = read_formula(part)
            leaves += formula.leaves
            segments.append(formula)
    return Passage(tuple(segments), Length(words, leaves))


class _Outline:
    """The text of a passage, and between its stretches the formulas, not read yet."""

    def __init__(self) -> None:
        self.words = 0  # counted as the paper does, text node by text node
        self._parts: list[str | etree._Element] = []
        self._text: list[str] = []

    def read(self, parent: etree._Element) -> None:
        if text := parent.text:
            self._text.append(text)
            self.words += len(text.split())
        for element in parent:
            flow = FLOW.get(element.tag)
            if flow is Flow.MATH:
                self.finished_parts().append(element)
            elif flow is Flow.BLOCK:
                self._text.append(BLOCK_BREAK)
                self.read(element)
                self._text.append(BLOCK_BREAK)
            elif isinstance(element, etree._Entity):
                self._text.append(unescape(element.text or ""))
            elif flow is None:
                self.read(element)
            if tail := element.tail:
                self._text.append(tail)
                self.words += len(tail.split())

    def finished_parts(self) -> list[str | etree._Element]:
        """List what was read, the text up to here as one stretch."""
        if self._text:
            self._parts.append("".join(self._text))
            self._text.clear()
        return self._parts


def passage_tokens(passage: Passage) -> str:
    """Linearize a passage into typed tokens, joined by spaces."""
    pieces: list[str] = []
    for segment in passage.segments:
        if isinstance(segment, Formula):
            pieces.append(segment.tokens)
        else:
            pieces += map(typed_word, segment.split())
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
