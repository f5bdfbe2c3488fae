"""Disks that are too small, or may not be written: file systems in memory, where they can be mounted.

They are mounted where only this process and its children see them, so they end with it, even if it is killed.
"""

import ctypes
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

_CLONE_NEWNS = 0x00020000  # of <linux/sched.h>


@dataclass(frozen=True)
class Disk:
    """A file system of its own."""

    place: Path

    def resize(self, bytes_: int) -> None:
        _mount("-o", f"remount,size={max(1, bytes_ // 1024)}k", str(self.place))

    def forbid_writing(self) -> None:
        _mount("-o", "remount,ro", str(self.place))

    def used(self) -> int:
        return shutil.disk_usage(self.place).used

    def clear(self) -> None:
        for path in self.place.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()


@contextmanager
def small_disk(place: Path, bytes_: int) -> Iterator[Disk]:
    """Mount a disk of that size at an empty folder; skips the test where only others may."""
    place.mkdir(exist_ok=True)
    try:
        _see_what_nobody_else_sees()
        _mount("-t", "tmpfs", "-o", f"size={max(1, bytes_ // 1024)}k", "proofmatch-test", str(place))
    except (OSError, subprocess.CalledProcessError) as error:
        reason = getattr(error, "stderr", None) or error
        pytest.skip(f"no disk can be mounted here: {str(reason).strip()}")
    try:
        yield Disk(place)
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=False, capture_output=True)


def see_disks_of(process: int) -> None:
    """Let this process, which is no child of the other, see its disks."""
    with Path(f"/proc/{process}/ns/mnt").open("rb") as mounts:
        _call("setns", mounts.fileno(), _CLONE_NEWNS)


@cache
def _see_what_nobody_else_sees() -> None:
    _call("unshare", _CLONE_NEWNS)
    _mount("--make-rprivate", "/")


def _call(name: str, *arguments: int) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    if getattr(library, name)(*arguments):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), name)


def _mount(*arguments: str) -> None:
    subprocess.run(["mount", *arguments], check=True, capture_output=True, text=True)
