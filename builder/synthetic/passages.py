"""Texts of exactly so many words and symbols."""

from dataclasses import dataclass
from functools import cache
from random import Random

from .formulas import Formulas, draw_size
from .languages import LANGUAGES
from .vocabulary import ADJECTIVE, NOUN, Words, phrases, vocabulary, zipf

# Chances that a word is the pair's own, or else one of the article's.
_OWN, _ARTICLE = 0.5, 0.85

_PARAGRAPH = 14  # formulas after which a new one may begin


@dataclass(frozen=True, slots=True)
class Subject:
    """What a text is about: words and letters that come again and again in it."""

    own: Words
    article: Words
    letters: list[int]


def write_passage(
    random: Random,
    math: int,
    words: list[str],
    formulas: Formulas,
    letters: list[int],
    new_paragraph: str,
) -> str:
    """Put formulas between words.

    Args:
        random: Random numbers.
        math: Number of symbols in all formulas together.
        words: All of the words.
        formulas: Writes formulas.
        letters: What they are about.
        new_paragraph: What ends a paragraph and begins the next.
    """
    sizes = []
    rest = math
    while rest:
        sizes.append(min(draw_size(random), rest))
        rest -= sizes[-1]
    cuts = sorted([int(random.random() * (len(words) + 1)) for _ in sizes])
    pieces = []
    begin = 0
    for number, (size, end) in enumerate(zip(sizes, cuts, strict=True), 1):
        if end > begin:
            pieces.append(" ".join(words[begin:end]))
            begin = end
        pieces.append(formulas.write(random, size, letters))
        if not number % _PARAGRAPH:
            pieces.append(new_paragraph)
    pieces.append(" ".join(words[begin:]))
    return " ".join(pieces)


def tell_english(random: Random, count: int, subject: Subject) -> list[str]:
    """Say so many words about a subject."""
    told: list[str] = []
    every, choices = vocabulary(), _parsed_phrases()
    draw = random.random
    while len(told) < count:
        is_first = not told or told[-1][-1] == "."
        for kind, word in choices[int(draw() * len(choices))]:
            if kind:
                chance = draw()
                source = subject.own if chance < _OWN else subject.article if chance < _ARTICLE else every
                drawn = source.nouns if kind == NOUN else source.adjectives
                chosen = zipf(random, drawn) if source is every else drawn[int(draw() * len(drawn))]
                told.append(chosen + word)
            else:
                told.append(word.capitalize() if is_first else word)
            is_first = False
    return told[:count]


def tell_foreign(random: Random, count: int, language: str) -> list[str]:
    """Say so many words in another language."""
    sentences = LANGUAGES[language].sentences
    told: list[str] = []
    while len(told) < count:
        told += random.choice(sentences).split()
    return told[:count]


@cache
def _parsed_phrases() -> tuple[tuple[tuple[str, str], ...], ...]:
    """Take the phrases apart: a literal word with no kind, or the kind of a gap and the sign after it."""
    return tuple(tuple(_parsed(word) for word in phrase) for phrase in phrases())


def _parsed(word: str) -> tuple[str, str]:
    for kind in (NOUN, ADJECTIVE):
        if word.startswith(kind):
            return kind, word.removeprefix(kind)
    return "", word
