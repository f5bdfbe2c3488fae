"""The run folder of unfinished work: its lock, its settings, and the parts that are done.

Work is cut into batches, and each batch leaves one part: a file whose name changes with its input. A run that
was interrupted, even killed, continues with the batches that have no complete part.
"""

import contextlib
import json
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar

from proofmatch.errors import ProofmatchError
from proofmatch.storage import exclusive_lock, is_locked, remove_lock, write_atomically

_FOLDER = ".build"


class NamedBatch(Protocol):
    """A unit of work that leaves a part."""

    @property
    def part_name(self) -> str:
        """The file name of its part; it must change with the content of the batch."""
        ...


Batch = TypeVar("Batch", bound=NamedBatch)


class RunFolder:
    """The folder inside an output folder that holds unfinished work.

    Args:
        output: The output folder.
        is_complete: Tells whether a part was written completely.

    Attributes:
        path: The run folder.
        parts: Folder of the parts.
        staging: Folder in which the output is put together.
        scratch: Folder for short-lived files; what a killed process leaves in it is removed.
    """

    def __init__(self, output: Path, is_complete: Callable[[Path], bool] = Path.is_file) -> None:
        self.output = output
        self.path = output / _FOLDER
        self.parts = self.path / "parts"
        self.staging = self.path / "release"
        self.scratch = self.path / "scratch"
        self._lock = self.path / "lock"
        self._settings = self.path / "settings.json"
        self._is_complete = is_complete
        self._expected: list[Path] = []

    @contextmanager
    def opened(self, settings: dict[str, Any]) -> Iterator["RunFolder"]:
        """Lock the folder for work with these settings.

        Raises:
            ProofmatchError: If another process holds it, or unfinished work has other settings.
        """
        self._refuse_links()
        with contextlib.ExitStack() as held:
            try:
                held.enter_context(exclusive_lock(self._lock))
                self.parts.mkdir(exist_ok=True)
            except BlockingIOError:
                raise ProofmatchError(
                    f"another build is writing to {self.output}; wait for it or choose another --out"
                ) from None
            except OSError as error:
                raise ProofmatchError(f"cannot write to {self.output}: {error.strerror}") from None
            if (before := self.read_settings()) is not None:
                refuse_other_settings(before, settings, self.output)
            write_atomically(self._settings, json.dumps(settings, indent=2) + "\n")
            for leftover in self.path.glob("*/*.tmp"):
                leftover.unlink(missing_ok=True)
            for folder in (self.staging, self.scratch):
                shutil.rmtree(folder, ignore_errors=True)
            yield self

    def _refuse_links(self) -> None:
        """Refuse symbolic links, through which a build would write and delete files elsewhere."""
        for path in (self.path, self.parts, self.staging, self.scratch, self._lock):
            if path.is_symlink():
                raise ProofmatchError(
                    f"{path} is a symbolic link, which no build creates; delete it or choose another --out"
                )

    def is_locked(self) -> bool:
        """Tell whether another process is at work, as far as the file system knows."""
        return is_locked(self._lock)

    def read_settings(self) -> dict[str, Any] | None:
        """Read the settings of the unfinished work, or None if there is none.

        Raises:
            ProofmatchError: If they are damaged.
        """
        try:
            return json.loads(self._settings.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except ValueError:
            raise ProofmatchError(
                f"{self._settings} is damaged; delete {self.path} and start again"
            ) from None

    def write_note(self, name: str, text: str) -> None:
        """Store one line under a name, for later runs and for `--status`."""
        write_atomically(self.path / name, text + "\n")

    def read_note(self, name: str) -> str | None:
        """Read what was noted under a name."""
        try:
            return (self.path / name).read_text(encoding="utf-8").strip() or None
        except OSError:
            return None

    def unfinished(self, batches: Iterable[Batch]) -> Iterator[Batch]:
        """Yield the batches without a complete part; `finished_parts` will expect the parts of all."""
        for batch in batches:
            self._expected.append(self.parts / batch.part_name)
            if not self.is_done(batch):
                yield batch

    def is_done(self, batch: NamedBatch) -> bool:
        """Tell whether this or an earlier run has finished a batch."""
        return self._is_complete(self.parts / batch.part_name)

    def finished_parts(self) -> list[Path]:
        """List the parts of all batches, in order.

        Raises:
            ProofmatchError: If one is missing.
        """
        missing = [path.name for path in self._expected if not path.exists()]
        if missing:
            raise ProofmatchError(
                f"{len(missing)} of {len(self._expected)} parts are missing ({missing[0]}, …); "
                "run the same command again to make them"
            )
        return list(self._expected)

    @contextmanager
    def cleanup_if_empty(self) -> Iterator[None]:
        """Remove the folder if the input is refused before any part was written."""
        try:
            yield
        except ProofmatchError:
            if self.parts.exists() and not any(self.parts.iterdir()):
                self.remove()
            raise

    def remove(self) -> None:
        """Delete the folder, which this process must have locked."""
        for path in self.path.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            elif path != self._lock:
                path.unlink()
        remove_lock(self._lock)  # last: from then on another process may take the folder

    def remove_leftovers(self) -> None:
        """Delete the folder of a killed run whose output is complete, unless its process is still alive."""
        self._refuse_links()
        with contextlib.suppress(BlockingIOError), exclusive_lock(self._lock):
            self.remove()


def refuse_other_settings(recorded: dict[str, Any], wanted: dict[str, Any], output: Path) -> None:
    """Refuse to mix two configurations in one folder.

    Raises:
        ProofmatchError: If the settings differ, naming the differences.
    """
    if recorded.get("made_by") != wanted.get("made_by"):
        raise ProofmatchError(
            f"{output} holds the output of `proofmatch {recorded.get('made_by')}`; "
            "choose another --out or delete that folder"
        )
    differences = [
        f"{name} was {recorded.get(name)!r} and is now {wanted.get(name)!r}"
        for name in sorted(recorded.keys() | wanted.keys())
        if recorded.get(name) != wanted.get(name)
    ]
    if differences:
        raise ProofmatchError(
            f"{output} holds a build with other settings ({'; '.join(differences)}); "
            "choose another --out or delete that folder"
        )
