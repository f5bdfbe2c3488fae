"""Texts as vectors, dense and sparse, whose inner products are the scores of pairs."""

from dataclasses import dataclass

import numpy as np

from ..evaluation.decoding.scores import ProductScores, ScoreSource, SparseProductScores, SumScores


@dataclass(frozen=True, slots=True)
class SparseVectors:
    """Vectors with few components that are not zero.

    Attributes:
        starts: Where each text begins, and after the last one the end, (texts + 1).
        features: Which components, any numbers, (entries).
        values: Their values, (entries).
    """

    starts: np.ndarray
    features: np.ndarray
    values: np.ndarray

    def __len__(self) -> int:
        return len(self.starts) - 1


@dataclass(frozen=True, slots=True)
class TextVectors:
    """Vectors of texts.

    Attributes:
        dense: (texts, dim).
        sparse: The rest of the components, if the matcher has any.
    """

    dense: np.ndarray
    sparse: SparseVectors | None = None

    def __len__(self) -> int:
        return len(self.dense)

    def __getitem__(self, some: slice) -> "TextVectors":
        start, stop, _ = some.indices(len(self))
        if self.sparse is None:
            return TextVectors(self.dense[start:stop])
        starts = self.sparse.starts[start : stop + 1]
        entries = slice(starts[0], starts[-1])
        return TextVectors(
            self.dense[start:stop],
            SparseVectors(starts - starts[0], self.sparse.features[entries], self.sparse.values[entries]),
        )

    def beside(self, dense: np.ndarray) -> "TextVectors":
        """Add dense components."""
        return TextVectors(np.hstack([self.dense, dense.astype(np.float32, copy=False)]), self.sparse)


def concatenated(parts: list[TextVectors]) -> TextVectors:
    """Put together vectors of several sets of texts."""
    dense = np.concatenate([part.dense for part in parts])
    sparse = [part.sparse for part in parts if part.sparse is not None]
    if not sparse:
        return TextVectors(dense)
    lengths = np.concatenate([np.diff(part.starts) for part in sparse])
    return TextVectors(
        dense,
        SparseVectors(
            np.concatenate([[0], np.cumsum(lengths)]),
            np.concatenate([part.features for part in sparse]),
            np.concatenate([part.values for part in sparse]),
        ),
    )


def scores_of(statements: TextVectors, proofs: TextVectors) -> ScoreSource:
    """Score all pairs, computed when asked for."""
    dense = ProductScores(statements.dense, proofs.dense)
    if statements.sparse is None or proofs.sparse is None:
        return dense
    from scipy.sparse import csr_array

    left, right = statements.sparse, proofs.sparse
    features, columns = np.unique(np.concatenate([left.features, right.features]), return_inverse=True)
    places = np.split(columns, [len(left.features)])
    matrices = (
        csr_array((side.values, place, side.starts), shape=(len(side), len(features)))
        for side, place in zip((left, right), places, strict=True)
    )
    return SumScores((dense, SparseProductScores(*matrices)))
