"""Shingles: the runs of five tokens in a text. Two texts are as similar as their sets of shingles."""

import numpy as np

from .hashing import mix
from .texts import Texts

SHINGLE = 5

_COMPARED_AT_ONCE = 1 << 22  # shingles
_CANDIDATE_BITS = 15


def shingles_of(texts: Texts, numbers: np.ndarray, token_hashes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Hash the shingles of some texts, which must all have five tokens or more.

    Args:
        texts: All texts.
        numbers: Those wanted.
        token_hashes: Hash of each token.

    Returns:
        The shingles of all, and where each text's begin; at the end, where the last one's stop.
    """
    begins, ends = texts.starts[numbers], texts.starts[numbers + 1]
    tokens = token_hashes[texts.tokens[_ranges(begins, ends)]]
    runs = np.zeros(max(len(tokens) - SHINGLE + 1, 0), np.uint64)
    for place in range(SHINGLE):
        runs *= np.uint64(0x9E3779B97F4A7C15)  # odd, so that the place of a token counts
        runs += tokens[place : len(runs) + place]
    stops = np.cumsum(ends - begins)
    starts = stops - (ends - begins)
    counts = stops - starts - SHINGLE + 1
    within = mix(runs[_ranges(starts, starts + counts)])
    return within, np.append(0, np.cumsum(counts))


def _ranges(begins: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """List the numbers of several ranges, one range after the other."""
    lengths = ends - begins
    before = np.cumsum(lengths) - lengths
    return np.arange(lengths.sum()) + np.repeat(begins - before, lengths)


def jaccard(texts: Texts, first: np.ndarray, second: np.ndarray, token_hashes: np.ndarray) -> np.ndarray:
    """Compute how similar pairs of texts are: the share of their shingles that both have."""
    lengths = np.diff(texts.starts)
    cost = np.cumsum(lengths[first] + lengths[second])
    similarities = [np.empty(0)]
    begin = 0
    while begin < len(first):
        spent = cost[begin - 1] if begin else 0
        end = int(np.searchsorted(cost, spent + _COMPARED_AT_ONCE, side="right"))
        end = min(max(end, begin + 1), begin + (1 << _CANDIDATE_BITS))
        similarities.append(_jaccard_at_once(texts, first[begin:end], second[begin:end], token_hashes))
        begin = end
    return np.concatenate(similarities)


def _jaccard_at_once(
    texts: Texts, first: np.ndarray, second: np.ndarray, token_hashes: np.ndarray
) -> np.ndarray:
    """Sort all shingles by pair, shingle and side: those that both texts have are neighbours then."""
    keys = []
    for side, numbers in enumerate((first, second)):
        shingles, starts = shingles_of(texts, numbers, token_hashes)
        pair = np.repeat(np.arange(len(numbers), dtype=np.uint64), np.diff(starts))
        key = (pair << np.uint64(64 - _CANDIDATE_BITS)) | (shingles >> np.uint64(_CANDIDATE_BITS))
        keys.append((key & ~np.uint64(1)) | np.uint64(side))
    key = np.sort(np.concatenate(keys))
    key = key[np.append(True, key[1:] != key[:-1])]  # a set has a shingle once
    shared = (key[1:] ^ key[:-1]) == 1
    pair_of_key = (key >> np.uint64(64 - _CANDIDATE_BITS)).astype(np.int64)
    in_both = np.bincount(pair_of_key[1:][shared], minlength=len(first))
    in_any = np.bincount(pair_of_key, minlength=len(first)) - in_both
    return in_both / in_any
