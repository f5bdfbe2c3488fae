"""Typed tokens → features, vectorized over all texts of a column.

Features are hashes of symbols, words, stems and their combinations. A saved vocabulary consists of these
hashes, so they must be the same in every process, on every machine and in every version of Python.
"""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute generates its functions at run time, where type checkers do not see them.)

import re
import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from proofmatch.errors import ProofmatchError, check_choice
from proofmatch.ragged import ranges

from ...builder.variants.letters import letter_of_token
from ...evaluation.task import INPUTS

# Increment it whenever the features of a text, or how they are hashed, change.
FEATURES_VERSION = 2

# The lowest bits of a feature's hash encode its group.
_GROUP_BITS = np.uint64(0b11111)

_EDGES = string.punctuation + "“”„‟‘’‚‛«»‹›…–—―·•′″¿¡"
_SEPARATORS = re.compile("[-/–—]+")
_QED = frozenset("∎□■◻◼▢▫◽◾⬜⬛")  # at the end of a text; elsewhere, they can be operators

# Odd numbers with about as many ones as zeros, from the constants of xxHash.
_FIRST, _SECOND, _THIRD = (
    np.uint64(number) for number in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)
)


def hash_text(text: str) -> int:
    """Hash a text to 64 bits."""
    # A Python string may contain lone surrogates, UTF-8 may not.
    data = text.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "little")


def combine(left: np.ndarray, right: np.ndarray | np.uint64) -> np.ndarray:
    """Hash ordered pairs of hashes.

    Args:
        left: Hashes, `uint64`.
        right: As many, or one for all.
    """
    with np.errstate(over="ignore"):  # arithmetic modulo 2⁶⁴ is intended
        mixed = left << np.uint64(6)
        mixed += left >> np.uint64(2)
        mixed += right
        mixed += _SECOND
        mixed ^= left * _FIRST
        mixed ^= mixed >> np.uint64(29)
        mixed *= _THIRD
        mixed ^= mixed >> np.uint64(32)
    return mixed


class Token(NamedTuple):
    """The properties of a typed token.

    Attributes:
        surface: A symbol, or a word in lower case without punctuation at its edges.
        is_math: Whether it belongs to a formula.
        is_word: Whether it is text and more than punctuation.
        hash: The hash of a symbol with its type; 0 for text.
        sort: The hash of a variable's font, alphabet and case; 0 for other tokens.
        word: The hash of a word; 0 for other tokens.
        stem: The hash of a word's stem; 0 for other tokens.
        parts: The parts of a compound word.
        part_stems: The hashes of their stems.
    """

    surface: str
    is_math: bool
    is_word: bool
    hash: int = 0
    sort: int = 0
    word: int = 0
    stem: int = 0
    parts: tuple[str, ...] = ()
    part_stems: tuple[int, ...] = ()


# Enough for nearly all tokens of a large corpus; more would only take memory.
@lru_cache(maxsize=1 << 17)
def look_up(token: str | None) -> Token:
    """Return the properties of a typed token; a missing token, None, is neither symbol nor word."""
    if not token:
        return Token("", is_math=False, is_word=False)
    surface = token.partition(":")[2]
    if token.startswith("m"):
        letter = letter_of_token[token]
        sort = hash_text(f"{token[:-1]} {letter.isascii()} {letter.isupper()}") if letter else 0
        return Token(surface, is_math=True, is_word=False, hash=hash_text(token), sort=sort)
    word = surface.lower().strip(_EDGES)
    if not word:
        return Token(surface, is_math=False, is_word=False)
    parts = compound_parts(word)
    return Token(
        surface=word,
        is_math=False,
        is_word=True,
        word=hash_text(f"word {word}"),
        stem=_hash_stem(word),
        parts=parts,
        part_stems=tuple(map(_hash_stem, parts)),
    )


def compound_parts(word: str) -> tuple[str, ...]:
    """Split a compound word; other words have no parts.

    Labels of references are compounds, too: `spaces-morphisms-lemma-smooth-local` says what a proof is about.
    """
    parts = _SEPARATORS.split(word)
    return tuple(part for part in parts if len(part) > 1) if len(parts) > 1 else ()


