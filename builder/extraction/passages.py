"""One statement or proof → a passage of text and formulas, and what is made of it."""

from html import unescape

from lxml import etree

from ..linearization.formulas import read_formula
from ..records import BLOCK_BREAK, Formula, Length, Passage, Segment
from ..tokens import parse_token, text_tokens
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
    reader = _PassageReader(longest)
    reader.read(element)
    return reader.finish()


class _PassageReader:
    """Collects segments and counts words, which the paper does text node by text node."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._segments: list[Segment] = []
        self._text: list[str] = []
        self._words = 0
        self._leaves = 0

    def read(self, parent: etree._Element) -> None:
        if text := parent.text:
            self._text.append(text)
            self._words += len(text.split())
        for element in parent:
            flow = FLOW.get(element.tag)
            if flow is Flow.MATH:
                self._read_formula(element)
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
                self._words += len(tail.split())

    def finish(self) -> Passage:
        self._flush()
        return Passage(tuple(self._segments), Length(self._words, self._leaves))

    def _read_formula(self, math: etree._Element) -> None:
        self._flush()
        if self._words + self._leaves <= self._longest:
            formula = read_formula(math)
            self._segments.append(formula)
            self._leaves += len(formula.tokens)

    def _flush(self) -> None:
        if self._text:
            self._segments.append("".join(self._text))
            self._text.clear()


def passage_tokens(passage: Passage) -> list[str]:
    """Linearize a passage into typed tokens."""
    tokens: list[str] = []
    for segment in passage.segments:
        tokens.extend(segment.tokens if isinstance(segment, Formula) else text_tokens(segment))
    return tokens


def readable(passage: Passage) -> str:
    """Write a passage for people: one line a block, formulas as `$TeX$` where the source has TeX."""
    pieces = []
    for segment in passage.segments:
        if not isinstance(segment, Formula):
            pieces.append(segment.replace("$", r"\$"))
        elif segment.tex is not None:
            pieces.append(f"${segment.tex}$")
        else:
            pieces.append(" ".join(parse_token(token).surface for token in segment.tokens))
    lines = (" ".join(line.split()) for line in "".join(pieces).split(BLOCK_BREAK))
    return "\n".join(line for line in lines if line)


def running_text(passage: Passage) -> str:
    """Keep the text between the formulas only, for language identification."""
    text = " ".join(segment for segment in passage.segments if not isinstance(segment, Formula))
    return text.replace(BLOCK_BREAK, "\n")
