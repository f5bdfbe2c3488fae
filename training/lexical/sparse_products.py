"""The product of two sparse matrices, with gradients at their values.

PyTorch's own product of sparse matrices gives a sparse matrix, and gradients of its full size. Here all that
is not zero in the product is added up directly: frequent features by a dense product, rare ones pair by pair.
"""

from dataclasses import dataclass

import numpy as np
import torch

# Pairs of texts that share a feature: from this many on, the dense product is quicker.
_PAIRS_OF_A_FREQUENT_FEATURE = 4_000
_NUMBERS_PER_ENTRY = 4


@dataclass(frozen=True, slots=True)
class SparseRows:
    """A sparse matrix.

    Attributes:
        features: The column of each entry, any numbers, (entries).
        rows: The row of each entry, (entries).
        values: With gradients, (entries).
        n_rows: How many rows there are.
    """

    features: np.ndarray
    rows: np.ndarray
    values: torch.Tensor
    n_rows: int


def multiply(left: SparseRows, right: SparseRows) -> torch.Tensor:
    """Multiply every row of one matrix by every row of the other, (rows, rows)."""
    columns = _columns(np.concatenate([left.features, right.features]))
    left_columns, right_columns = np.split(columns, [len(left.features)])
    size = int(columns.max(initial=-1)) + 1
    left_counts, right_counts = (np.bincount(one, minlength=size) for one in (left_columns, right_columns))
    n_pairs = left_counts * right_counts
    is_frequent = n_pairs > _PAIRS_OF_A_FREQUENT_FEATURE
    places = np.cumsum(is_frequent) - 1
    dense = [
        _dense(side, is_frequent[columns], places[columns], int(is_frequent.sum()))
        for side, columns in ((left, left_columns), (right, right_columns))
    ]
    is_rare = (n_pairs > 0) & ~is_frequent
    first, second = _pairs(left_columns, right_columns, is_rare, right_counts)
    places = torch.from_numpy(left.rows[first] * right.n_rows + right.rows[second])
    products = left.values[_on(first, left)] * right.values[_on(second, right)]
    rare = products.new_zeros(left.n_rows * right.n_rows).index_add(0, places.to(products.device), products)
    return dense[0] @ dense[1].T + rare.view(left.n_rows, right.n_rows)


def _columns(features: np.ndarray) -> np.ndarray:
    """Number features from 0 on, with gaps, but not so many that arrays for all numbers become large.

    Those of a vocabulary have small numbers and keep them; only the others have to be sorted.
    """
    is_small = (features >= 0) & (features < _NUMBERS_PER_ENTRY * len(features))
    columns = np.where(is_small, features, -1)
    others = np.flatnonzero(~is_small)
    columns[others] = columns.max(initial=-1) + 1 + np.unique(features[others], return_inverse=True)[1]
    return columns


def _dense(side: SparseRows, chosen: np.ndarray, columns: np.ndarray, n_columns: int) -> torch.Tensor:
    """Put the entries that are chosen into a dense matrix."""
    entries = np.flatnonzero(chosen)
    places = torch.from_numpy(side.rows[entries] * n_columns + columns[entries]).to(side.values.device)
    matrix = side.values.new_zeros(side.n_rows * n_columns)
    return matrix.index_put((places,), side.values[_on(entries, side)]).view(side.n_rows, n_columns)


def _pairs(
    left: np.ndarray, right: np.ndarray, is_rare: np.ndarray, right_counts: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """List all pairs of entries, one of each side, that have the same rare column."""
    left_entries, right_entries = (_by_column(columns, is_rare) for columns in (left, right))
    starts = np.cumsum(np.where(is_rare, right_counts, 0)) - np.where(is_rare, right_counts, 0)
    partners = right_counts[left[left_entries]]
    ends = np.cumsum(partners)
    within = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - partners, partners)
    second = right_entries[np.repeat(starts[left[left_entries]], partners) + within]
    return np.repeat(left_entries, partners), second


def _by_column(columns: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    entries = np.flatnonzero(chosen[columns])
    return entries[np.argsort(columns[entries], kind="stable")]


def _on(entries: np.ndarray, side: SparseRows) -> torch.Tensor:
    return torch.from_numpy(entries).to(side.values.device)
