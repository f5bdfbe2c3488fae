"""Files that appear complete or not at all."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from proofmatch.errors import ProofmatchError, disk_reason


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a name to write to; what is there at the end takes the place of `path`, unless something fails.

    Raises:
        ProofmatchError: If the file cannot be written.
    """
    unfinished = _beside(path)
    try:
        if path.exists() and not path.is_file():
            # A folder, or something like /dev/null, which must not be replaced by a file.
            raise ProofmatchError(f"{path} is not a file that could be replaced; give another name")
        path.parent.mkdir(parents=True, exist_ok=True)
        yield unfinished
        unfinished.replace(path)
    except OSError as error:
        raise ProofmatchError(f"{path} cannot be written ({disk_reason(error)})") from None
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Give a folder to write to that becomes `path` at the end; after a failure nothing is left of it.

    Raises:
        ProofmatchError: If there is something already, or the folder cannot be written.
    """
    unfinished = _beside(path)
    try:
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise ProofmatchError(
                f"{path} exists and is not an empty folder; remove it or choose another name"
            )
        unfinished.mkdir(parents=True)
        yield unfinished
        unfinished.replace(path)
    except OSError as error:
        raise ProofmatchError(f"{path} cannot be written ({disk_reason(error)})") from None
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _beside(path: Path) -> Path:
    path = path.absolute()
    # Nobody can put a link there who does not know the name.
    return path.with_name(f".{path.name}.{os.urandom(6).hex()}.unfinished")


def is_one_of(path: Path, *others: Path | None) -> bool:
    """Tell whether a path names the same file as one of some others, however they are spelled."""
    return path.resolve() in [other.resolve() for other in others if other is not None]
