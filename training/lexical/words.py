"""What there is to know of a token, looked up once for each distinct one."""

import re
import string
from functools import lru_cache
from typing import NamedTuple

from .hashing import hash_text

_EDGES = string.punctuation + "“”„‟‘’‚‛«»‹›…–—―·•′″¿¡"
_SEPARATORS = re.compile("[-/–—]+")


class Token(NamedTuple):
    """A typed token.

    Attributes:
        surface: What a reader sees: a symbol, or a word in lower case without punctuation at its edges.
        is_math: Whether it stands in a formula.
        is_word: Whether it is text and more than punctuation.
        hash: That of a symbol with its type; 0 for text.
        word: The hash of a word; 0 if there is none.
        stem: The hash of a word's stem; 0 if there is none.
        parts: The parts of a compound word.
        part_stems: The hashes of their stems.
    """

    surface: str
    is_math: bool
    is_word: bool
    hash: int = 0
    word: int = 0
    stem: int = 0
    parts: tuple[str, ...] = ()
    part_stems: tuple[int, ...] = ()


# Nearly all tokens of a large corpus are among these many; more would only take memory.
@lru_cache(maxsize=1 << 17)
def look_up(token: str | None) -> Token:
    """Tell what there is to know of a typed token; None, a missing one, is neither symbol nor word."""
    if not token:
        return Token("", is_math=False, is_word=False)
    surface = token.partition(":")[2]
    if token.startswith("m"):
        return Token(surface, is_math=True, is_word=False, hash=hash_text(token))
    word = surface.lower().strip(_EDGES)
    if not word:
        return Token(surface, is_math=False, is_word=False)
    parts = compound_parts(word)
    return Token(
        surface=word,
        is_math=False,
        is_word=True,
        word=hash_text(f"word {word}"),
        stem=hash_stem(word),
        parts=parts,
        part_stems=tuple(map(hash_stem, parts)),
    )


def compound_parts(word: str) -> tuple[str, ...]:
    """Split a compound word; others have no parts.

    Labels of references are compounds, too: `spaces-morphisms-lemma-smooth-local` says what a proof is about.
    """
    parts = _SEPARATORS.split(word)
    return tuple(part for part in parts if len(part) > 1) if len(parts) > 1 else ()


@lru_cache(maxsize=1 << 16)
def hash_stem(word: str) -> int:
    """Hash the stem of a word."""
    return hash_text(f"stem {stem(word)}")


def stem(word: str) -> str:
    """Cut the ending off an English word in lower case."""
    # The class itself: `snowballstemmer.stemmer` takes whatever version of PyStemmer is installed, if any.
    from snowballstemmer.english_stemmer import EnglishStemmer

    return EnglishStemmer().stemWord(word)  # a new one each time, as threads must not share one
