"""Bags of features: counting, caching, and looking them up in the vocabulary of a training split."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib.metadata import version

import numpy as np
import pyarrow as pa

from proofmatch.progress import Progress
from proofmatch.ragged import Ragged

from ..cache import Arrays, cached_arrays
from ..texts import Columns
from .features import FEATURES_VERSION, GROUPS, group_numbers, occurrences

# An entry of a bag. After counting, `feature` is a hash and `frequency` 0, until a vocabulary sets both;
# `group` is an index into the groups that were counted.
BAG = np.dtype([("feature", "i8"), ("frequency", "i4"), ("count", "u2"), ("group", "i1")])

_MAX_COUNT = np.iinfo(BAG["count"]).max

# Small enough to save memory, large enough for little overhead.
_TEXTS_AT_ONCE = 2048  # at most 2¹⁶, because rows are sorted as 16-bit numbers
_ENTRIES_AT_ONCE = 1 << 20
_PAIRS_AT_ONCE = 4096


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
        input: Which tokens to keep: `both`, `text` or `math`.
        progress: Advanced after each batch of texts.

    Returns:
        Bags: rows of `BAG`, sorted by feature, each feature once.
    """
    places = {group: place for place, group in enumerate(groups)}
    group_place = np.array([places.get(group, -1) for group in GROUPS], dtype=np.int8)
    bags = np.empty(0, dtype=BAG)
    lengths = np.zeros(len(texts), dtype=np.int64)
    for start in range(0, max(len(texts), 1), _TEXTS_AT_ONCE):
        batch = texts.slice(start, _TEXTS_AT_ONCE)
        hashes, counts, lengths[start : start + len(batch)] = _count(batch, groups, input)
        known = len(bags)
        # Resized in place: concatenating all batches at the end would take twice the memory.
        bags.resize(known + len(hashes), refcheck=False)
        new = bags[known:]
        new["feature"] = hashes.view(np.int64)
        new["count"] = np.minimum(counts, _MAX_COUNT)
        new["group"] = group_place[group_numbers(hashes)]
        del new
        if progress is not None:
            progress.advance()
    return Ragged.from_lengths(bags, lengths)


