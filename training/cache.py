"""Arrays that are expensive to compute, cached in the user's cache folder."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np

from proofmatch.errors import ProofmatchError
from proofmatch.storage import atomic_file

Arrays = tuple[np.ndarray, ...]


def cached_arrays(
    key: str, count: int, make: Callable[[], Arrays], is_whole: Callable[[Arrays], bool]
) -> Arrays:
    """Load arrays from the cache, or compute and store them.

    A cache that is damaged, or cannot be read or written, only costs time.

    Args:
        key: Name of the cached file; it must depend on everything that the arrays depend on.
        count: Number of arrays.
        make: Computes the arrays.
        is_whole: Checks arrays that were loaded.
    """
    folder = cache_folder()
    path = folder / f"{key}.npy" if folder else None
    arrays = _read(path, count) if path else None
    if arrays is None or not is_whole(arrays):
        arrays = make()
        if path:
            _write(path, arrays)
    return arrays


def cache_folder() -> Path | None:
    """Return `$XDG_CACHE_HOME/proofmatch` or `~/.cache/proofmatch`; None if there is no home folder."""
    # The XDG standard says to ignore a relative path.
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if not base.is_absolute():
        try:
            base = Path.home() / ".cache"
        except RuntimeError:
            return None
    return base / "proofmatch"


def _read(path: Path, count: int) -> Arrays | None:
    try:
        with path.open("rb") as file:
            return tuple(np.lib.format.read_array(file, allow_pickle=False) for _ in range(count))
    except (OSError, ValueError, EOFError, MemoryError):
        return None


def _write(path: Path, arrays: Arrays) -> None:
    with suppress(ProofmatchError), atomic_file(path) as unfinished, unfinished.open("wb") as file:
        for array in arrays:
            np.save(file, array, allow_pickle=False)
