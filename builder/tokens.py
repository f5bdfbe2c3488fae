"""Typed tokens: `kind[.font]:surface`, so that text and math vocabularies never meet.

>>> math_token("x", "bold"), text_token("Let")
('m.bold:x', 't:Let')
>>> parse_token("m.double-struck:R")
Token(kind='m', font='double-struck', surface='R')
"""

import re
import unicodedata
from collections.abc import Callable
from typing import NamedTuple

TEXT = "t"
MATH = "m"

# Characters that are not printed and occur inside words: soft hyphen, zero-width spaces and joiners,
# byte order mark. In formulas they can be operators (U+2061–2064), so only text loses them.
INVISIBLE_IN_TEXT = re.compile("[\u00ad\u200b-\u200f\u2060-\u206f\ufeff]")

# Numbers such as 2.1 and words such as non-zero or Poincaré's stay whole; any other sign is a token.
_TEXT_TOKEN = re.compile(r"\d+(?:[.,]\d+)+|\w+(?:[-‐'’]\w+)*|[^\w\s]")


class Token(NamedTuple):
    """The parts of a typed token."""

    kind: str
    font: str | None
    surface: str


def text_token(surface: str) -> str:
    """Type a word or punctuation mark as text."""
    return f"{TEXT}:{surface}"


def math_token(surface: str, font: str | None = None) -> str:
    """Type a symbol as math, with its font where it has one."""
    return f"{MATH}.{font}:{surface}" if font else f"{MATH}:{surface}"


def parse_token(token: str) -> Token:
    """Parse a typed token; its type ends at the first colon."""
    token_type, colon, surface = token.partition(":")
    kind, _, font = token_type.partition(".")
    if not colon or not surface or kind not in (TEXT, MATH):
        raise ValueError(f"{token!r} is not a typed token such as t:Let, m:x or m.bold:x")
    return Token(kind, font or None, surface)


def text_tokens(text: str) -> list[str]:
    """Split running text into typed tokens, punctuation apart from words.

    >>> text_tokens("Let us see (2.1).")
    ['t:Let', 't:us', 't:see', 't:(', 't:2.1', 't:)', 't:.']
    """
    return " ".join(map(typed_word, text.split())).split()


def typed_word(word: str) -> str:
    """Type a word, with its punctuation, as text; the tokens are joined by spaces."""
    if not word.isascii():
        # Composed letters, because a combining accent is not a letter in a regular expression.
        word = INVISIBLE_IN_TEXT.sub("", unicodedata.normalize("NFC", word))
    return " ".join(f"{TEXT}:{surface}" for surface in _TEXT_TOKEN.findall(word))


LONGEST_REMEMBERED = 200
"""Length in characters of the longest argument a cache keeps: longer ones rarely repeat and could fill it."""

_CAPACITY = 1 << 16


class Memo(dict[str, str]):
    """A cache for small functions that are called millions of times with a few thousand arguments.

    `memo[argument]` costs half as much as a call through `functools.lru_cache`. A full cache is cleared:
    vocabularies are small, so only hostile input fills it.
    """

    def __init__(self, compute: Callable[[str], str]) -> None:
        super().__init__()
        self._compute = compute

    def __missing__(self, argument: str) -> str:
        result = self._compute(argument)
        if len(argument) <= LONGEST_REMEMBERED:
            if len(self) >= _CAPACITY:
                self.clear()
            self[argument] = result
        return result
