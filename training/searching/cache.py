"""Vectors that took minutes to compute, kept in the user's cache for the next time."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np

from proofmatch.errors import ProofmatchError

from ...evaluation.files import replacing


def cached_vectors(key: str, shape: tuple[int, int], make: Callable[[], np.ndarray]) -> np.ndarray:
    """Read vectors, or make and keep them.

    A cache that is damaged, or cannot be read or written, only costs time.

    Args:
        key: The name of a file, which must tell apart whatever makes vectors differ.
        shape: What the vectors must have.
        make: Computes them in single precision.
    """
    folder = cache_folder()
    path = folder / f"{key}.npy" if folder else None
    vectors = _read(path, shape) if path else None
    if vectors is None:
        vectors = make()
        if path:
            _write(path, vectors)
    return vectors


def cache_folder() -> Path | None:
    """Tell where the cache is, `$XDG_CACHE_HOME/proofmatch` or `~/.cache/proofmatch`; None if nowhere."""
    # A relative path is to be ignored, says the standard.
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if not base.is_absolute():
        try:
            base = Path.home() / ".cache"
        except RuntimeError:
            return None
    return base / "proofmatch"


def _read(path: Path, shape: tuple[int, int]) -> np.ndarray | None:
    try:
        with path.open("rb") as file:
            vectors = np.lib.format.read_array(file, allow_pickle=False)
    except (OSError, ValueError, EOFError, MemoryError):
        return None
    is_whole = vectors.shape == shape and vectors.dtype == np.float32 and np.isfinite(vectors).all()
    return vectors if is_whole else None


def _write(path: Path, vectors: np.ndarray) -> None:
    with suppress(ProofmatchError), replacing(path) as unfinished, unfinished.open("wb") as file:
        np.save(file, vectors, allow_pickle=False)
