"""Search for near duplicates: MinHash proposes, the true Jaccard similarity decides.

A signature is the minimum of each of 40 hash functions over a text's shingles; two texts agree in each with a
probability that is their Jaccard similarity. Signatures are cut into 10 bands of 4, and texts that agree in a
whole band are compared. A pair of similarity 0.8 is found with probability 1 - (1 - 0.8⁴)¹⁰ = 99.5 %, one of
0.9 with 99.998 %; what is found is never wrong.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .hashing import hash_together
from .shingles import SHINGLE, jaccard, shingles_of
from .texts import Texts

SIMILAR = 0.8  # Jaccard similarity from which on two texts are near duplicates

_BANDS, _BAND = 10, 4
RECALL = 1 - (1 - SIMILAR**_BAND) ** _BANDS  # of pairs that are just similar enough
_SEED = 20_210  # any will do; a fixed one makes reports reproducible

# Fewer than 20 of the 40 minima agree in less than one of a hundred thousand pairs that are similar enough.
_LEAST_AGREEMENT = 20

# Thousands of texts can agree in a band ("Proof. This is clear."). In so large a group, each is compared with
# the few that follow it, in an order that changes from band to band: enough to tell that it has a neighbour.
_SMALL_GROUP = 32
_FOLLOWERS = 4

_TOKENS_AT_ONCE = 1 << 20


@dataclass(frozen=True, slots=True)
class NearPairs:
    """Pairs of near duplicates: the numbers of the two texts, and how similar they are."""

    first: np.ndarray
    second: np.ndarray
    similarity: np.ndarray


def find_near_duplicates(
    texts: Texts, token_hashes: np.ndarray, tick: Callable[[], None] = lambda: None
) -> NearPairs:
    """Find distinct texts whose shingles are nearly the same.

    A text of fewer than five tokens is a shingle by itself, and therefore near to none but its equals.

    Args:
        texts: Distinct texts.
        token_hashes: Hash of each token.
        tick: Called now and then.
    """
    long_enough = np.flatnonzero(np.diff(texts.starts) >= SHINGLE)
    if not len(long_enough):
        return NearPairs(long_enough, long_enough, np.empty(0))
    signatures = _signatures(texts, long_enough, token_hashes, tick)
    first, second = _candidates(signatures, tick)
    first, second = long_enough[first], long_enough[second]
    similarity = jaccard(texts, first, second, token_hashes)
    near = similarity >= SIMILAR
    return NearPairs(first[near], second[near], similarity[near])


def _signatures(
    texts: Texts, numbers: np.ndarray, token_hashes: np.ndarray, tick: Callable[[], None]
) -> np.ndarray:
    """Compute the minima of every hash function, a row a function."""
    random = np.random.default_rng(_SEED)
    masks, factors = random.integers(0, 1 << 32, (2, _BANDS * _BAND), np.uint32)
    factors |= np.uint32(1)  # odd, so that multiplying permutes the numbers
    signatures = np.empty((_BANDS * _BAND, len(numbers)), np.uint32)
    for begin, end in _portions(np.diff(texts.starts)[numbers]):
        shingles, starts = shingles_of(texts, numbers[begin:end], token_hashes)
        halves = (shingles >> np.uint64(32)).astype(np.uint32)
        for function, (mask, factor) in enumerate(zip(masks, factors, strict=True)):
            signatures[function, begin:end] = np.minimum.reduceat((halves ^ mask) * factor, starts[:-1])
        tick()
    return signatures


def _portions(lengths: np.ndarray) -> Iterator[tuple[int, int]]:
    """Cut a series of texts into portions of limited size."""
    portion = np.cumsum(lengths) // _TOKENS_AT_ONCE
    cuts = [0, *(np.flatnonzero(np.diff(portion)) + 1).tolist(), len(lengths)]
    yield from pairwise(cuts)


def _candidates(signatures: np.ndarray, tick: Callable[[], None]) -> tuple[np.ndarray, np.ndarray]:
    """List pairs of texts that agree in a band and could be similar enough."""
    total = signatures.shape[1]
    random = np.random.default_rng(_SEED)
    found = np.empty(0, np.int64)
    for band in signatures.reshape(_BANDS, _BAND, total):
        shuffled = random.permutation(total)
        keys = hash_together(*band.astype(np.uint64))[shuffled]
        order = np.argsort(keys, kind="stable")
        keys, places = keys[order], shuffled[order]
        _, sizes = np.unique(keys, return_counts=True)
        is_small = np.repeat(sizes <= _SMALL_GROUP, sizes)
        pieces = [found]
        for distance in range(1, min(_SMALL_GROUP, total)):
            agree = keys[distance:] == keys[:-distance]
            if distance > _FOLLOWERS:
                agree &= is_small[distance:]
            if not agree.any():
                break
            one, other = places[distance:][agree], places[:-distance][agree]
            one, other = np.minimum(one, other), np.maximum(one, other)
            promising = _agreement(signatures, one, other) >= _LEAST_AGREEMENT
            pieces.append(one[promising] * total + other[promising])
        found = np.unique(np.concatenate(pieces))
        tick()
    return found // total, found % total


def _agreement(signatures: np.ndarray, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Count the hash functions in which the texts of each pair agree."""
    agreement = np.zeros(len(one), np.int8)
    for minima in signatures:
        agreement += minima[one] == minima[other]
    return agreement
