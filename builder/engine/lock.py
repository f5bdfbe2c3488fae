"""A lock in the form of a file that its holder may delete, together with the folder that it is in."""

import contextlib
import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock, making its file and folder if need be; it ends with the process, however that ends.

    Raises:
        BlockingIOError: If another process holds it.
    """
    while True:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            file = path.open("w")
        except (FileExistsError, FileNotFoundError):
            if path.parent.is_file() or path.parent.is_symlink():
                raise
            continue  # the last holder was just deleting the folder
        with file:
            if _is_locked(file, fcntl.LOCK_EX):
                raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN), str(path))
            if _is_at(file, path):
                yield
                return


def delete_held(path: Path) -> None:
    """Delete a lock that this process holds, and its folder, in which there must be nothing else."""
    path.unlink()
    with contextlib.suppress(OSError):  # the next holder is already there
        path.parent.rmdir()


def is_held(path: Path) -> bool:
    """Tell whether another process holds a lock, so far as the file system tells."""
    try:
        with path.open() as file:
            return _is_locked(file, fcntl.LOCK_SH)
    except OSError:
        return False


def _is_locked(file: IO[str], kind: int) -> bool:
    """Try to lock a file, and tell whether somebody else has done so.

    It is a lock of this process alone: a worker must not go on holding it when the driver dies. Some network
    file systems have no locks; there, nobody can be told from nobody else.
    """
    try:
        fcntl.lockf(file, kind | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno in (errno.EACCES, errno.EAGAIN)
    return False


def _is_at(file: IO[str], path: Path) -> bool:
    """Tell whether a file still is the one at a path: its last holder may have deleted it meanwhile."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False
