"""The records that pass through the builder."""

from dataclasses import dataclass
from typing import NamedTuple

from .reasons import Reason


class Formula(NamedTuple):
    """One formula: its typed tokens in reading order, joined by spaces, and its TeX if the source has it."""

    tokens: str
    tex: str | None

    @property
    def leaves(self) -> int:
        """Number of tokens."""
        return self.tokens.count(" ") + 1 if self.tokens else 0


# Text (with `BLOCK_BREAK` between paragraphs) or a formula.
Segment = str | Formula

# Between two blocks of text. A record separator is not allowed in XML, so no document contains it,
# and Python counts it as white space, so it separates words.
BLOCK_BREAK = "\x1e"


@dataclass(frozen=True, slots=True)
class Article:
    """The article of a pair."""

    id: str
    title: str
    categories: tuple[str, ...]  # primary first
    license: str | None = None  # in the words of the document

    @property
    def primary_category(self) -> str | None:
        """The first category, or None if the source has none."""
        return self.categories[0] if self.categories else None


class Length(NamedTuple):
    """Length of a text as the paper counts it: white-space words of each text node, leaves of formulas."""

    text: int
    math: int

    @property
    def total(self) -> int:
        """Words and leaves together, for the length filter."""
        return self.text + self.math


@dataclass(frozen=True, slots=True)
class Passage:
    """A statement or a proof as in its document, before its text is tokenized."""

    segments: tuple[Segment, ...]
    length: Length


@dataclass(frozen=True, slots=True)
class RawPair:
    """A statement and the proof that follows it, before any filter."""

    kind: str
    statement: Passage
    proof: Passage
    element_id: str = ""  # of the statement's element


@dataclass(frozen=True, slots=True)
class Pair:
    """A statement–proof pair that passed the filters; tokens are joined by spaces."""

    id: str
    kind: str
    statement: str
    proof: str
    statement_tokens: str
    proof_tokens: str
    statement_length: Length
    proof_length: Length
    source: str  # where the statement is: the document, `#`, the id of the statement's element


@dataclass(frozen=True, slots=True)
class Discarded:
    """A document or a pair that is not in the release, and why."""

    article_id: str
    reason: Reason
    detail: str
