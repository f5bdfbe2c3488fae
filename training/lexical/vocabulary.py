"""The features of a training split, and how many of its texts have each."""

from dataclasses import dataclass

import numpy as np

from proofmatch.ragged import Ragged

# Few enough for little memory, enough for little overhead.
_ENTRIES_AT_ONCE = 1 << 20
_PAIRS_AT_ONCE = 4096


@dataclass(frozen=True, slots=True)
class FeatureVocabulary:
    """Features that were seen in training.

    Attributes:
        hashes: In ascending order, (features).
        frequencies: How many training texts have each, (features).
        groups: The kind of each, (features).
        n_texts: How many training texts there were.
    """

    hashes: np.ndarray
    frequencies: np.ndarray
    groups: np.ndarray
    n_texts: int

    def look_up(self, bags: Ragged) -> Ragged:
        """Give features their places in the vocabulary and their frequencies.

        Those that are not in it keep what tells them apart, as a negative number, and have frequency 0.
        """
        entries = bags.values.copy()
        for start in range(0, len(entries), _ENTRIES_AT_ONCE):
            part = entries[start : start + _ENTRIES_AT_ONCE]
            places, known = self._places(part["feature"])
            part["feature"] = np.where(known, places, _unknown(part["feature"]))
            part["frequency"] = 0
            part["frequency"][known] = self.frequencies[places[known]]
        return Ragged(entries, bags.starts)

    def look_up_pairs(self, statements: Ragged, proofs: Ragged) -> tuple[Ragged, Ragged]:
        """Look up the features of pairs that were counted themselves.

        A text's features have the frequencies they would have if its pair had not been there. Otherwise
        no feature of a training text would be as rare as features of other texts are, and the matcher would
        not learn what rare features are worth.
        """
        found = [self.look_up(texts) for texts in (statements, proofs)]
        for start in range(0, len(statements), _PAIRS_AT_ONCE):
            parts = [texts.slice(start, start + _PAIRS_AT_ONCE) for texts in found]
            known = [texts.values["feature"] >= 0 for texts in parts]
            keys = [
                texts.rows[which] * len(self.hashes) + texts.values["feature"][which]
                for texts, which in zip(parts, known, strict=True)
            ]
            for texts, which, own, others in zip(parts, known, keys, reversed(keys), strict=True):
                texts.values["frequency"][which] -= 1 + np.isin(own, others, assume_unique=True)
        return found[0], found[1]

    def _places(self, hashes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if not len(self.hashes):
            return np.zeros(len(hashes), dtype=np.int64), np.zeros(len(hashes), dtype=bool)
        places = np.minimum(np.searchsorted(self.hashes, hashes), len(self.hashes) - 1)
        return places, self.hashes[places] == hashes


def count_vocabulary(texts: list[Ragged], min_frequency: int) -> FeatureVocabulary:
    """Count in how many texts each feature is.

    Args:
        texts: Bags from `count_features`.
        min_frequency: Features in fewer texts are left out.
    """
    entries = [bags.values for bags in texts]
    counted = [_no_features()]
    # One group after the other, which have no feature in common: sorted by themselves, features need neither
    # the memory for all of them at once nor the slower way of sorting that tells where each has been.
    for group in range(max((int(words["group"].max(initial=-1)) for words in entries), default=-1) + 1):
        hashes = np.concatenate([words["feature"][words["group"] == group] for words in entries])
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


def _no_features() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int8)


def _unknown(hashes: np.ndarray) -> np.ndarray:
    return (hashes >> 1) | np.int64(-(2**63))  # a negative number with 63 of its bits