@lru_cache(maxsize=1 << 16)
def _hash_stem(word: str) -> int:
    return hash_text(f"stem {stem(word)}")


def stem(word: str) -> str:
    """Return the stem of an English word in lower case."""
    # The class itself: `snowballstemmer.stemmer` would use PyStemmer, of any version, if it is installed.
    from snowballstemmer.english_stemmer import EnglishStemmer

    return EnglishStemmer().stemWord(word)  # a new stemmer each time, because they are not thread-safe


@dataclass(frozen=True, slots=True)
class ColumnTokens:
    """The input tokens of a column of texts, one text after the other.

    Attributes:
        rows: The text of each token.
        places: Its position in the text as it was given.
        codes: Its index among the distinct tokens.
        distinct: The distinct tokens.
        is_math: Whether it belongs to a formula.
        math: The indices of all math tokens.
        math_left: For each math token, how many remain in its run of adjacent math tokens, itself included.
        words: The indices of all words.
        hashes: The hash of a symbol, or of a word's stem.
        sorts: The hash of a variable's sort; 0 for other tokens.
    """

    rows: np.ndarray
    places: np.ndarray
    codes: np.ndarray
    distinct: list[Token]
    is_math: np.ndarray
    math: np.ndarray
    math_left: np.ndarray
    words: np.ndarray
    hashes: np.ndarray
    sorts: np.ndarray


@dataclass(frozen=True, slots=True)
class Occurrences:
    """Where the features of a group occur, in no particular order.

    Attributes:
        hashes: The feature of each occurrence, `uint64`; groups have no hash in common.
    """

    hashes: np.ndarray
    _tokens: ColumnTokens
    _first: np.ndarray
    _last: np.ndarray

    @property
    def rows(self) -> np.ndarray:
        """The text of each occurrence."""
        return self._tokens.rows[self._first]

    @property
    def begins(self) -> np.ndarray:
        """The position of its first token in the text as it was given."""
        return self._tokens.places[self._first]

    @property
    def ends(self) -> np.ndarray:
        """The position after its last token."""
        return self._tokens.places[self._last] + 1


# The hashes, first and last tokens of all features of a group.
_Found = tuple[np.ndarray, np.ndarray, np.ndarray]


def _math_ngrams(size: int) -> Callable[[ColumnTokens], _Found]:
    """Find adjacent symbols."""

    def find(tokens: ColumnTokens) -> _Found:
        first = tokens.math[tokens.math_left >= size]
        hashes = tokens.hashes[first]
        for distance in range(1, size):
            hashes = combine(hashes, tokens.hashes[first + distance])
        return hashes, first, first + (size - 1)

    return find


def _math_runs(tokens: ColumnTokens) -> _Found:
    """Find maximal runs of at least two symbols: formulas, or what is between two words."""
    first = np.flatnonzero(_begins_run(tokens.math_left))
    if not len(first):
        return tokens.hashes[:0], first, first
    lengths = tokens.math_left[first]
    # The sum over symbols, each hashed with its position, does not depend on the order of addition.
    places = np.repeat(lengths, lengths) - tokens.math_left
    hashes = np.add.reduceat(combine(tokens.hashes[tokens.math], places.astype(np.uint64)), first)
    is_long = lengths > 1
    begins = tokens.math[first[is_long]]
    return hashes[is_long], begins, begins + lengths[is_long] - 1


def _words(tokens: ColumnTokens) -> _Found:
    of_distinct = np.array([token.word for token in tokens.distinct], dtype=np.uint64)
    return of_distinct[tokens.codes[tokens.words]], tokens.words, tokens.words


