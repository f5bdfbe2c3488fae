"""The working folder of a build inside the release folder: what is done, with which settings, by whom."""

import fcntl
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from proofmatch.errors import ProofmatchError

from .parts import is_intact

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
        self._expected: list[Path] = []

    @contextmanager
    def opened(self, settings: dict[str, Any]) -> Iterator["RunFolder"]:
        """Take possession of the folder for a build with these settings.

        Raises:
            ProofmatchError: If another build is at work, or an unfinished one had other settings.
        """
        try:
            self.parts.mkdir(parents=True, exist_ok=True)
            lock = (self.path / "lock").open("w")
        except OSError as error:
            raise ProofmatchError(f"cannot write to {self.path.parent}: {error.strerror}") from None
        with lock:
            try:
                # A lock of this process alone: a worker must not go on holding it when the driver dies.
                fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise ProofmatchError(
                    f"another build is writing to {self.path.parent}; wait for it or choose another --out"
                ) from None
            self._check_settings(settings)
            for leftover in self.parts.glob("*.tmp"):
                leftover.unlink()
            shutil.rmtree(self.staging, ignore_errors=True)
            yield self

    def _check_settings(self, settings: dict[str, Any]) -> None:
        recorded = self.path / "settings.json"
        if recorded.exists():
            try:
                before = json.loads(recorded.read_text(encoding="utf-8"))
            except ValueError:
                raise ProofmatchError(f"{recorded} is damaged; delete {self.path} and build anew") from None
            refuse_other_settings(before, settings, self.path.parent)
        unfinished = recorded.with_suffix(".tmp")
        unfinished.write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")
        unfinished.replace(recorded)

    def is_done(self, batch: Work) -> bool:
        """Tell whether a batch was finished by this or an earlier run."""
        path = self.parts / batch.part_name
        return path.exists() and is_intact(path)

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
        """Delete the folder; the build is complete."""
        shutil.rmtree(self.path)


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
