"""`Release`: the one way to open a release, in a folder or on the Hub. Also its manifest.

The manifest is written last, so a release that has one is complete.
"""

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.parquet as pq

from proofmatch.downloads import download
from proofmatch.errors import NotFoundError, ProofmatchError
from proofmatch.storage import disk_reason, sha256_of

from .schema import ALL, CONFIGS, DATA, MANIFEST, SCHEMA_VERSION, SPLITS, STATISTICS, TEST, parse_shard


@dataclass(frozen=True, slots=True)
class Seal:
    """What a sealed release withholds: the pairs of the test split of one family."""

    FAMILIES: ClassVar = ("mixed", "by_article")

    by_article: bool
    pairs: int

    @classmethod
    def from_parameters(cls, parameters: dict[str, Any]) -> "Seal | None":
        """Read it from the parameters of a manifest; an open release has none.

        Raises:
            ValueError: If it has another form.
        """
        if (sealed := parameters.get("sealed")) is None:
            return None
        if not isinstance(sealed["pairs"], int):
            raise ValueError(sealed["pairs"])
        return cls(bool(cls.FAMILIES.index(sealed["family"])), sealed["pairs"])

    def as_parameter(self) -> dict[str, Any]:
        """Write it for the parameters of a manifest."""
        return {"family": self.FAMILIES[self.by_article], "pairs": self.pairs}


@dataclass(frozen=True, slots=True)
class Release:
    """An opened release.

    Attributes:
        id: The name of its folder, or its `OWNER/NAME`.
        folder: Where its files are; files of a repository are downloaded when they are needed.
        manifest: The content of its manifest.
        manifest_sha256: Distinguishes releases of the same name.
        revision: The commit on the Hub, None for a folder.
    """

    id: str
    folder: Path
    manifest: dict[str, Any] = field(repr=False)
    manifest_sha256: str
    revision: str | None = None

    @property
    def schema_version(self) -> int:
        """The version of its tables; 1 has other ids, and neither `source` nor `license`."""
        return self.manifest["schema_version"]

    @property
    def provenance(self) -> list[str]:
        """The columns that state the origin of its pairs: `source` and `license`, or none."""
        return ["source", "license"] if self.schema_version >= 2 else []

    @property
    def parameters(self) -> dict[str, Any]:
        """Everything that determined its content."""
        return self.manifest["parameters"]

    @property
    def sealed(self) -> Seal | None:
        """What it withholds if it is sealed, None for an open release."""
        return Seal.from_parameters(self.parameters)

    def is_sealed(self, split: str, by_article: bool) -> bool:
        """Tell whether it withholds pairs of a split."""
        sealed = self.sealed
        return sealed is not None and sealed.by_article == by_article and split in (SPLITS[TEST], ALL)

    @property
    def files(self) -> dict[str, dict[str, Any]]:
        """Name of each file → its `bytes` and `sha256`, as the manifest has them."""
        return self.manifest["files"]

    @property
    def statistics(self) -> dict[str, Any]:
        """The content of `stats.json`."""
        return json.loads(self.path(STATISTICS).read_text(encoding="utf-8"))

    @property
    def configs(self) -> list[str]:
        """The names of its configurations."""
        return [
            config.name
            for config in CONFIGS
            if any(name.startswith(f"{DATA}/{config.name}/") for name in self.files)
        ]

    def shards(self, config: str, split: str) -> list[str]:
        """List the files of a table in order, by their names within the release."""
        folder = f"{DATA}/{config}/"
        names = [name for name in self.files if name.startswith(folder)]
        return sorted(
            name for name in names if (shard := parse_shard(name.removeprefix(folder))) and shard[0] == split
        )

    def download(self, names: list[str]) -> None:
        """Fetch files of a release on the Hub that are not yet in the cache; do nothing for a folder."""
        if self.revision is not None:
            download(self.id, self.revision, names)

    def path(self, name: str) -> Path:
        """Find one of its files, downloading it if need be.

        Raises:
            ProofmatchError: If it is missing, or not as the manifest describes it.
        """
        if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
            raise ProofmatchError(f"{self.id} names {name!r}, which is outside of the release; do not use it")
        self.download([name])
        path = self.folder / name
        try:
            intact = self.files.get(name, {}).get("sha256") == sha256_of(path)
        except OSError as error:
            raise ProofmatchError(f"{path} cannot be read ({disk_reason(error)})") from None
        if not intact:
            raise ProofmatchError(
                f"{path} is not as {MANIFEST} describes it; run `proofmatch check {self.folder}` for details"
            )
        return path

    def table(self, config: str, split: str, columns: list[str] | None = None) -> pa.Table:
        """Read a table, or some of its columns; all splits together (`all`) come in the order of their ids.

        Raises:
            ProofmatchError: If the release has no such table, or its files differ from the manifest.
        """
        if split == ALL:
            identifier = next(name for one in CONFIGS if one.name == config for name in one.columns)
            wanted = columns and [*dict.fromkeys([*columns, identifier])]
            shards = [shard for split in SPLITS for shard in self.shards(config, split)]
            table = self._read_shards(config, ALL, shards, wanted).sort_by(identifier)
            return table.select(columns) if columns else table
        if split not in SPLITS:
            raise ProofmatchError(f"there is no split {split!r}; splits are {', '.join((*SPLITS, ALL))}")
        return self._read_shards(config, split, self.shards(config, split), columns)

    def _read_shards(self, config: str, split: str, shards: list[str], columns: list[str] | None) -> pa.Table:
        if not shards and self.is_sealed(split, config.endswith("_by_article")):
            raise ProofmatchError(f"{self.id} is sealed: it has no {split} split in {config}")
        if not shards:
            raise ProofmatchError(
                f"{self.id} has no split {split!r} in {config}; splits are {', '.join(SPLITS)}"
            )
        self.download(shards)
        paths = [self.path(name) for name in shards]
        try:
            table = pa.concat_tables([pq.read_table(path, columns=columns) for path in paths])
        except (OSError, pa.ArrowInvalid) as error:
            raise ProofmatchError(
                f"{paths[0]} cannot be read ({error}); run `proofmatch check {self.folder}` for details"
            ) from None
        if not table.num_rows:
            raise ProofmatchError(f"{config}, {split} of {self.id} has no rows; there is nothing to evaluate")
        return table

    def verify(self) -> None:
        """Check that all files are there, with the hashes of the manifest.

        Raises:
            ProofmatchError: If one is not.
        """
        self.download(list(self.files))
        for name in self.files:
            self.path(name)

    def check_sizes(self) -> None:
        """Check quickly that all files of a folder are there, with the sizes of the manifest.

        Raises:
            ProofmatchError: If one is not.
        """
        for name, file in self.files.items():
            path = self.folder / name
            if not path.is_file() or path.stat().st_size != file.get("bytes"):
                raise ProofmatchError(
                    f"{path} is missing or not as {MANIFEST} describes it; "
                    f"run `proofmatch check {self.folder}` for details"
                )

    @property
    def tables_sha256(self) -> str:
        """A hash of its tables, independent of the card."""
        hashes = sorted(
            (name, file.get("sha256")) for name, file in self.files.items() if name.startswith(f"{DATA}/")
        )
        return hashlib.sha256(json.dumps(hashes).encode()).hexdigest()


