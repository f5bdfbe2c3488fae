"""Percentile bootstrap of means over statements."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

RESAMPLES = 10_000
SEED = 0

_DRAWS_PER_BLOCK = 2**18  # counts that stay in a processor's cache
_DIGITS = 6  # far below the noise of resampling, and above that of different machines' arithmetic


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """How statements are resampled.

    Attributes:
        resamples: How many times.
        seed: Equal seeds give equal intervals.
    """

    resamples: int = RESAMPLES
    seed: int = SEED


def resampled_means(values: np.ndarray, bootstrap: Bootstrap) -> np.ndarray:
    """Draw as many statements as there are, with replacement, many times, and take the means.

    Args:
        values: What each statement has, (statements, measures).
        bootstrap: How often to draw, and the seed.

    Returns:
        The means, (resamples, measures).
    """
    return np.concatenate([counts @ values for counts in _drawn_counts(len(values), bootstrap)]) / len(values)


def interval95(means: np.ndarray) -> list[tuple[float, float]]:
    """Find the interval with the middle 95% of the resampled means, for each measure."""
    low, high = np.percentile(means, [2.5, 97.5], axis=0).round(_DIGITS)
    return list(zip(low.tolist(), high.tolist(), strict=True))


def _drawn_counts(n: int, bootstrap: Bootstrap) -> Iterator[np.ndarray]:
    """How often each statement was drawn, for some resamples at a time: (some resamples, statements)."""
    generator = np.random.default_rng(bootstrap.seed)
    height = max(1, _DRAWS_PER_BLOCK // n)
    for start in range(0, bootstrap.resamples, height):
        some = min(height, bootstrap.resamples - start)
        drawn = generator.integers(0, n, (some, n))
        drawn += np.arange(some)[:, None] * n
        yield np.bincount(drawn.ravel(), minlength=some * n).reshape(some, n).astype(np.float64)
