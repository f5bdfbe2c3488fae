"""The features of a training split, and how many of its texts have each."""

from dataclasses import dataclass

import numpy as np

from ..encoding import EncodedTexts


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

    def look_up(self, bags: EncodedTexts) -> EncodedTexts:
        """Give features their places in the vocabulary and their frequencies.

        Those that are not in it keep what tells them apart, as a negative number, and have frequency 0.
        """
        entries = bags.words.copy()
        places, known = self._places(entries["feature"])
        entries["feature"] = np.where(known, places, _unknown(entries["feature"]))
        entries["frequency"] = 0
        entries["frequency"][known] = self.frequencies[places[known]]
        return EncodedTexts(entries, bags.starts)

    def look_up_pairs(
        self, statements: EncodedTexts, proofs: EncodedTexts
    ) -> tuple[EncodedTexts, EncodedTexts]:
        """Look up the features of pairs that were counted themselves.

        A text's features have the frequencies they would have if its pair had not been there. Otherwise
        no feature of a training text would be as rare as features of other texts are, and the matcher would
        not learn what rare features are worth.
        """
        found = [self.look_up(texts) for texts in (statements, proofs)]
        known = [texts.words["feature"] >= 0 for texts in found]
        keys = [
            _row_of_entry(texts)[which] * len(self.hashes) + texts.words["feature"][which]
            for texts, which in zip(found, known, strict=True)
        ]
        for texts, which, own, others in zip(found, known, keys, reversed(keys), strict=True):
            texts.words["frequency"][which] -= 1 + np.isin(own, others, assume_unique=True)
        return found[0], found[1]

    def _places(self, hashes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if not len(self.hashes):
            return np.zeros(len(hashes), dtype=np.int64), np.zeros(len(hashes), dtype=bool)
        places = np.minimum(np.searchsorted(self.hashes, hashes), len(self.hashes) - 1)
        return places, self.hashes[places] == hashes


def count_vocabulary(texts: list[EncodedTexts], min_frequency: int) -> FeatureVocabulary:
    """Count in how many texts each feature is.

    Args:
        texts: Bags from `count_features`.
        min_frequency: Features in fewer texts are left out.
    """
    entries = [bags.words for bags in texts]
    hashes = np.concatenate([words["feature"] for words in entries])
    groups = np.concatenate([words["group"] for words in entries])
    order = np.argsort(hashes)
    hashes, groups = hashes[order], groups[order]
    firsts = np.flatnonzero(np.concatenate([[True], hashes[1:] != hashes[:-1]])) if len(hashes) else order
    frequencies = np.diff(np.append(firsts, len(hashes))).astype(np.int32)
    kept = frequencies >= min_frequency
    firsts = firsts[kept]
    return FeatureVocabulary(hashes[firsts], frequencies[kept], groups[firsts], sum(map(len, texts)))


def _unknown(hashes: np.ndarray) -> np.ndarray:
    return (hashes >> 1) | np.int64(-(2**63))  # a negative number with 63 of its bits


def _row_of_entry(bags: EncodedTexts) -> np.ndarray:
    return np.repeat(np.arange(len(bags)), bags.lengths)
