"""Texts → bags of features: which ones they have, and how often."""

from collections.abc import Callable, Sequence
from hashlib import sha256
from importlib.metadata import version

import numpy as np
import pyarrow as pa

from proofmatch.progress import Progress
from proofmatch.ragged import Ragged

from ..cache import Arrays, cached_arrays
from .features import FEATURES_VERSION, GROUPS, group_numbers, occurrences

# An entry of a bag. In a bag that was counted, `feature` is a hash, and `frequency` 0, until a vocabulary
# gives both; `group` is the place of the feature's group among those asked for.
BAG = np.dtype([("feature", "i8"), ("frequency", "i4"), ("count", "u2"), ("group", "i1")])

# Few enough for little memory, enough for little overhead; rows must fit into 16 bits.
TEXTS_AT_ONCE = 2048

_MAX_COUNT = np.iinfo(BAG["count"]).max


def count_features(
    texts: pa.ListArray,
    groups: Sequence[str] = GROUPS,
    input: str = "both",
    progress: Progress | None = None,
) -> Ragged:
    """Count the features of each text.

    Args:
        texts: Lists of typed tokens.
        groups: The groups of features to count.
        input: What may be read: `both`, `text` or `math`.
        progress: Advanced once every `TEXTS_AT_ONCE` texts.

    Returns:
        Bags: arrays of `BAG`, in the order of their features, each of which is there once.
    """
    places = {group: place for place, group in enumerate(groups)}
    group_place = np.array([places.get(group, -1) for group in GROUPS], dtype=np.int8)
    bags = np.empty(0, dtype=BAG)
    lengths = np.zeros(len(texts), dtype=np.int64)
    for start in range(0, max(len(texts), 1), TEXTS_AT_ONCE):
        part = texts.slice(start, TEXTS_AT_ONCE)
        hashes, counts, lengths[start : start + len(part)] = _count(part, groups, input)
        known = len(bags)
        # In place: chunks to be put together at the end would need twice the memory.
        bags.resize(known + len(hashes), refcheck=False)
        new = bags[known:]
        new["feature"] = hashes.view(np.int64)
        new["count"] = np.minimum(counts, _MAX_COUNT)
        new["group"] = group_place[group_numbers(hashes)]
        del new
        if progress is not None:
            progress.advance()
    return Ragged(bags, np.concatenate([[0], np.cumsum(lengths)]))


def cached_features(key_parts: str, make: Callable[[], Ragged]) -> Ragged:
    """Read bags from the user's cache, or make and keep them.

    Args:
        key_parts: Whatever tells these bags from others: the texts, the groups, what may be read.
        make: Counts them, if they are not there.
    """
    made_of = f"features {FEATURES_VERSION} snowballstemmer {version('snowballstemmer')} {key_parts}"

    def arrays() -> Arrays:
        bags = make()
        return bags.values, bags.starts

    key = sha256(made_of.encode()).hexdigest()
    return Ragged(*cached_arrays(key, 2, arrays, _are_bags))


def _count(
    texts: pa.ListArray, groups: Sequence[str], input: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Give the features of all texts, how often each occurs, and how many features each text has."""
    found = list(occurrences(texts, groups, input).values())
    rows = np.concatenate([np.empty(0, np.uint16), *(one.rows.astype(np.uint16) for one in found)])
    hashes = np.concatenate([np.empty(0, np.uint64), *(one.hashes for one in found)])
    hashes = hashes[np.argsort(rows, kind="stable")]  # of 16 bits, hence in linear time
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(texts)))])
    signed = hashes.view(np.int64)
    for start, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        # Many small arrays in place are sorted several times faster than all by row and hash.
        signed[start:end].sort()
    is_new = np.ones(len(hashes), dtype=bool)
    is_new[1:] = hashes[1:] != hashes[:-1]
    is_new[starts[:-1][starts[:-1] < len(hashes)]] = True
    first = np.flatnonzero(is_new)
    counts = np.diff(first, append=len(hashes))
    lengths = np.diff(np.searchsorted(first, starts))
    return hashes[first], counts, lengths


def _are_bags(arrays: Arrays) -> bool:
    words, starts = arrays
    return bool(
        words.dtype == BAG
        and starts.dtype == np.int64
        and words.ndim == starts.ndim == 1
        and len(starts)
        and starts[0] == 0
        and starts[-1] == len(words)
        and (np.diff(starts) >= 0).all()
    )
