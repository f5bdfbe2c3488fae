"""The index of a search: the vectors of all texts, with the sparse ones sorted by feature.

Arrays can be memory-mapped, so that a search of a large corpus begins at once and reads only what it needs.
"""

from collections.abc import Sequence

import numpy as np

from proofmatch.ragged import starts_of

from ..cache import Arrays
from ..vectors import SparseVectors, TextVectors, TextViews, Vectors, fuse_scores, views_of

N_ARRAYS = 5
"""Of a view: dense components; features, where the entries of each begin; text and value of each entry."""


class VectorIndex:
    """Vectors of texts, with an inverted index of their sparse components.

    Args:
        arrays: The arrays of each view, from `index_arrays`.
    """

    def __init__(self, arrays: Arrays) -> None:
        self._views = views_of_arrays(arrays)

    def __len__(self) -> int:
        return len(self._views[0][0])

    def vector(self, number: int) -> Vectors:
        """Return the dense components of the vector of one text."""
        views = [TextVectors(dense[number : number + 1]) for dense, *_ in self._views]
        return views[0] if len(views) == 1 else TextViews(tuple(views))

    def scores(self, statement: Vectors) -> np.ndarray:
        """Score all texts for the vector of one statement, (texts)."""
        products = [_products(*view) for view in zip(self._views, views_of(statement), strict=True)]
        return fuse_scores(statement, products)


class JoinedIndex:
    """Several indexes of consecutive texts as one; each was made separately, with little memory.

    Args:
        parts: The indexes.
    """

    def __init__(self, parts: Sequence[VectorIndex]) -> None:
        self._parts = parts
        self._starts = starts_of(np.array([len(part) for part in parts]))

    def __len__(self) -> int:
        return int(self._starts[-1])

    def vector(self, number: int) -> Vectors:
        """Return the dense components of the vector of one text."""
        at = int(np.searchsorted(self._starts, number, side="right")) - 1
        return self._parts[at].vector(number - int(self._starts[at]))

    def scores(self, statement: Vectors) -> np.ndarray:
        """Score all texts for the vector of one statement, (texts)."""
        return np.concatenate([part.scores(statement) for part in self._parts])


def _products(view: Arrays, statement: TextVectors) -> np.ndarray:
    """Multiply all vectors by that of one statement, (texts)."""
    dense, features, starts, texts, values = view
    scores = dense @ statement.dense[0]
    if statement.sparse is None:
        return scores
    wanted, weights = statement.sparse.features, statement.sparse.values
    places = np.searchsorted(features, wanted)
    for place, feature, weight in zip(places.tolist(), wanted.tolist(), weights, strict=True):
        if place < len(features) and features[place] == feature:
            having = slice(starts[place], starts[place + 1])
            scores[texts[having]] += weight * values[having]  # a text has a feature at most once
    return scores


def index_arrays(vectors: Vectors) -> Arrays:
    """Arrange vectors for a `VectorIndex`."""
    return tuple(array for view in views_of(vectors) for array in _index_view(view))


def _index_view(vectors: TextVectors) -> Arrays:
    nothing = np.zeros(len(vectors) + 1, np.int64), np.empty(0, np.int64), np.empty(0, np.float32)
    sparse = vectors.sparse or SparseVectors(*nothing)
    return vectors.dense.astype(np.float32, copy=False), *_by_feature(sparse)


def _by_feature(vectors: SparseVectors) -> Arrays:
    """Group entries by feature, within a feature by text, in linear time for all but unknown features."""
    from scipy.sparse import csr_array

    # Known features are numbers from 0 on, unknown ones negative hashes.
    is_known = vectors.features >= 0
    unknown, columns = np.unique(vectors.features[~is_known], return_inverse=True)
    places = np.empty(len(vectors.features), dtype=np.int64)
    places[~is_known] = columns
    places[is_known] = vectors.features[is_known] + len(unknown)
    n_places = int(places.max(initial=-1)) + 1
    by_text = csr_array((vectors.values, places, vectors.starts), shape=(len(vectors), n_places))
    by_feature = by_text.tocsc()
    starts = by_feature.indptr.astype(np.int64)
    present = np.flatnonzero(np.diff(starts))
    features = np.concatenate([unknown, np.arange(n_places - len(unknown))])[present]
    return (
        features,
        np.append(starts[present], starts[-1]),
        by_feature.indices.astype(np.int32, copy=False),
        by_feature.data,
    )


def views_of_arrays(arrays: Arrays) -> Sequence[Arrays]:
    """Split the arrays of an index by view."""
    return [arrays[start : start + N_ARRAYS] for start in range(0, len(arrays), N_ARRAYS)]


def are_whole(arrays: Arrays, n_texts: int) -> bool:
    """Check that arrays fit an index of so many texts; the cache checks their content."""
    return all(_is_whole(*view, n_texts=n_texts) for view in views_of_arrays(arrays))


def _is_whole(
    dense: np.ndarray,
    features: np.ndarray,
    starts: np.ndarray,
    texts: np.ndarray,
    values: np.ndarray,
    *,
    n_texts: int,
) -> bool:
    return bool(
        dense.dtype == values.dtype == np.float32
        and features.dtype == starts.dtype == np.int64
        and texts.dtype == np.int32
        and dense.ndim == 2
        and len(dense) == n_texts
        and len(starts) == len(features) + 1
        and texts.shape == values.shape == (starts[-1],)
    )
