"""Files and folders that appear complete or not at all, locks, and messages for disk errors."""

import contextlib
import errno
import hashlib
import os
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path

from .errors import ProofmatchError, first_line

TEMPORARY_SUFFIX = ".tmp"

# Testing whether a lock is held takes the lock for an instant.
_LOCK_SECONDS = 0.1


def disk_reason(error: OSError) -> str:
    """Return the operating system's own error message, without what libraries add to it."""
    return os.strerror(error.errno) if error.errno else first_line(error)


def sha256_of(path: Path) -> str:
    """Hash a file without holding it in memory."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def open_regular(path: Path) -> BufferedReader:
    """Open a regular file for reading; a pipe or device could keep a reader waiting, or never end.

    Raises:
        OSError: If it cannot be opened, or is a folder, pipe, device or socket.
    """
    _require_regular(path.stat())  # opening a device may already do something
    # Do not block on a pipe that has replaced the file since then.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        _require_regular(os.fstat(descriptor))
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def _require_regular(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise OSError("not a regular file")


def read_limited(path: Path, most: int) -> bytes:
    """Read a regular file of at most `most` bytes.

    Raises:
        OSError: If it cannot be read, is larger, or is a folder, pipe, device or socket.
    """
    with open_regular(path) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(f"larger than {most / 1_000_000:,g} MB")
    return content


def read_start(path: Path, size: int) -> bytes:
    """Read the first bytes of a regular file."""
    with open_regular(path) as file:
        return file.read(size)


def is_same_file(path: Path, *others: Path | None) -> bool:
    """Tell whether a path names the same file as one of the others, however they are spelled."""
    return path.resolve() in [other.resolve() for other in others if other is not None]


def refuse_other_kind(path: Path, kind: str, is_kind: Callable[[Path], bool]) -> None:
    """Refuse to replace a file of another kind than the one to be written, before any work is done.

    Args:
        path: The file to write; it need not exist yet.
        kind: What will be written, such as `a result`.
        is_kind: Tells whether a file is of that kind; an error means that it is not.

    Raises:
        ProofmatchError: If `path` is another kind of file, or a folder.
    """
    with disk_errors(path):
        if path.is_dir():
            raise ProofmatchError(f"{path} is a folder, not a regular file; give another name")
        if not path.is_file() or not path.stat().st_size:
            return
    try:
        is_same = is_kind(path)
    except (OSError, ValueError, EOFError):
        is_same = False
    if not is_same:
        raise ProofmatchError(
            f"{path} is not {kind}, which would replace it; give another name, or remove it"
        )


def temporary_path(path: Path) -> Path:
    """Choose a hidden name beside `path` that no other process can guess or use.

    A process id is not enough: two machines that share a file system may have processes of the same number.
    """
    path = path.absolute()
    return path.with_name(f".{path.name}.{os.urandom(6).hex()}{TEMPORARY_SUFFIX}")


@contextmanager
def replaced_at_end(path: Path) -> Iterator[Path]:
    """Yield a temporary path that replaces `path` at the end, unless something fails."""
    temporary = temporary_path(path)
    try:
        yield temporary
        temporary.replace(path)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a small file under its final name once it is complete; a kill leaves no partial file.

    Raises:
        OSError: If the file cannot be written.
    """
    with replaced_at_end(path) as temporary:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)


@contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path for a file that a user asked for; it becomes `path` at the end.

    Raises:
        ProofmatchError: If the file cannot be written, or `path` is a folder or a device.
    """
    with disk_errors(path):
        if path.exists() and not path.is_file():
            raise ProofmatchError(f"{path} is not a regular file and cannot be replaced; give another name")
        path.parent.mkdir(parents=True, exist_ok=True)
        with replaced_at_end(path) as temporary:
            yield temporary


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Yield a temporary folder that becomes `path` at the end; after a failure nothing is left of it.

    Raises:
        ProofmatchError: If `path` exists and is not an empty folder, or cannot be written.
    """
    temporary = temporary_path(path)
    with disk_errors(path):
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise ProofmatchError(
                f"{path} exists and is not an empty folder; remove it or choose another name"
            )
        try:
            temporary.mkdir(parents=True)
            yield temporary
            temporary.replace(path)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Explain in one sentence why `path` cannot be written.

    Raises:
        ProofmatchError: In place of any `OSError`.
    """
    try:
        yield
    except OSError as error:
        raise ProofmatchError(f"{path} cannot be written ({disk_reason(error)})") from None


class SourceChanged(ProofmatchError):  # noqa: N818 - an event, not an error of ours
    """A file changed or vanished between being found and being read.

    Args:
        path: The file.
    """

    def __init__(self, path: object) -> None:
        super().__init__(path)

    def __str__(self) -> str:
        """Name the file and the remedy."""
        return f"{self.args[0]} was changed while it was read; run the same command again when it is complete"


FileState = tuple[int, int, int]


def file_state(path: Path) -> FileState | None:
    """Describe a file by inode, size and modification time, or return None if there is none.

    Two equal states mean that nobody has written to the file in between.
    """
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


@contextmanager
def unchanged(paths: Iterable[Path]) -> Iterator[None]:
    """Refuse what was read if one of the files changed meanwhile.

    Raises:
        SourceChanged: If one did.
    """
    before = {path: file_state(path) for path in paths}
    yield
    for path, state in before.items():
        if file_state(path) != state:
            raise SourceChanged(path)


@contextmanager
def exclusive_lock(path: Path) -> Iterator[None]:
    """Hold a lock file, creating it and its folder; the lock ends with the process, however the process ends.

    Its holder may delete it together with its folder (`remove_lock`). On file systems without locks there is
    no protection.

    Raises:
        BlockingIOError: If another process holds it.
    """
    from filelock import FileLock, Timeout

    while True:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            lock = FileLock(path, timeout=_LOCK_SECONDS, poll_interval=0.01, fallback_to_soft=False)
            lock.acquire()
        except Timeout:
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN), str(path)) from None
        except (FileExistsError, FileNotFoundError):
            if path.parent.is_file() or path.parent.is_symlink():
                raise
            continue  # the previous holder is just deleting the folder
        except OSError as error:
            if error.errno not in (errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP):
                raise
            yield
            return
        try:
            yield
        finally:
            lock.release()
        return


def remove_lock(path: Path) -> None:
    """Delete a lock that this process holds, and its folder, which must have no other content."""
    path.unlink()
    with contextlib.suppress(OSError):  # the next holder is already there
        path.parent.rmdir()


def is_locked(path: Path) -> bool:
    """Tell whether another process holds a lock file, as far as the file system knows."""
    try:
        with path.open("rb") as file:
            return not _lock_descriptor(file.fileno())
    except OSError:
        return False


@contextmanager
def exclusive_folder(folder: Path) -> Iterator[None]:
    """Hold a lock on a folder itself, without a file in it; it ends with the process.

    Raises:
        BlockingIOError: If another process holds it.
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # a file system without locks
            if not _lock_descriptor(descriptor):
                raise _Held
        yield
    except _Held:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN), str(folder)) from None
    finally:
        os.close(descriptor)


class _Held(Exception):  # noqa: N818 - becomes a BlockingIOError, which is an OSError
    pass


def _lock_descriptor(descriptor: int) -> bool:
    from filelock import lock_descriptor

    return lock_descriptor(descriptor, blocking=False)
