"""Typed tokens → features, all texts of a column at once and never token by token."""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute makes its functions at run time, where a type checker does not see them.)

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from proofmatch.errors import ProofmatchError

from ...evaluation.task import INPUTS
from .hashing import combine
from .words import Token, look_up

# To be raised with every change to what the features of a text are, or how they are hashed.
FEATURES_VERSION = 1

# The lowest bits of a feature's hash say which group it is of.
_GROUP_BITS = np.uint64(0b1111)


@dataclass(frozen=True, slots=True)
class ReadTokens:
    """The tokens of some texts that may be read, one after the other.

    Attributes:
        rows: The text of each token.
        places: Its place in the text as it was given.
        codes: Which of the distinct tokens it is.
        distinct: The distinct tokens.
        is_math: Whether it stands in a formula.
        math: Which tokens do.
        math_left: How many are left in the run of math tokens that each of these is in, itself included.
        words: Which tokens are words.
        hashes: The hash of a symbol, or of a word's stem.
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


@dataclass(frozen=True, slots=True)
class Occurrences:
    """Where the features of a group occur, in no particular order.

    Attributes:
        hashes: What occurs, `uint64`; groups have no hash in common.
    """

    hashes: np.ndarray
    _tokens: ReadTokens
    _first: np.ndarray
    _last: np.ndarray

    @property
    def rows(self) -> np.ndarray:
        """The text of each occurrence."""
        return self._tokens.rows[self._first]

    @property
    def begins(self) -> np.ndarray:
        """The place of its first token in the text as it was given."""
        return self._tokens.places[self._first]

    @property
    def ends(self) -> np.ndarray:
        """The place after its last token."""
        return self._tokens.places[self._last] + 1


# What finds the features of a group gives their hashes, first and last tokens.
_Found = tuple[np.ndarray, np.ndarray, np.ndarray]


def _math_ngrams(size: int) -> Callable[[ReadTokens], _Found]:
    """Find neighbouring symbols."""

    def find(tokens: ReadTokens) -> _Found:
        first = tokens.math[tokens.math_left >= size]
        hashes = tokens.hashes[first]
        for distance in range(1, size):
            hashes = combine(hashes, tokens.hashes[first + distance])
        return hashes, first, first + (size - 1)

    return find


def _math_runs(tokens: ReadTokens) -> _Found:
    """Find formulas, or what is between two words: as many symbols in a row as there are, at least two."""
    first = np.flatnonzero(_begins_run(tokens.math_left))
    if not len(first):
        return tokens.hashes[:0], first, first
    lengths = tokens.math_left[first]
    # Hashes of symbols together with their places may be added up in any order.
    places = np.repeat(lengths, lengths) - tokens.math_left
    hashes = np.add.reduceat(combine(tokens.hashes[tokens.math], places.astype(np.uint64)), first)
    is_long = lengths > 1
    begins = tokens.math[first[is_long]]
    return hashes[is_long], begins, begins + lengths[is_long] - 1


def _words(tokens: ReadTokens) -> _Found:
    of_distinct = np.array([token.word for token in tokens.distinct], dtype=np.uint64)
    return of_distinct[tokens.codes[tokens.words]], tokens.words, tokens.words


def _stems(tokens: ReadTokens) -> _Found:
    """Find stems of words, and of the parts of compound words."""
    stems = [stem for token in tokens.distinct for stem in token.part_stems]
    n_parts = np.array([len(token.parts) for token in tokens.distinct], dtype=np.int64)
    first_part = np.cumsum(n_parts) - n_parts
    # The parts of every compound, one after the other.
    compounds = tokens.words[n_parts[tokens.codes[tokens.words]] > 0]
    codes = tokens.codes[compounds]
    lengths = n_parts[codes]
    places = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    parts = np.array(stems, dtype=np.uint64)[np.repeat(first_part[codes], lengths) + places]
    where = np.concatenate([tokens.words, np.repeat(compounds, lengths)])
    return np.concatenate([tokens.hashes[tokens.words], parts]), where, where


def _stem_bigrams(tokens: ReadTokens) -> _Found:
    """Find stems of consecutive words, whatever symbols and punctuation are between them."""
    first, second = tokens.words[:-1], tokens.words[1:]
    in_one_text = tokens.rows[first] == tokens.rows[second]
    first, second = first[in_one_text], second[in_one_text]
    return combine(tokens.hashes[first], tokens.hashes[second]), first, second


def _borders(tokens: ReadTokens) -> _Found:
    """Find a symbol and the word right before or after it."""
    is_word = np.zeros(len(tokens.rows), dtype=bool)
    is_word[tokens.words] = True
    is_border = (tokens.is_math[:-1] & is_word[1:]) | (is_word[:-1] & tokens.is_math[1:])
    is_border &= tokens.rows[:-1] == tokens.rows[1:]
    first = np.flatnonzero(is_border)
    return combine(tokens.hashes[first], tokens.hashes[first + 1]), first, first + 1


_FINDERS: dict[str, Callable[[ReadTokens], _Found]] = {
    "math-1": _math_ngrams(1),
    "math-2": _math_ngrams(2),
    "math-3": _math_ngrams(3),
    "math-4": _math_ngrams(4),
    "math-run": _math_runs,
    "word": _words,
    "stem": _stems,
    "stem-2": _stem_bigrams,
    "border": _borders,
}

GROUPS = tuple(_FINDERS)


def occurrences(
    texts: pa.ListArray, groups: Sequence[str] = GROUPS, input: str = "both"
) -> dict[str, Occurrences]:
    """Find all features of some texts.

    Args:
        texts: Lists of typed tokens; a missing text is an empty one.
        groups: The groups of features to find.
        input: What may be read: `both`, `text` or `math`. The rest is left out first, so that tokens become
            neighbours that were none.

    Returns:
        What was found of each group.

    Raises:
        ProofmatchError: If there is no such group or input.
    """
    for group in groups:
        if group not in GROUPS:
            raise ProofmatchError(f"groups of features are {', '.join(GROUPS)}, not {group!r}")
    tokens = _read(texts, input)
    found = {}
    for group in groups:
        hashes, first, last = _FINDERS[group](tokens)
        hashes = (hashes & ~_GROUP_BITS) | np.uint64(GROUPS.index(group))
        found[group] = Occurrences(hashes, tokens, first, last)
    return found


def group_numbers(hashes: np.ndarray) -> np.ndarray:
    """Tell of which groups features are, as places in `GROUPS`."""
    return (hashes & _GROUP_BITS).astype(np.int8)


def _read(texts: pa.ListArray, input: str) -> ReadTokens:
    if input not in INPUTS:
        raise ProofmatchError(f"input must be one of {', '.join(INPUTS)}, not {input!r}")
    values = texts.flatten().cast(pa.string()).dictionary_encode(null_encoding="encode")
    distinct = [look_up(token) for token in values.dictionary.to_pylist()]
    codes = values.indices.to_numpy()
    lengths = pc.list_value_length(texts).fill_null(0).to_numpy().astype(np.int64)
    rows = np.repeat(np.arange(len(texts)), lengths)
    places = np.arange(len(codes)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    is_math = np.array([token.is_math for token in distinct], dtype=bool)[codes]
    if input != "both":
        kept = np.flatnonzero(is_math == (input == "math"))
        codes, rows, places, is_math = codes[kept], rows[kept], places[kept], is_math[kept]
    math = np.flatnonzero(is_math)
    # A token has the hash of a symbol or that of a stem, never both.
    hashes = np.array([token.hash | token.stem for token in distinct], dtype=np.uint64)
    return ReadTokens(
        rows=rows,
        places=places,
        codes=codes,
        distinct=distinct,
        is_math=is_math,
        math=math,
        math_left=_left_in_run(math, rows[math]),
        words=np.flatnonzero(np.array([token.is_word for token in distinct], dtype=bool)[codes]),
        hashes=hashes[codes],
    )


def _left_in_run(places: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Count for each place how many follow it without a gap in the same row, itself included."""
    is_end = np.ones(len(places), dtype=bool)
    is_end[:-1] = (np.diff(places) != 1) | (rows[1:] != rows[:-1])
    ends = np.flatnonzero(is_end)
    lengths = np.diff(ends, prepend=-1)
    return np.repeat(ends, lengths) - np.arange(len(places)) + 1


def _begins_run(left: np.ndarray) -> np.ndarray:
    """Tell where runs begin: there it is not one less that is left than before."""
    begins = np.ones(len(left), dtype=bool)
    begins[1:] = left[:-1] == 1
    return begins
