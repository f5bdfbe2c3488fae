"""The release that a system is judged on: a folder, or a dataset repository on the Hub."""

from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from proofmatch.errors import ProofmatchError, first_line
from proofmatch.storage import sha256_of

from ..builder.release.manifest import MANIFEST, read_manifest

SPLITS = ("train", "validation", "test")


@dataclass(frozen=True, slots=True)
class Release:
    """An opened release.

    Attributes:
        id: The name of its folder, or its `OWNER/NAME`.
        folder: Where its files are, as far as they have been needed.
        manifest_sha256: Tells releases of the same name apart.
        revision: The commit on the Hub, None for a folder.
        hashes: What the manifest says of every file.
    """

    id: str
    folder: Path
    manifest_sha256: str
    revision: str | None = None
    hashes: dict[str, str] = field(default_factory=dict)

    def table(self, config: str, split: str, columns: list[str] | None = None) -> pa.Table:
        """Read a table, or some of its columns.

        Raises:
            ProofmatchError: If the release has no such table.
        """
        if split not in SPLITS:
            raise ProofmatchError(f"there is no split {split!r}; splits are {', '.join(SPLITS)}")
        pattern = f"data/{config}/{split}-*.parquet"
        if self.revision is not None:
            _download(self.id, self.revision, [pattern])
        files = sorted(self.folder.glob(pattern))
        if not files:
            raise ProofmatchError(
                f"{self.id} has no split {split!r} in {config}; splits are {', '.join(SPLITS)}"
            )
        for path in files:
            self._check_hash(path)
        try:
            table = pa.concat_tables([pq.read_table(path, columns=columns) for path in files])
        except (OSError, pa.ArrowInvalid) as error:
            raise ProofmatchError(
                f"{self.folder / pattern} cannot be read ({error}); see what `proofmatch check` says"
            ) from None
        if not table.num_rows:
            raise ProofmatchError(f"{config}, {split} of {self.id} has no rows; there is nothing to evaluate")
        return table

    def _check_hash(self, path: Path) -> None:
        """Refuse a table that is not the one of the manifest, by which results name the release."""
        name = path.relative_to(self.folder).as_posix()
        if self.hashes.get(name) != sha256_of(path):
            raise ProofmatchError(
                f"{path} is not as {MANIFEST} describes it, so that results would be of another release; "
                f"see what `proofmatch check {self.folder}` says"
            )


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
    elif str(data).count("/") == 1 and not str(data).startswith((".", "/", "~")):
        name, _, wanted = str(data).partition("@")
        folder = _download(name, wanted or None, [MANIFEST])
        revision = folder.name
    else:
        raise ProofmatchError(f"{data} is neither a release folder nor OWNER/NAME of one on the Hub")
    try:
        manifest = read_manifest(folder)
        if manifest is None:
            raise ProofmatchError(f"{data} is not a complete release: it has no {MANIFEST}")
        hashes = {file: described.get("sha256", "") for file, described in manifest["files"].items()}
        return Release(name, folder, sha256_of(folder / MANIFEST), revision, hashes)
    except OSError as error:
        raise ProofmatchError(f"{data} cannot be read ({error.strerror or error})") from None


def _download(repo_id: str, revision: str | None, patterns: list[str]) -> Path:
    """Fetch files of a dataset repository into the Hub's cache, as far as they are not there."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    try:
        folder = snapshot_download(repo_id, repo_type="dataset", revision=revision, allow_patterns=patterns)
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError) as error:
        # The client's own words go on for a paragraph.
        reason = "not found" if "Not Found" in str(error) else first_line(error)
        raise ProofmatchError(
            f"{repo_id}{f' at {revision}' if revision else ''} cannot be fetched from the Hub ({reason}); "
            "check the name, the network and, for a private dataset, HF_TOKEN"
        ) from None
    return Path(folder)
