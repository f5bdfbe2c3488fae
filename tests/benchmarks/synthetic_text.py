"""Synthetic pairs of any number, with the statistics of the real pairs that they are made from.

Each pair starts from a real one. Stretches of its texts are replaced by a random walk through the real
texts of the same side: from a token to its successor, or to the successor of another occurrence of the
token. If every step chose among all occurrences, that would be a bigram model; only some do, to limit the
number of new trigrams. Phrases are then copied within a text, because texts repeat themselves, and from the
statement to its proof.

Rare tokens are renamed consistently within a pair. Names follow a power law, so that the number of distinct
names grows as in real text (Heaps' law).
"""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute generates its functions at run time, where type checkers do not see them.)

from collections.abc import Iterator
from dataclasses import dataclass
from string import ascii_lowercase

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

PAIRS_AT_ONCE = 4096

# Chosen so that real and synthetic pairs of the same number agree in the statistics of `lexical.py`.
STRETCH = 120  # tokens that are written anew, or kept, together
SHARE_WRITTEN = 0.7  # of stretches that are written anew
SHARE_OF_JUMPS = 0.2  # of steps that go on at another occurrence of a token
PHRASE = 40  # tokens that are copied together
SHARE_REPEATED = (
    0.27,
    0.47,
)  # of a statement's and a proof's phrases: those copied from elsewhere in the text
SHARE_COPIED = 0.12  # of a proof's phrases: those copied from its statement
RARE = 3  # texts that have a token which may be renamed, at most


@dataclass(frozen=True, slots=True)
class Side:
    """The real texts of a side, one after the other.

    Attributes:
        codes: Which of the distinct tokens each token is, (tokens).
        starts: Where each text begins, and after the last one the end, (texts + 1).
        by_code: The places of tokens that have a next one in their text, ordered by code.
        code_starts: Where in `by_code` each code begins, and after the last one the end, (codes + 1).
        is_last: Whether a token is the last one of its text, (tokens).
    """

    codes: np.ndarray
    starts: np.ndarray
    by_code: np.ndarray
    code_starts: np.ndarray
    is_last: np.ndarray

    @classmethod
    def of(cls, codes: np.ndarray, lengths: np.ndarray, n_codes: int) -> "Side":
        """Prepare the walks through texts."""
        starts = np.concatenate([[0], np.cumsum(lengths)])
        is_last = np.zeros(len(codes), dtype=bool)
        is_last[starts[1:][lengths > 0] - 1] = True
        places = np.flatnonzero(~is_last)
        by_code = places[np.argsort(codes[places], kind="stable")]
        counts = np.bincount(codes[places], minlength=n_codes)
        return cls(codes, starts, by_code, np.concatenate([[0], np.cumsum(counts)]), is_last)

    def elsewhere(self, places: np.ndarray, draw: np.random.Generator) -> np.ndarray:
        """Go from each place to an occurrence of its token that another follows; to any place, if none is."""
        codes = self.codes[places]
        first, count = self.code_starts[codes], np.diff(self.code_starts)[codes]
        first, count = np.where(count > 0, first, 0), np.where(count > 0, count, len(self.by_code))
        return self.by_code[first + (draw.random(len(places)) * count).astype(np.int64)]


