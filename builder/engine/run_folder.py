"""The working folder of a build inside the release folder: what is done, with which settings, by whom."""

import contextlib
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any, Protocol

from proofmatch.errors import ProofmatchError
from proofmatch.storage import exclusive_lock, is_locked, remove_lock, write_atomically

from ..pair_parts import is_complete

_FOLDER = ".build"


class Work(Protocol):
    """A piece of work that leaves a part."""

    @property
    def part_name(self) -> str:
        """The file name of its part."""
        ...


class RunFolder:
    """Where the parts of an unfinished build lie.

    Args:
        release: The release folder.
    """

    def __init__(self, release: Path) -> None:
        self.path = release / _FOLDER
        self.parts = self.path / "parts"
        self.staging = self.path / "release"
        self._lock = self.path / "lock"
        self._expected: list[Path] = []

    @contextmanager
    def opened(self, settings: dict[str, Any]) -> Iterator["RunFolder"]:
        """Take possession of the folder for a build with these settings.

        Raises:
            ProofmatchError: If another build is at work, or an unfinished one had other settings.
        """
        self._refuse_links()
        with contextlib.ExitStack() as held:
            try:
                held.enter_context(exclusive_lock(self._lock))
                self.parts.mkdir(exist_ok=True)
            except BlockingIOError:
                raise ProofmatchError(
                    f"another build is writing to {self.path.parent}; wait for it or choose another --out"
                ) from None
            except OSError as error:
                raise ProofmatchError(f"cannot write to {self.path.parent}: {error.strerror}") from None
            self._check_settings(settings)
            for leftover in self.path.glob("*/*.tmp"):
                leftover.unlink(missing_ok=True)
            shutil.rmtree(self.staging, ignore_errors=True)
            yield self

    def _refuse_links(self) -> None:
        """Refuse a folder that somebody has prepared: through links, a build would reach other files."""
        for path in (self.path, self.parts, self.staging, self._lock):
            if path.is_symlink():
                raise ProofmatchError(
                    f"{path} is a link, which no build makes; delete it or choose another --out"
                )

    def is_in_use(self) -> bool:
        """Tell whether a build is at work, so far as the file system's locks tell."""
        return is_locked(self._lock)

    def _check_settings(self, settings: dict[str, Any]) -> None:
        recorded = self.path / "settings.json"
        if recorded.exists():
            try:
                before = json.loads(recorded.read_text(encoding="utf-8"))
            except ValueError:
                raise ProofmatchError(f"{recorded} is damaged; delete {self.path} and build anew") from None
            refuse_other_settings(before, settings, self.path.parent)
        write_atomically(recorded, json.dumps(settings, indent=2) + "\n")

    @property
    def engine(self) -> str:
        """The engine of the last attempt."""
        try:
            return (self.path / "engine").read_text(encoding="utf-8").strip()
        except OSError:
            return "local"

    def note_engine(self, name: str) -> None:
        """Note the engine of this attempt, for those who ask how it goes."""
        write_atomically(self.path / "engine", name + "\n")

    def is_done(self, batch: Work) -> bool:
        """Tell whether a batch was finished by this or an earlier run."""
        path = self.parts / batch.part_name
        return path.exists() and is_complete(path)

    def expect(self, batch: Work) -> None:
        """Note that a batch belongs to the build."""
        self._expected.append(self.parts / batch.part_name)

    def finished_parts(self) -> list[Path]:
        """List the parts of all batches, in the order of the sources.

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
    def removed_if_in_vain(self) -> Iterator[None]:
        """Leave the place free for another attempt if a source turns out bad before anything was read."""
        try:
            yield
        except ProofmatchError:
            if self.parts.exists() and not any(self.parts.iterdir()):
                self.remove()
            raise

    def remove(self) -> None:
        """Delete the folder, which has to be in our possession; the build is complete."""
        for path in self.path.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            elif path != self._lock:
                path.unlink()
        remove_lock(self._lock)  # last: from then on the folder may be another's

    def remove_leftovers(self) -> None:
        """Delete what a kill has left of a complete build; whoever is still at it does so himself."""
        self._refuse_links()
        with contextlib.suppress(BlockingIOError), exclusive_lock(self._lock):
            self.remove()


def configuration_hash(settings: dict[str, Any]) -> str:
    """Name a configuration: two builds of the same sources with the same one make the same release."""
    return blake2b(json.dumps(settings, sort_keys=True).encode(), digest_size=8).hexdigest()


def refuse_other_settings(recorded: dict[str, Any], wanted: dict[str, Any], release: Path) -> None:
    """Refuse to mix two configurations in one folder.

    Raises:
        ProofmatchError: If the settings differ, naming how.
    """
    if recorded.get("made_by") != wanted.get("made_by"):
        raise ProofmatchError(
            f"{release} holds what `proofmatch {recorded.get('made_by')}` made; "
            "choose another --out or delete that folder"
        )
    differences = [
        f"{name} was {recorded.get(name)!r} and now is {wanted.get(name)!r}"
        for name in sorted(recorded.keys() | wanted.keys())
        if recorded.get(name) != wanted.get(name)
    ]
    if differences:
        raise ProofmatchError(
            f"{release} holds a build with other settings ({'; '.join(differences)}); "
            "choose another --out or delete that folder"
        )
