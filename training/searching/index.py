"""The vectors of all proofs, arranged so that the scores of one statement come at once."""

from collections.abc import Sequence

import numpy as np

from ...builder.release.release import Release
from ..prediction import TrainedMatcher
from ..vectors import SparseVectors, TextVectors, concatenated
from .proofs import proof_vectors


class ProofIndex:
    """Scores one statement after the other with the same proofs.

    Args:
        vectors: Those of the proofs.
    """

    def __init__(self, vectors: TextVectors) -> None:
        self._vectors = vectors
        self._entries = _by_feature(vectors.sparse) if vectors.sparse is not None else None

    @classmethod
    def of(cls, model: TrainedMatcher, release: Release, splits: Sequence[str]) -> "ProofIndex":
        """Encode the proofs of some splits, in the order of their pairs, unless the cache has them."""
        return cls(concatenated([proof_vectors(model, release, split) for split in splits]))

    def __len__(self) -> int:
        return len(self._vectors)

    def vector(self, number: int) -> TextVectors:
        """Give the vector of one proof."""
        return self._vectors[number : number + 1]

    def scores(self, statement: TextVectors) -> np.ndarray:
        """Score all proofs, (proofs); `statement` is the vector of one."""
        scores = self._vectors.dense @ statement.dense[0]
        if self._entries is None or statement.sparse is None:
            return scores
        features, starts, proofs, values = self._entries
        wanted, weights = statement.sparse.features, statement.sparse.values
        places = np.searchsorted(features, wanted)
        for place, feature, weight in zip(places.tolist(), wanted.tolist(), weights, strict=True):
            if place < len(features) and features[place] == feature:
                having = slice(starts[place], starts[place + 1])
                scores[proofs[having]] += weight * values[having]  # a proof has a feature once
        return scores


def _by_feature(vectors: SparseVectors) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Give the features, where the entries of each begin, and of each entry its proof and value."""
    order = np.argsort(vectors.features, kind="stable")
    proofs = np.repeat(np.arange(len(vectors)), np.diff(vectors.starts))[order]
    features, firsts = np.unique(vectors.features[order], return_index=True)
    return features, np.append(firsts, len(order)), proofs, vectors.values[order]