def open_release(data: str | Path) -> Release:
    """Open a release.

    Args:
        data: A release folder, or `OWNER/NAME` or `OWNER/NAME@REVISION` on the Hub.

    Raises:
        ProofmatchError: If there is no such release.
    """
    folder, revision, name = Path(data), None, str(data)
    if folder.is_dir():
        name = folder.absolute().name
    elif name.count("/") == 1 and not name.startswith((".", "/", "~")):
        name, _, wanted = name.partition("@")
        folder = download(name, wanted or None, [MANIFEST])
        revision = folder.name
    else:
        raise NotFoundError(f"{data} is neither a release folder nor OWNER/NAME of one on the Hub")
    try:
        manifest = read_manifest(folder)
        if manifest is None:
            raise ProofmatchError(
                f"{data} is not a complete release: it has no {MANIFEST}; finish the command that makes it"
            )
        return Release(name, folder, manifest, sha256_of(folder / MANIFEST), revision)
    except OSError as error:
        raise ProofmatchError(f"{data} cannot be read ({disk_reason(error)})") from None


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """Read the manifest of a release, or return None if the folder has none.

    Raises:
        ProofmatchError: If it is not the manifest of a release.
    """
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        files = {str(name): dict(file) for name, file in manifest["files"].items()}
        parameters = dict(manifest["parameters"])
        Seal.from_parameters(parameters)
        version = int(manifest.get("schema_version", 1))
        if version > SCHEMA_VERSION:
            raise ProofmatchError(
                f"{folder} has schema version {version}, of a newer proofmatch; upgrade to open it"
            )
        return {"schema_version": version, "parameters": parameters, "files": files}
    except FileNotFoundError:
        return None
    except ProofmatchError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ProofmatchError(
            f"{folder / MANIFEST} is not the manifest of a release; choose another folder"
        ) from None


def write_manifest(folder: Path, parameters: dict[str, Any], known_hashes: dict[str, str]) -> None:
    """Write the manifest of all files in a folder.

    Args:
        folder: The folder.
        parameters: Everything that determined the content.
        known_hashes: SHA-256 of files that were hashed when they were written; the others are hashed now.
    """
    files = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = path.relative_to(folder).as_posix()
        sha256 = known_hashes.get(name) or sha256_of(path)
        files[name] = {"bytes": path.stat().st_size, "sha256": sha256}
    manifest = {"schema_version": SCHEMA_VERSION, "parameters": parameters, "files": files}
    text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
    (folder / MANIFEST).write_text(text, encoding="utf-8")


def origin(parameters: dict[str, Any]) -> dict[str, Any]:
    """Follow a variant, and a variant of a variant, back to the release that was built or imported."""
    while "variant_of" in parameters:
        parameters = parameters["variant_of"]
    return parameters


load_release = open_release  # exported as `proofmatch.load_release`
