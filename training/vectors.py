"""Texts as vectors, dense and sparse, whose inner products are the scores of pairs; hubness correction.

Some proofs, of general content, have high scores for many statements (hubness). The scores of a proof
for a sample of training statements measure its hubness, independently of the other texts of a task. The
correction subtracts a share of it from all scores of the proof.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from ..evaluation.decoding.scores import (
    ProductScores,
    ScoreSource,
    SmoothMaximumScores,
    SparseProductScores,
    SumScores,
)

# Of the smooth maximum of views, chosen on validation splits with the original and with renamed variables.
FUSION_TEMPERATURE = 2.0

_PROOFS_AT_ONCE = 2048  # compared with the background statements


@dataclass(frozen=True, slots=True)
class SparseVectors:
    """Vectors with few nonzero components.

    Attributes:
        starts: Where each text begins, and the end of the last one, (texts + 1).
        features: Which components, any integers, (entries).
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
        sparse: Further components, if the matcher has any.
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
        """Append dense components."""
        return TextVectors(np.hstack([self.dense, dense.astype(np.float32, copy=False)]), self.sparse)


@dataclass(frozen=True, slots=True)
class TextViews:
    """Vectors of texts in several views, each with its own score.

    Attributes:
        views: The vectors of each view.
        offsets: For statements, the offsets that are subtracted from the scores of each view.
    """

    views: tuple[TextVectors, ...]
    offsets: tuple[float, ...] = ()

    def __len__(self) -> int:
        return len(self.views[0])

    def __getitem__(self, some: slice) -> "TextViews":
        return TextViews(tuple(view[some] for view in self.views), self.offsets)

    def beside(self, dense: np.ndarray) -> "TextViews":
        """Append dense components to each view."""
        return TextViews(tuple(view.beside(dense) for view in self.views), self.offsets)


Vectors = TextVectors | TextViews


def smooth_maximum(scores: Sequence[torch.Tensor], offsets: Sequence[float]) -> torch.Tensor:
    """Combine the scores of views: about the highest one, and more where several are high."""
    scaled = [(part - offset) / FUSION_TEMPERATURE for part, offset in zip(scores, offsets, strict=True)]
    return torch.logsumexp(torch.stack(scaled), dim=0) * FUSION_TEMPERATURE


def fuse_scores(statements: Vectors, scores: Sequence[np.ndarray]) -> np.ndarray:
    """Combine the scores of the views of statements; scores of a single view are left as they are."""
    if not isinstance(statements, TextViews):
        return scores[0]
    return smooth_maximum([torch.from_numpy(part) for part in scores], statements.offsets).numpy()


def views_of(vectors: Vectors) -> tuple[TextVectors, ...]:
    """List the views of texts; vectors without views are one."""
    return vectors.views if isinstance(vectors, TextViews) else (vectors,)


def concatenated(parts: Sequence[TextVectors]) -> TextVectors:
    """Concatenate the vectors of several sets of texts."""
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


def scores_of(statements: Vectors, proofs: Vectors) -> ScoreSource:
    """Score all pairs, in blocks computed on demand."""
    parts = [
        _products(left, right) for left, right in zip(views_of(statements), views_of(proofs), strict=True)
    ]
    if not isinstance(statements, TextViews):
        return parts[0]
    return SmoothMaximumScores(tuple(parts), FUSION_TEMPERATURE, statements.offsets)


def _products(statements: TextVectors, proofs: TextVectors) -> ScoreSource:
    dense = ProductScores(statements.dense, proofs.dense)
    if statements.sparse is None or proofs.sparse is None:
        return dense
    from scipy.sparse import csr_array

    left, right = statements.sparse, proofs.sparse
    features, columns = np.unique(np.concatenate([left.features, right.features]), return_inverse=True)
    sides = np.split(columns, [len(left.features)])
    matrices = (
        csr_array((vectors.values, indices, vectors.starts), shape=(len(vectors), len(features)))
        for vectors, indices in zip((left, right), sides, strict=True)
    )
    return SumScores((dense, SparseProductScores(*matrices)))


def hubness(background: TextVectors, proofs: TextVectors, n_nearest: int) -> np.ndarray:
    """Average each proof's highest scores for background statements, (proofs).

    Args:
        background: Vectors of statements.
        proofs: Vectors of proofs.
        n_nearest: Number of statements in the mean.
    """
    n_nearest = min(n_nearest, len(background))
    means = np.zeros(len(proofs), dtype=np.float32)
    if n_nearest == 0:
        return means
    for start in range(0, len(proofs), _PROOFS_AT_ONCE):
        some = slice(start, start + _PROOFS_AT_ONCE)
        scores = scores_of(background, proofs[some]).block(0, len(background))
        means[some] = np.partition(scores, -n_nearest, axis=0)[-n_nearest:].mean(axis=0)
    return means


def correct_hubness(
    vectors: TextVectors, side: str, background: TextVectors | None, weight: float, n_nearest: int
) -> TextVectors:
    """Append the dimension that subtracts `weight` times a proof's hubness from all its scores."""
    if side == "statement" or background is None:
        return vectors.beside(np.ones((len(vectors), 1)))
    return vectors.beside(-weight * hubness(background, vectors, n_nearest)[:, None])
