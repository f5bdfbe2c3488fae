"""The manifest lists every file, and every file is as it is listed."""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from proofmatch.storage import sha256_of

from ..release.manifest import SCHEMA_VERSION
from ..release.schema import MANIFEST
from .evidence import Evidence, read_json
from .inventory import BUILD_FOLDER
from .remarks import Fault, Finding, NotChecked, Remark


def check_manifest(evidence: Evidence) -> Iterator[Remark]:
    """Compare the folder with its manifest."""
    folder = evidence.folder
    if evidence.inventory.is_unfinished:
        yield Fault(f"{BUILD_FOLDER} is there: the build is not finished; run the same build again")
    if not (folder / MANIFEST).is_file():
        yield Fault(f"{MANIFEST} is missing: the release is not complete")
        yield NotChecked("sizes and hashes of the files, which the manifest would tell")
        return
    manifest = read_json(folder / MANIFEST)
    listed = manifest.get("files") if isinstance(manifest, dict) else None
    if not isinstance(manifest, dict) or not isinstance(listed, dict):
        yield Fault(f"{MANIFEST} is not a manifest: no JSON object with `files`")
        yield NotChecked("sizes and hashes of the files, which the manifest would tell")
        return
    if manifest.get("schema_version") != SCHEMA_VERSION:
        found = manifest.get("schema_version")
        yield Fault(f"{MANIFEST} has schema version {found!r}; this proofmatch knows {SCHEMA_VERSION}")
    if not isinstance(manifest.get("parameters"), dict):
        yield Fault(f"{MANIFEST} has no `parameters`: nobody can tell how the release was made")
    yield from _places_on_a_disk(evidence.parameters)
    for name, entry in listed.items():
        yield from _faults_of_file(folder, name, entry)
        evidence.tick(f"hash of {name}")
    for name in evidence.inventory.files:
        if name not in listed and name != MANIFEST:
            yield Fault(f"{name} is not listed in {MANIFEST}")
    megabytes = sum(_size(entry) for entry in listed.values()) / 1e6
    yield Finding(f"{len(listed)} files, {megabytes:,.1f} MB")


def _size(entry: Any) -> int:  # noqa: ANN401 - whatever the manifest has
    size = entry.get("bytes") if isinstance(entry, dict) else None
    return size if isinstance(size, int) else 0


def _faults_of_file(folder: Path, name: str, entry: Any) -> Iterator[Fault]:  # noqa: ANN401
    path = folder / name
    if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts or "\\" in name:
        yield Fault(f"{MANIFEST} lists {name}, which is outside the release")
    elif not isinstance(entry, dict) or not {"bytes", "sha256"} <= entry.keys():
        yield Fault(f"{MANIFEST} does not tell bytes and sha256 of {name}")
    elif not _is_file(path):
        yield Fault(f"{name} is listed in {MANIFEST} but missing")
    elif path.stat().st_size != entry["bytes"]:
        yield Fault(f"{name} has {path.stat().st_size} bytes, not {entry['bytes']} as in {MANIFEST}")
    elif sha256_of(path) != entry["sha256"]:
        yield Fault(f"{name} was changed: its sha256 is not that of {MANIFEST}")


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name that no file can have
        return False


def _places_on_a_disk(parameters: Any) -> Iterator[Fault]:  # noqa: ANN401
    """Find sources that go by their places on somebody's disk instead of by their names."""
    while isinstance(parameters, dict):
        for key in ("sources", "files"):
            names = parameters.get(key)
            for name in names if isinstance(names, list) else [names]:
                if isinstance(name, str) and "://" not in name and _is_absolute(name):
                    yield Fault(
                        f"{MANIFEST}: `{key}` has {name}, a place on somebody's disk, not a name or URL"
                    )
        parameters = parameters.get("variant_of")


def _is_absolute(name: str) -> bool:
    return PurePosixPath(name).is_absolute() or PureWindowsPath(name).is_absolute()