class SyntheticPairs:
    """Makes pairs of any number.

    Args:
        statements: Real ones, as lists of typed tokens.
        proofs: Their proofs.
        beta: The exponent of Heaps' law, from `heaps_exponent`.
        seed: The same pairs come of the same seed.
    """

    def __init__(self, statements: pa.ListArray, proofs: pa.ListArray, beta: float, seed: int = 0) -> None:
        columns = [texts.flatten() for texts in (statements, proofs)]
        encoded = pa.concat_arrays(columns).dictionary_encode()
        self._tokens = np.array(encoded.dictionary.to_pylist(), dtype=object)
        codes = np.split(encoded.indices.to_numpy(), [len(columns[0])])
        self._sides = [
            Side.of(side, pc.list_value_length(texts).to_numpy(), len(self._tokens))
            for side, texts in zip(codes, (statements, proofs), strict=True)
        ]
        self._is_rare = _numbers_of_texts(self._sides, len(self._tokens)) <= RARE
        self._power = beta / (1 - beta)  # of a law under which n draws have about n^beta distinct results
        self._seed = seed
        self._n_real = len(statements)

    def make(self, n_pairs: int) -> Iterator[tuple[pa.ListArray, pa.ListArray]]:
        """Make statements and proofs, some thousand at a time."""
        for start in range(0, n_pairs, PAIRS_AT_ONCE):
            yield self._make(start, min(PAIRS_AT_ONCE, n_pairs - start))

    def _make(self, start: int, size: int) -> tuple[pa.ListArray, pa.ListArray]:
        draw = np.random.default_rng([self._seed, start])
        chosen = draw.integers(self._n_real, size=size)
        codes: list[np.ndarray] = []
        offsets: list[np.ndarray] = []
        for side, share_repeated in zip(self._sides, SHARE_REPEATED, strict=True):
            lengths = np.diff(side.starts)[chosen]
            begins = np.concatenate([[0], np.cumsum(lengths)])
            places = np.arange(begins[-1]) + np.repeat(side.starts[chosen] - begins[:-1], lengths)
            tokens = side.codes[places]
            _write_anew(tokens, places, side, _stretches(begins, STRETCH, SHARE_WRITTEN, draw), draw)
            repeated = _stretches(begins, PHRASE, share_repeated, draw)
            _copy(tokens, repeated, tokens.copy(), begins, draw)
            if codes:
                copied = _stretches(begins, PHRASE, SHARE_COPIED, draw)
                _copy(tokens, copied, codes[0], offsets[0], draw)
            codes.append(tokens)
            offsets.append(begins)
        rows = [np.repeat(np.arange(start, start + size), np.diff(one)) for one in offsets]
        tokens = np.split(self._renamed(np.concatenate(codes), np.concatenate(rows)), [len(codes[0])])
        return (
            pa.ListArray.from_arrays(pa.array(offsets[0], pa.int32()), pa.array(tokens[0], pa.string())),
            pa.ListArray.from_arrays(pa.array(offsets[1], pa.int32()), pa.array(tokens[1], pa.string())),
        )

    def _renamed(self, codes: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Give tokens, rare ones under new names."""
        tokens = self._tokens[codes]
        rare = np.flatnonzero(self._is_rare[codes])
        # One draw for each rare token of a pair, on whichever side and however often it stands there.
        keys, places = np.unique(rows[rare] * len(self._tokens) + codes[rare], return_inverse=True)
        drawn = np.random.default_rng([self._seed, int(rows[0]), 1]).random(len(keys))
        numbers = np.minimum((1 - drawn) ** -self._power, 2**31).astype(np.int64)
        old = self._tokens[keys % len(self._tokens)]
        names = np.array(
            [token + _letters(number) for token, number in zip(old, numbers.tolist(), strict=True)],
            dtype=object,
        )
        tokens[rare] = names[places]
        return tokens


def heaps_exponent(sizes: list[int], distinct: list[int]) -> float:
    """Fit the exponent of Heaps' law, `distinct ~ size ** beta`."""
    return float(np.polyfit(np.log(sizes), np.log(distinct), 1)[0])


@dataclass(frozen=True, slots=True)
class _Stretches:
    """Some stretches of texts: where each begins and ends, and in which text it is."""

    begins: np.ndarray
    ends: np.ndarray
    texts: np.ndarray


def _stretches(offsets: np.ndarray, size: int, share: float, draw: np.random.Generator) -> _Stretches:
    """Cut texts into stretches and choose a share of them."""
    n_stretches = -(-np.diff(offsets) // size)
    texts = np.repeat(np.arange(len(n_stretches)), n_stretches)
    first = np.cumsum(n_stretches) - n_stretches
    begins = offsets[texts] + size * (np.arange(len(texts)) - first[texts])
    ends = np.minimum(begins + size, offsets[texts + 1])
    begins = np.maximum(begins, offsets[texts] + 1)  # a walk needs a token to begin at
    chosen = (draw.random(len(texts)) < share) & (ends > begins)
    return _Stretches(begins[chosen], ends[chosen], texts[chosen])


def _write_anew(
    codes: np.ndarray, places: np.ndarray, side: Side, stretches: _Stretches, draw: np.random.Generator
) -> None:
    """Write stretches anew, in place.

    Args:
        codes: The tokens of some texts.
        places: Where each of them is among the real ones.
        side: The real ones.
        stretches: Those to be written.
        draw: Of random numbers.
    """
    now, ends = stretches.begins, stretches.ends
    at = places[now - 1]
    is_first = True
    while len(now):
        jumps = is_first | (draw.random(len(at)) < SHARE_OF_JUMPS) | side.is_last[at]
        at = np.where(jumps, side.elsewhere(at, draw), at) + 1
        codes[now] = side.codes[at]
        going_on = now + 1 < ends
        now, ends, at = now[going_on] + 1, ends[going_on], at[going_on]
        is_first = False


def _copy(
    codes: np.ndarray,
    stretches: _Stretches,
    source: np.ndarray,
    source_offsets: np.ndarray,
    draw: np.random.Generator,
) -> None:
    """Replace stretches, in place, by stretches of the source's text of the same number."""
    lengths = stretches.ends - stretches.begins
    room = np.diff(source_offsets)[stretches.texts] - lengths
    firsts = (draw.random(len(room)) * np.maximum(room + 1, 0)).astype(np.int64)
    fits = np.repeat(room >= 0, lengths)
    within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    to = np.repeat(stretches.begins, lengths) + within
    of = np.repeat(source_offsets[stretches.texts] + firsts, lengths) + within
    codes[to[fits]] = source[of[fits]]


def _numbers_of_texts(sides: list[Side], n_codes: int) -> np.ndarray:
    """Count in how many texts each token is."""
    counts = np.zeros(n_codes, dtype=np.int64)
    for side in sides:
        rows = np.repeat(np.arange(len(side.starts) - 1), np.diff(side.starts))
        counts += np.bincount(np.unique(rows * n_codes + side.codes) % n_codes, minlength=n_codes)
    return counts


def _letters(number: int) -> str:
    """Spell a number, from 2 on, by letters; 1 is no name at all."""
    name = ""
    number -= 1
    while number > 0:
        number, digit = divmod(number, len(ascii_lowercase))
        name += ascii_lowercase[digit]
    return f"z{name}" if name else ""
