"""The files of a release folder, checked against its manifest before anything is sent."""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from proofmatch.errors import ProofmatchError
from proofmatch.progress import Progress
from proofmatch.storage import sha256_of

from ...builder.release.release import read_manifest
from ...builder.release.schema import MANIFEST

# Leaving the release, and what the Hub keeps for itself.
_FORBIDDEN_PARTS = {"..", ".git", ".cache"}


@dataclass(frozen=True)
class LocalFile:
    """A file to publish, with its path in folder and repository as `name`."""

    name: str
    path: Path
    size: int
    sha256: str

    @cached_property
    def git_blob_id(self) -> str:
        """The hash by which git, and hence the Hub, knows a file that is not large."""
        content = self.path.read_bytes()
        return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def read_release(release: Path) -> list[LocalFile]:
    """List the files of a release, its manifest included, after checking every one's size and hash.

    Raises:
        ProofmatchError: If the release is not complete and undamaged.
    """
    files, faults = [], []
    with Progress("checking release", "files") as progress:
        for name, entry in sorted(_listed(release).items()):
            file = measure_file(release, name)
            if file is None:
                faults.append(f"{name} is missing")
            elif (file.size, file.sha256) != (entry.get("bytes"), entry.get("sha256")):
                faults.append(f"{name} is not as {MANIFEST} describes it")
            else:
                files.append(file)
            progress.summary = f"{len(files):,} good"
            progress.advance()
        progress.summary = f"{len(files):,} files are as {MANIFEST} describes them"
        if faults:
            others = f" (and {len(faults) - 1:,} more files)" if len(faults) > 1 else ""
            raise ProofmatchError(
                f"{release} is not a complete release: {faults[0]}{others}; restore it or build it again"
            )
    manifest = measure_file(release, MANIFEST)
    return [*files, *([manifest] if manifest else [])]


def _listed(release: Path) -> dict[str, Any]:
    unusable = f"{release / MANIFEST} is not the manifest of a release; build it again"
    try:
        manifest = read_manifest(release)
    except (ProofmatchError, OSError):
        raise ProofmatchError(unusable) from None
    if manifest is None:
        raise ProofmatchError(
            f"{release} is not a complete release: it has no {MANIFEST}; run `proofmatch build` first"
        )
    files = manifest["files"]
    if not files:
        raise ProofmatchError(unusable)
    for name in files:
        path = PurePosixPath(name)
        if path.is_absolute() or _FORBIDDEN_PARTS & set(path.parts) or str(path) != name or name == MANIFEST:
            raise ProofmatchError(
                f"{release / MANIFEST} names {name!r}, which no release contains; build it again"
            )
    return files


def measure_file(folder: Path, name: str) -> LocalFile | None:
    """Measure a file of a folder; None if there is none of that name."""
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()):
        raise ProofmatchError(f"{path} is a link that leads out of the folder; put the file itself there")
    try:
        return LocalFile(name, path, path.stat().st_size, sha256_of(path))
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except OSError as error:
        raise ProofmatchError(f"{path} cannot be read ({error.strerror}); mend that first") from None