def _stems(tokens: ColumnTokens) -> _Found:
    """Find stems of words, and of the parts of compound words."""
    stems = [stem for token in tokens.distinct for stem in token.part_stems]
    n_parts = np.array([len(token.parts) for token in tokens.distinct], dtype=np.int64)
    first_part = np.cumsum(n_parts) - n_parts
    # The parts of all compounds, one compound after the other.
    compounds = tokens.words[n_parts[tokens.codes[tokens.words]] > 0]
    codes = tokens.codes[compounds]
    lengths = n_parts[codes]
    parts = np.array(stems, dtype=np.uint64)[ranges(first_part[codes], lengths)]
    where = np.concatenate([tokens.words, np.repeat(compounds, lengths)])
    return np.concatenate([tokens.hashes[tokens.words], parts]), where, where


def _stem_bigrams(tokens: ColumnTokens) -> _Found:
    """Find stems of consecutive words, skipping symbols and punctuation."""
    first, second = tokens.words[:-1], tokens.words[1:]
    in_one_text = tokens.rows[first] == tokens.rows[second]
    first, second = first[in_one_text], second[in_one_text]
    return combine(tokens.hashes[first], tokens.hashes[second]), first, second


def _borders(tokens: ColumnTokens) -> _Found:
    """Find a symbol and an adjacent word."""
    is_word = np.zeros(len(tokens.rows), dtype=bool)
    is_word[tokens.words] = True
    is_border = (tokens.is_math[:-1] & is_word[1:]) | (is_word[:-1] & tokens.is_math[1:])
    is_border &= tokens.rows[:-1] == tokens.rows[1:]
    first = np.flatnonzero(is_border)
    return combine(tokens.hashes[first], tokens.hashes[first + 1]), first, first + 1


def _shapes(size: int) -> Callable[[ColumnTokens], _Found]:
    """Find adjacent symbols, whatever the names of their variables."""

    def find(tokens: ColumnTokens) -> _Found:
        return _shapes_of_windows(tokens, tokens.math[tokens.math_left >= size], size)

    return find


def _shapes_with_words(size: int) -> Callable[[ColumnTokens], _Found]:
    """Find adjacent symbols with a word before or after them, whatever the names of their variables."""

    def find(tokens: ColumnTokens) -> _Found:
        n_windows = max(0, len(tokens.rows) - size + 1)
        is_word = np.zeros(len(tokens.rows), dtype=bool)
        is_word[tokens.words] = True
        first, last = slice(n_windows), slice(size - 1, size - 1 + n_windows)
        fits = tokens.rows[first] == tokens.rows[last]
        fits &= (is_word[first] & tokens.is_math[1:][first]) | (
            is_word[last] & tokens.is_math[size - 2 :][first]
        )
        for distance in range(1, size - 1):
            fits &= tokens.is_math[distance:][first]
        for edge in (first, last):
            fits &= is_word[edge] | tokens.is_math[edge]
        return _shapes_of_windows(tokens, np.flatnonzero(fits), size)

    return find


def _shapes_of_windows(tokens: ColumnTokens, first: np.ndarray, size: int) -> _Found:
    """Hash windows with each variable replaced by its sort and the place of its first occurrence.

    So `f : X → Y` and `g : A → B` are one feature.
    """
    hashes = np.zeros(len(first), dtype=np.uint64)
    codes = [tokens.codes[first + distance] for distance in range(size)]
    for distance in range(size):
        place = np.full(len(first), distance, dtype=np.uint64)
        for earlier in reversed(range(distance)):
            place[codes[earlier] == codes[distance]] = earlier
        sorts = tokens.sorts[first + distance]
        hashes = combine(hashes, np.where(sorts != 0, combine(sorts, place), tokens.hashes[first + distance]))
    return hashes, first, first + (size - 1)


_FINDERS: dict[str, Callable[[ColumnTokens], _Found]] = {
    "math-1": _math_ngrams(1),
    "math-2": _math_ngrams(2),
    "math-3": _math_ngrams(3),
    "math-4": _math_ngrams(4),
    "math-run": _math_runs,
    "word": _words,
    "stem": _stems,
    "stem-2": _stem_bigrams,
    "border": _borders,
    "shape-1": _shapes(1),
    "shape-2": _shapes(2),
    "shape-3": _shapes(3),
    "shape-4": _shapes(4),
    "shape-5": _shapes(5),
    "shape-word-2": _shapes_with_words(2),
    "shape-word-3": _shapes_with_words(3),
}

