"""One sound article: planned from random numbers, and written in the markup of its generation."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from ..reasons import Reason
from ..records import Length
from . import lengths
from .blocks import document, filler, new_paragraph, proof_block, section, statement_block
from .formulas import Formulas, formulas_of
from .generations import Generation
from .languages import LANGUAGES
from .passages import Subject, tell_english, tell_foreign, write_passage
from .symbols import draw_symbols
from .vocabulary import Words, draw_words

# Name and chance of each kind of statement.
_KINDS = ("theorem", "lemma", "lemma", "lemma", "proposition", "proposition", "corollary", "theorem")

_STATEMENT_TITLE, _PROOF_TITLE = 3, 1  # words
_TELLING = 40  # words of foreign text, enough for any detector
_LONELY = 0.3  # chance that an article without pairs has statements and proofs that are apart

_OUTSIDE = (
    Reason.STATEMENT_TOO_SHORT,
    Reason.PROOF_TOO_SHORT,
    Reason.PROOF_TOO_SHORT,
    Reason.STATEMENT_TOO_LONG,
    Reason.PROOF_TOO_LONG,
    Reason.PROOF_TOO_LONG,
)


@dataclass(frozen=True, slots=True)
class PlannedPair:
    """A pair to be written.

    Attributes:
        statement: Length of the statement.
        proof: Length of the proof.
        reason: Why it will be dropped, if it will.
    """

    statement: Length
    proof: Length
    reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class PlannedArticle:
    """An article to be written.

    Attributes:
        identifier: Its id.
        categories: Primary first.
        generation: Its markup.
        language: Its language.
        pairs: Its pairs.
        size: About how many characters it shall have.
    """

    identifier: str
    categories: tuple[str, ...]
    generation: Generation
    language: str
    pairs: tuple[PlannedPair, ...]
    size: int


def plan_pairs(random: Random, number: int, outside: float) -> tuple[PlannedPair, ...]:
    """Plan so many pairs that pass the length filter, and among them some that do not."""
    pairs = []
    for _ in range(number):
        while random.random() < outside:
            pairs.append(_plan_outside(random))
        pairs.append(
            PlannedPair(
                lengths.STATEMENT.draw(random, _STATEMENT_TITLE + 1),
                lengths.PROOF.draw(random, _PROOF_TITLE + 1),
            )
        )
    return tuple(pairs)


def plan_foreign_pairs(random: Random, number: int) -> tuple[PlannedPair, ...]:
    """Plan so many pairs with text enough to tell its language."""
    pairs = plan_pairs(random, number, 0.0)
    return tuple(
        PlannedPair(pair.statement, Length(max(pair.proof.text, _TELLING), pair.proof.math)) for pair in pairs
    )


def _plan_outside(random: Random) -> PlannedPair:
    statement = lengths.STATEMENT.draw(random, _STATEMENT_TITLE + 1)
    proof = lengths.PROOF.draw(random, _PROOF_TITLE + 1)
    short, long = (6, lengths.SHORTEST - 1), (lengths.LONGEST + 1, lengths.VERY_LONG)
    reason = random.choice(_OUTSIDE)
    limits = short if reason in (Reason.STATEMENT_TOO_SHORT, Reason.PROOF_TOO_SHORT) else long
    if reason in (Reason.STATEMENT_TOO_SHORT, Reason.STATEMENT_TOO_LONG):
        statement = lengths.STATEMENT.draw_between(random, *limits, _STATEMENT_TITLE + 1)
    else:
        proof = lengths.PROOF.draw_between(random, *limits, _PROOF_TITLE + 1)
    return PlannedPair(statement, proof, reason)


def write_article(random: Random, plan: PlannedArticle) -> str:
    """Write an article."""
    subject = draw_words(random, 24, 12)
    writer = _PairWriter(random, plan.generation, plan.language, subject, formulas_of(plan.generation))
    pairs = plan.pairs
    apart = ""
    if not pairs and random.random() < _LONELY:
        pairs = plan_pairs(random, random.randint(1, 3), 0.0)
        # Words between a statement and a proof part them: no pair.
        apart = f'<p class="{plan.generation.class_prefix}p">This is proved below, after some remarks.</p>\n'
    written = [writer.write(pair, f"2.{number}", apart) for number, pair in enumerate(pairs, 1)]
    portions = filler(random, plan.generation, plan.size - sum(map(len, written)))
    title = " ".join(
        (random.choice(subject.adjectives), random.choice(subject.nouns), "of", "a", subject.nouns[0])
    )
    sections = [portions[:1] or [""], written, *([portion] for portion in portions[1:])]
    inside = "".join(
        section(plan.generation, number, random.choice(subject.nouns).capitalize(), "".join(blocks))
        for number, blocks in enumerate(filter(None, sections), 1)
    )
    return document(plan.generation, plan.identifier, title.capitalize(), plan.categories, inside)


@dataclass(frozen=True, slots=True)
class _PairWriter:
    random: Random
    generation: Generation
    language: str
    article: Words
    formulas: Formulas

    def write(self, pair: PlannedPair, label: str, apart: str) -> str:
        """Write a statement and its proof, with something between them or nothing."""
        own = draw_words(self.random, 5, 3)
        letters = draw_symbols(self.random, 7)
        subject = Subject(own, self.article, letters)
        kind = self.random.choice(_KINDS)
        foreign = LANGUAGES.get(self.language)
        tell: Callable[[int], list[str]] = (
            (lambda count: tell_foreign(self.random, count, self.language))
            if foreign
            else (lambda count: tell_english(self.random, count, subject))
        )
        statement = self._passage(
            tell(pair.statement.text - _STATEMENT_TITLE), pair.statement.math, letters, ""
        )
        # A proof has letters of its own beside those of its statement.
        letters = letters + draw_symbols(self.random, 4)
        between = new_paragraph(self.generation)
        proof = self._passage(tell(pair.proof.text - _PROOF_TITLE), pair.proof.math, letters, between)
        name = foreign.statement if foreign else kind.capitalize()
        return (
            statement_block(self.generation, kind, name, label, statement)
            + apart
            + proof_block(self.generation, foreign.proof if foreign else "Proof.", proof)
        )

    def _passage(self, words: list[str], math: int, letters: list[int], between: str) -> str:
        return write_passage(self.random, math, words, self.formulas, letters, between)
