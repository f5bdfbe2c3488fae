"""Hashes of whole columns: equal values have equal hashes, and with 64 bits hardly any others do."""

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np
import pyarrow as pa

from ..arrow import as_numpy


def mix(numbers: np.ndarray) -> np.ndarray:
    """Scatter 64-bit numbers: every bit of the result depends on every bit of the number."""
    numbers = numbers ^ (numbers >> np.uint64(33))
    numbers *= np.uint64(0xFF51AFD7ED558CCD)
    numbers ^= numbers >> np.uint64(29)
    numbers *= np.uint64(0xC4CEB9FE1A85EC53)
    numbers ^= numbers >> np.uint64(32)
    return numbers


def hash_each(texts: Iterable[str | None]) -> np.ndarray:
    """Hash strings one by one."""
    digests = [blake2b((text or "").encode(), digest_size=8).digest() for text in texts]
    return np.frombuffer(b"".join(digests), np.uint64)


def hash_strings(column: pa.Array) -> np.ndarray:
    """Hash a column of strings; a missing one counts as empty."""
    encoded = column.fill_null("").dictionary_encode()
    return hash_each(encoded.dictionary.to_pylist())[as_numpy(encoded.indices)]


def hash_sequences(elements: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Hash sequences that lie one after the other.

    Args:
        elements: Hashes of the elements of all sequences.
        starts: Where each begins, and at the end where the last one stops.
    """
    lengths = np.diff(starts)
    places = np.arange(len(elements), dtype=np.uint64) - np.repeat(starts[:-1], lengths).astype(np.uint64)
    # The place goes in before the mixing, so that the order counts although a sum knows none.
    scattered = mix(elements + places * np.uint64(0x9E3779B97F4A7C15))
    sums = np.append(np.uint64(0), np.cumsum(scattered, dtype=np.uint64))
    return mix(sums[starts[1:]] - sums[starts[:-1]] + lengths.astype(np.uint64))


def hash_together(*columns: np.ndarray) -> np.ndarray:
    """Hash rows of hashes: equal in all columns or different."""
    rows = np.zeros(len(columns[0]), np.uint64)
    for column in columns:
        rows = mix(rows * np.uint64(31) + column)
    return rows