GROUPS = tuple(_FINDERS)
TEXT_GROUPS = ("word", "stem", "stem-2")
SHAPES = tuple(group for group in GROUPS if group.startswith("shape"))


def occurrences(
    texts: pa.ListArray, groups: Sequence[str] = GROUPS, input: str = "both"
) -> dict[str, Occurrences]:
    """Find all features of some texts.

    Args:
        texts: Lists of typed tokens; a missing text is empty.
        groups: The groups of features to find.
        input: Which tokens to keep: `both`, `text` or `math`. The others are dropped first, which makes the
            tokens around them adjacent.

    Returns:
        The occurrences by group.

    Raises:
        ProofmatchError: If a group or the input is unknown.
    """
    for group in groups:
        if group not in GROUPS:
            raise ProofmatchError(f"groups of features are {', '.join(GROUPS)}, not {group!r}")
    tokens = _column_tokens(texts, input)
    found = {}
    for group in groups:
        hashes, first, last = _FINDERS[group](tokens)
        hashes = (hashes & ~_GROUP_BITS) | np.uint64(GROUPS.index(group))
        found[group] = Occurrences(hashes, tokens, first, last)
    return found


def group_numbers(hashes: np.ndarray) -> np.ndarray:
    """Return the groups of features, as indices into `GROUPS`."""
    return (hashes & _GROUP_BITS).astype(np.int8)


def _column_tokens(texts: pa.ListArray, input: str) -> ColumnTokens:
    check_choice("input", input, INPUTS)
    values = texts.flatten().cast(pa.string()).dictionary_encode(null_encoding="encode")
    names = values.dictionary.to_pylist()
    distinct = [look_up(token) for token in (*names, None)]
    codes = values.indices.to_numpy().copy()
    lengths = pc.list_value_length(texts).fill_null(0).to_numpy().astype(np.int64)
    # An end-of-proof symbol is not evidence, so it counts as a missing token.
    ends = (np.cumsum(lengths) - 1)[lengths > 0]
    is_qed = np.array([bool(name) and name.partition(":")[2] in _QED for name in names], dtype=bool)
    codes[ends[is_qed[codes[ends]]]] = len(names)
    rows = np.repeat(np.arange(len(texts)), lengths)
    places = ranges(np.zeros_like(lengths), lengths)
    is_math = np.array([token.is_math for token in distinct], dtype=bool)[codes]
    if input != "both":
        kept = np.flatnonzero(is_math == (input == "math"))
        codes, rows, places, is_math = codes[kept], rows[kept], places[kept], is_math[kept]
    math = np.flatnonzero(is_math)
    # A token has the hash of a symbol or that of a stem, never both.
    hashes = np.array([token.hash | token.stem for token in distinct], dtype=np.uint64)
    return ColumnTokens(
        rows=rows,
        places=places,
        codes=codes,
        distinct=distinct,
        is_math=is_math,
        math=math,
        math_left=_left_in_run(math, rows[math]),
        words=np.flatnonzero(np.array([token.is_word for token in distinct], dtype=bool)[codes]),
        hashes=hashes[codes],
        sorts=np.array([token.sort for token in distinct], dtype=np.uint64)[codes],
    )


def _left_in_run(places: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Count for each place how many follow it without a gap in the same row, itself included."""
    is_end = np.ones(len(places), dtype=bool)
    is_end[:-1] = (np.diff(places) != 1) | (rows[1:] != rows[:-1])
    ends = np.flatnonzero(is_end)
    lengths = np.diff(ends, prepend=-1)
    return np.repeat(ends, lengths) - np.arange(len(places)) + 1


def _begins_run(left: np.ndarray) -> np.ndarray:
    """Mark where runs begin, from how many tokens are left in each."""
    begins = np.ones(len(left), dtype=bool)
    begins[1:] = left[:-1] == 1
    return begins