def _count(
    texts: pa.ListArray, groups: Sequence[str], input: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the features of all texts, their counts, and the number of features of each text."""
    found = list(occurrences(texts, groups, input).values())
    rows = np.concatenate([np.empty(0, np.uint16), *(one.rows.astype(np.uint16) for one in found)])
    hashes = np.concatenate([np.empty(0, np.uint64), *(one.hashes for one in found)])
    hashes = hashes[np.argsort(rows, kind="stable")]  # a radix sort, in linear time for 16 bits
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(texts)))])
    signed = hashes.view(np.int64)
    for start, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        # Sorting many small arrays in place is several times faster than one sort by row and hash.
        signed[start:end].sort()
    is_new = np.ones(len(hashes), dtype=bool)
    is_new[1:] = hashes[1:] != hashes[:-1]
    is_new[starts[:-1][starts[:-1] < len(hashes)]] = True
    first = np.flatnonzero(is_new)
    counts = np.diff(first, append=len(hashes))
    lengths = np.diff(np.searchsorted(first, starts))
    return hashes[first], counts, lengths


def read_features(texts: pa.Array, origin: str | None, groups: tuple[str, ...], input: str) -> Ragged:
    """Count the features of texts, or read them from the user's cache.

    Args:
        texts: Lists of typed tokens.
        origin: A unique name of the texts; None not to use the cache.
        groups: The groups of features to count.
        input: Which tokens to keep: `both`, `text` or `math`.
    """

    def count() -> Ragged:
        if len(texts) <= _TEXTS_AT_ONCE:  # too fast for a progress line
            return count_features(texts, groups, input)
        with Progress("features", "parts", total=-(-len(texts) // _TEXTS_AT_ONCE)) as progress:
            progress.summary = f"of {len(texts):,} texts"
            return count_features(texts, groups, input, progress)

    def arrays() -> Arrays:
        bags = count()
        return bags.values, bags.starts

    if origin is None:
        return count()
    return Ragged(*cached_arrays(_cache_key(origin, groups, input), 2, arrays, _are_bags))


def _cache_key(origin: str, groups: tuple[str, ...], input: str) -> str:
    versions = f"features {FEATURES_VERSION} snowballstemmer {version('snowballstemmer')}"
    return sha256(f"{versions} {origin} {' '.join(groups)} {input}".encode()).hexdigest()


def _are_bags(arrays: Arrays) -> bool:
    values, starts = arrays
    return bool(
        values.dtype == BAG
        and starts.dtype == np.int64
        and values.ndim == starts.ndim == 1
        and len(starts)
        and starts[0] == 0
        and starts[-1] == len(values)
        and (np.diff(starts) >= 0).all()
    )


def _are_frequencies(arrays: Arrays) -> bool:
    hashes, frequencies, n_texts = arrays
    return bool(
        hashes.dtype == n_texts.dtype == np.int64
        and frequencies.dtype == np.int32
        and hashes.shape == frequencies.shape
        and n_texts.shape == (1,)
    )


@dataclass(frozen=True, slots=True)
class FeatureVocabulary:
    """The features of a training split, or of candidate proofs.

    Attributes:
        hashes: In ascending order, (features).
        frequencies: The number of texts with each, (features).
        groups: The group of each, (features).
        n_texts: The number of texts.
    """

    hashes: np.ndarray
    frequencies: np.ndarray
    groups: np.ndarray
    n_texts: int

    def __add__(self, other: "FeatureVocabulary") -> "FeatureVocabulary":
        """Count the texts of both."""
        hashes = np.concatenate([self.hashes, other.hashes])
        order = np.argsort(hashes, kind="stable")
        hashes = hashes[order]
        is_new = np.ones(len(hashes), dtype=bool)
        is_new[1:] = hashes[1:] != hashes[:-1]
        firsts = np.flatnonzero(is_new)
        frequencies = np.concatenate([self.frequencies, other.frequencies])[order]
        groups = np.concatenate([self.groups, other.groups])[order]
        totals = np.add.reduceat(frequencies, firsts, dtype=np.int32) if len(firsts) else frequencies
        return FeatureVocabulary(hashes[firsts], totals, groups[firsts], self.n_texts + other.n_texts)

    def look_up(self, bags: Ragged) -> Ragged:
        """Replace the hashes of features with indices into the vocabulary, and set their frequencies.

        Unknown features get a negative number made from their hash, and frequency 0.
        """
        entries = bags.values.copy()
        for start in range(0, len(entries), _ENTRIES_AT_ONCE):
            part = entries[start : start + _ENTRIES_AT_ONCE]
            places, known = self._places(part["feature"])
            part["feature"] = np.where(known, places, _unknown(part["feature"]))
            part["frequency"] = 0
            part["frequency"][known] = self.frequencies[places[known]]
        return Ragged(entries, bags.starts)

    def look_up_among(self, candidates: "FeatureVocabulary", weight: float, bags: Ragged) -> Ragged:
        """Look up features, with frequencies among training texts and candidate proofs together.

        A word that is rare in the training split may occur in every second proof of another book. As in
        `look_up_pairs`, the text that a feature is looked up for, or its proof, is not counted.

        Args:
            candidates: The features of the candidate proofs.
            weight: How much a candidate counts, if a training text counts 1.
            bags: Bags from `count_features`.
        """
        found = self.look_up(bags)
        scale = self.n_texts / max(1, self.n_texts + weight * candidates.n_texts)
        for start in range(0, len(bags.values), _ENTRIES_AT_ONCE):
            part = slice(start, start + _ENTRIES_AT_ONCE)
            places, known = candidates._places(bags.values["feature"][part])
            others = np.zeros(len(places))
            others[known] = candidates.frequencies[places[known]] - 1
            frequencies = found.values["frequency"][part]
            frequencies[:] = np.round(scale * (frequencies + weight * others))
        return found

    def look_up_pairs(self, statements: Ragged, proofs: Ragged) -> tuple[Ragged, Ragged]:
        """Look up the features of training pairs, which the vocabulary has counted.

        The frequencies of a text's features exclude its own pair. Otherwise no feature of a training text
        would be as rare as features of other texts are, and the matcher would not learn how much evidence
        rare features are.
        """
        found = [self.look_up(texts) for texts in (statements, proofs)]
        for start in range(0, len(statements), _PAIRS_AT_ONCE):
            batches = [texts.slice(start, start + _PAIRS_AT_ONCE) for texts in found]
            keys = [self._keys(texts) for texts in batches]
            for texts, (known, own), (_, others) in zip(batches, keys, reversed(keys), strict=True):
                texts.values["frequency"][known] -= 1 + np.isin(own, others, assume_unique=True)
        return found[0], found[1]

    def look_up_renamed(self, renamed: Ragged, statements: Ragged, proofs: Ragged) -> Ragged:
        """Look up the features of renamed proofs; their frequencies exclude their own pairs as well.

        Args:
            renamed: Bags from `count_features`.
            statements: The statements of these pairs, looked up.
            proofs: Their proofs as they are, looked up.
        """
        found = self.look_up(renamed)
        known, own = self._keys(found)
        for texts in (statements, proofs):
            _, others = self._keys(texts)
            found.values["frequency"][known] -= np.isin(own, others, assume_unique=True)
        return found

    def _keys(self, texts: Ragged) -> tuple[np.ndarray, np.ndarray]:
        """Mark the known features of looked up texts, and number these by text and feature."""
        known = texts.values["feature"] >= 0
        return known, texts.rows[known] * len(self.hashes) + texts.values["feature"][known]

    def _places(self, hashes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if not len(self.hashes):
            return np.zeros(len(hashes), dtype=np.int64), np.zeros(len(hashes), dtype=bool)
        places = np.minimum(np.searchsorted(self.hashes, hashes), len(self.hashes) - 1)
        return places, self.hashes[places] == hashes


def _unknown(hashes: np.ndarray) -> np.ndarray:
    return (hashes >> 1) | np.int64(-(2**63))  # a negative number with 63 of its bits


def count_vocabulary(texts: list[Ragged], min_frequency: int) -> FeatureVocabulary:
    """Count the texts that have each feature.

    Args:
        texts: Bags from `count_features`.
        min_frequency: Features in fewer texts are dropped.
    """
    entries = [bags.values for bags in texts]
    counted = [(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int8))]
    # Group by group, because groups have no feature in common: this takes less memory than all at once, and
    # sorting is faster than an argsort.
    for group in range(max((int(values["group"].max(initial=-1)) for values in entries), default=-1) + 1):
        hashes = np.concatenate([values["feature"][values["group"] == group] for values in entries])
        hashes.sort()
        is_new = np.ones(len(hashes), dtype=bool)
        is_new[1:] = hashes[1:] != hashes[:-1]
        firsts = np.flatnonzero(is_new)
        frequencies = np.diff(firsts, append=len(hashes)).astype(np.int32)
        kept = frequencies >= min_frequency
        groups = np.full(int(kept.sum()), group, dtype=np.int8)
        counted.append((hashes[firsts[kept]], frequencies[kept], groups))
    hashes, frequencies, groups = (np.concatenate(parts) for parts in zip(*counted, strict=True))
    order = np.argsort(hashes)
    return FeatureVocabulary(hashes[order], frequencies[order], groups[order], sum(map(len, texts)))


@dataclass(frozen=True, slots=True)
class FeatureReader:
    """Reads texts as bags of features.

    Attributes:
        vocabulary: The features of the training split.
        groups: The groups of features.
        input: Which tokens to keep: `both`, `text` or `math`.
        candidate_weight: How much a candidate proof counts in frequencies, if a training text counts 1.
        candidates: The features of the candidate proofs, if they count.
    """

    vocabulary: FeatureVocabulary
    groups: tuple[str, ...]
    input: str
    candidate_weight: float = 0.0
    candidates: FeatureVocabulary | None = None

    @property
    def reads_text_column(self) -> bool:
        """Whether it reads sentences with `$TeX$` instead of typed tokens."""
        return False

    def read(self, texts: pa.Array, origin: str | None = None) -> Ragged:
        """Read a column of texts."""
        bags = read_features(texts, origin, self.groups, self.input)
        if self.candidates is None:
            return self.vocabulary.look_up(bags)
        return self.vocabulary.look_up_among(self.candidates, self.candidate_weight, bags)

    def with_candidates(self, proofs: Columns, origin: str | None = None) -> "FeatureReader":
        """Return a reader that counts the candidate proofs in the frequencies of features, if they count."""
        if not self.candidate_weight:
            return self

        def arrays() -> Arrays:
            counted = count_vocabulary([], min_frequency=1)
            for column in proofs():  # one by one, to save memory
                counted += count_vocabulary([read_features(*column, self.groups, self.input)], 1)
            is_kept = counted.frequencies > 1  # others occur only where they are looked up
            return counted.hashes[is_kept], counted.frequencies[is_kept], np.array([counted.n_texts])

        if origin is None:
            hashes, frequencies, n_texts = arrays()
        else:
            key = _cache_key(f"candidates {origin}", self.groups, self.input)
            hashes, frequencies, n_texts = cached_arrays(key, 3, arrays, _are_frequencies)
        no_groups = np.empty(0, dtype=np.int8)  # needed only to make a matcher
        return replace(self, candidates=FeatureVocabulary(hashes, frequencies, no_groups, int(n_texts[0])))

    def read_training_pairs(
        self, statements: pa.Array, proofs: pa.Array, origins: tuple[str, str]
    ) -> tuple[Ragged, Ragged]:
        """Read training pairs, each with frequencies that exclude it."""
        return self.vocabulary.look_up_pairs(
            *(
                read_features(texts, origin, self.groups, self.input)
                for texts, origin in zip((statements, proofs), origins, strict=True)
            )
        )

    def read_renamed(self, renamed: pa.Array, statements: Ragged, proofs: Ragged) -> Ragged:
        """Read proofs of training pairs with other names for their variables."""
        counted = count_features(renamed, self.groups, self.input)
        return self.vocabulary.look_up_renamed(counted, statements, proofs)
