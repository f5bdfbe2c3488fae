"""Landlock: the kernel's own limit on the files that a process and its children can open.

It needs no privilege and no program, and cannot be lifted again. Linux has it since 5.13.
"""

import contextlib
import ctypes
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

# System calls have these numbers on every architecture.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION = 1  # a flag of the first system call
_PATH_BENEATH = 1
_NO_NEW_PRIVILEGES = 38  # of prctl

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_FIRST_RIGHTS = (1 << 13) - 1
_REFER, _TRUNCATE, _IOCTL = 1 << 13, 1 << 14, 1 << 15
_FILE_RIGHTS = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL
_ALL_TCP = 3  # bind and connect
_ALL_SCOPES = 3  # abstract sockets, signals to other processes


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scopes", ctypes.c_uint64))


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def landlock_version() -> int:
    """Ask the kernel for its version of Landlock; 0 if it has none."""
    try:
        return max(0, ctypes.CDLL(None).syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION))
    except (AttributeError, OSError):  # not Linux
        return 0


@contextmanager
def ruleset(readable: Iterable[Path], writable: Iterable[Path]) -> Iterator[int | None]:
    """Make a ruleset for a child process that denies everything else on the file system, and TCP.

    Args:
        readable: Files and folders to read and run programs from; those that do not exist are left out.
        writable: Files and folders to read and write.

    Yields:
        A file descriptor for `restrict_self`, or None where the kernel has no Landlock.
    """
    version = landlock_version()
    if not version:
        yield None
        return
    rights = _FIRST_RIGHTS
    for since, right in ((2, _REFER), (3, _TRUNCATE), (5, _IOCTL)):
        rights |= right if version >= since else 0
    attributes = _Ruleset(rights, _ALL_TCP if version >= 4 else 0, _ALL_SCOPES if version >= 6 else 0)
    libc = ctypes.CDLL(None, use_errno=True)
    size = ctypes.sizeof(attributes) if version >= 6 else 16 if version >= 4 else 8
    descriptor = libc.syscall(_CREATE_RULESET, ctypes.byref(attributes), ctypes.c_size_t(size), 0)
    if descriptor < 0:
        yield None
        return
    try:
        for path in readable:
            _allow(libc, descriptor, path, _EXECUTE | _READ_FILE | _READ_DIR)
        for path in writable:
            _allow(libc, descriptor, path, rights & ~_EXECUTE)
        yield descriptor
    finally:
        os.close(descriptor)


def _allow(libc: ctypes.CDLL, descriptor: int, path: Path, rights: int) -> None:
    with contextlib.suppress(OSError):
        parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            beneath = _PathBeneath(rights if path.is_dir() else rights & _FILE_RIGHTS, parent)
            libc.syscall(_ADD_RULE, descriptor, _PATH_BENEATH, ctypes.byref(beneath), 0)
        finally:
            os.close(parent)


def restrict_self(descriptor: int) -> None:
    """Restrict this process permanently with a ruleset.

    Raises:
        OSError: If the kernel refuses; the process must then end.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) or libc.syscall(_RESTRICT_SELF, descriptor, 0):
        raise OSError(ctypes.get_errno(), "the kernel refuses Landlock")
