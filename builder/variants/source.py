"""The release that a variant is made from."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from proofmatch.errors import ProofmatchError
from proofmatch.storage import sha256_of

from ..release.release import read_manifest
from ..release.schema import CONFIGS, MANIFEST, SPLITS, Config

AS_WRITTEN = "conservation"  # what the published editions call the names that the authors gave


class SourceTable(NamedTuple):
    """A table of a release: its place, its configuration and its split."""

    path: Path
    config: Config
    split: str


@dataclass(frozen=True, slots=True)
class Source:
    """A complete release.

    Attributes:
        folder: Where it is.
        parameters: What decided its content.
        manifest_sha256: Names it.
        tables_sha256: Names its tables, whatever the card says of them.
        tables: Its tables.
    """

    folder: Path
    parameters: dict[str, Any]
    manifest_sha256: str
    tables_sha256: str
    tables: list[SourceTable]

    @property
    def is_variant(self) -> bool:
        """Whether its proofs have other names than their authors gave."""
        return self.parameters.get("symbols", AS_WRITTEN) != AS_WRITTEN


def open_source(folder: Path) -> Source:
    """Open a complete release.

    Raises:
        ProofmatchError: If it is none.
    """
    if not folder.is_dir():
        raise ProofmatchError(
            f"{folder} is not a folder; give a release made by `proofmatch build` or `import`"
        )
    manifest = read_manifest(folder)
    if manifest is None:
        raise ProofmatchError(
            f"{folder} is not a complete release (no {MANIFEST}); run `proofmatch build` or `import` first"
        )
    for name, file in manifest["files"].items():
        path = folder / name
        if not path.is_file() or path.stat().st_size != file.get("bytes"):
            raise ProofmatchError(
                f"{path} is missing or not as {MANIFEST} describes it; `proofmatch check {folder}` tells more"
            )
    # In the order of a build, which is the order in which a card lists them.
    tables = [
        SourceTable(Path(name), config, split)
        for config in CONFIGS
        for split in SPLITS
        for name in sorted(manifest["files"])
        if name.startswith(f"data/{config.name}/{split}-")
    ]
    sha256 = sha256_of(folder / MANIFEST)
    return Source(folder, manifest["parameters"], sha256, _hash_of_tables(manifest["files"]), tables)


def _hash_of_tables(files: dict[str, dict[str, Any]]) -> str:
    hashes = sorted((name, file.get("sha256")) for name, file in files.items() if name.startswith("data/"))
    return hashlib.sha256(json.dumps(hashes).encode()).hexdigest()


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Tell which file it is that cannot be read.

    Raises:
        ProofmatchError: If Arrow cannot read it, or it has not the right columns.
    """
    try:
        yield
    except (OSError, KeyError, pa.ArrowException) as error:
        raise ProofmatchError(
            f"{path} cannot be read ({error}); make or download the release again"
        ) from None
