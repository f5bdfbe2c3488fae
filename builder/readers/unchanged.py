"""Files that are read from front to back, and must be the same all the while."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from proofmatch.errors import ProofmatchError


class SourceChanged(ProofmatchError):  # noqa: N818 - somebody's doing, not an accident
    """A file that is not what it was when it was found, or is no more.

    Args:
        path: The file.
    """

    def __init__(self, path: object) -> None:
        super().__init__(path)

    def __str__(self) -> str:
        """Name it, and the remedy."""
        return f"{self.args[0]} was changed while it was read; run the same command again when it is complete"


@contextmanager
def unchanged(paths: Iterable[Path]) -> Iterator[None]:
    """Refuse what was read of files that somebody has changed meanwhile: half of one and half of another.

    Raises:
        SourceChanged: If one is not what it was.
    """
    before = {path: _state(path) for path in paths}
    yield
    for path, state in before.items():
        if _state(path) != state:
            raise SourceChanged(path)


def _state(path: Path) -> tuple[int, int, int] | None:
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
