"""Arrays that are expensive to compute, cached in the user's cache folder and memory-mapped from there.

A file has the arrays in the format of NumPy, each at a multiple of 64 bytes, followed by their hash.
"""

import math
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import numpy as np
import xxhash

from proofmatch.errors import ProofmatchError
from proofmatch.storage import atomic_file

Arrays = tuple[np.ndarray, ...]

_ALIGNMENT = 64
_HASH_SIZE = 16
_HASHED_AT_ONCE = 1 << 20


def cached_arrays(
    key: str, count: int, make: Callable[[], Arrays], is_whole: Callable[[Arrays], bool]
) -> Arrays:
    """Load arrays from the cache, or compute and store them.

    A cache that is damaged, or cannot be read or written, only costs time. Arrays from the cache, also those
    that were just stored, are read-only, and take memory only where they are read.

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
            return _read(path, count) or arrays
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
        content = np.memmap(path, dtype=np.uint8, mode="r").view(np.ndarray)
        arrays = []
        with path.open("rb") as file:
            if _hash(file, len(content) - _HASH_SIZE) != file.read():
                return None
            file.seek(0)
            for _ in range(count):
                shape, _, dtype = _read_header(file)
                start, size = file.tell(), dtype.itemsize * math.prod(shape)
                arrays.append(content[start : start + size].view(dtype).reshape(shape))
                file.seek(-(-(start + size) // _ALIGNMENT) * _ALIGNMENT)
        return tuple(arrays)
    except (OSError, ValueError, EOFError, MemoryError):
        return None


def _read_header(file: BinaryIO) -> tuple[tuple[int, ...], bool, np.dtype]:
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError("written by another version")
    return np.lib.format.read_array_header_1_0(file)


def _write(path: Path, arrays: Arrays) -> None:
    with suppress(ProofmatchError), atomic_file(path) as unfinished:
        with unfinished.open("wb") as file:
            for array in arrays:
                np.lib.format.write_array(
                    file, np.ascontiguousarray(array), version=(1, 0), allow_pickle=False
                )
                file.write(bytes(-file.tell() % _ALIGNMENT))
        with unfinished.open("r+b") as file:
            file.write(_hash(file, unfinished.stat().st_size))


def _hash(file: BinaryIO, size: int) -> bytes:
    """Hash the first bytes of a file, and leave its position after them.

    The bytes are read and not mapped, because pages of a map count as memory of the process.
    """
    hashed = xxhash.xxh3_128()
    buffer = memoryview(bytearray(max(0, min(size, _HASHED_AT_ONCE))))
    while size > 0 and (count := file.readinto(buffer[:size])):  # pyright: ignore[reportAttributeAccessIssue]
        hashed.update(buffer[:count])
        size -= count
    return hashed.digest()
