"""Publishes a release as a dataset repository on the Hugging Face Hub."""

import tempfile
from pathlib import Path, PurePosixPath
from typing import Any

from proofmatch.errors import ProofmatchError
from proofmatch.hub import Destination, LocalFile, PushReport, local_file, push
from proofmatch.progress import Progress

from .benchmark import EVAL_FILE, eval_yaml
from .release import open_release
from .schema import MANIFEST

_USAGE = 'load_dataset("{repo_id}", "pairs", revision="{revision}")'
# Parts of paths that lead out of the release, or that the Hub reserves.
_FORBIDDEN_PARTS = {"..", ".git", ".cache"}


def push_release(
    release: str | Path,
    repo_id: str,
    *,
    tag: str | None = None,
    private: bool = False,
    dry_run: bool = False,
    message: str | None = None,
) -> PushReport:
    """Upload the files of a release that changed, and `eval.yaml`, in one commit.

    Args:
        release: The release folder.
        repo_id: `OWNER/NAME` of the dataset repository, which is created if it does not exist.
        tag: A tag for the commit. Existing tags are never moved.
        private: Create a private repository, and refuse a public one.
        dry_run: Only report what would be done.
        message: First line of the commit's message.

    Raises:
        ProofmatchError: If the release is damaged, the Hub cannot be reached, or it refuses.
        CheckFailed: If the files on the Hub differ from the release after the upload.
    """
    destination = Destination(
        repo_id=repo_id,
        repo_type="dataset",
        content="release",
        listing=MANIFEST,
        message=message or (f"Release {tag}" if tag else "Upload the release"),
        tag=tag,
        private=private,
        dry_run=dry_run,
        usage=_USAGE,
    )
    files = _verified_files(Path(release))
    with tempfile.TemporaryDirectory() as scratch:
        (Path(scratch) / EVAL_FILE).write_text(eval_yaml(open_release(release)), encoding="utf-8")
        registration = local_file(Path(scratch), EVAL_FILE)
        return push([*files, *([registration] if registration else [])], destination)


def _verified_files(release: Path) -> list[LocalFile]:
    """List the files of a release and its manifest, after comparing sizes and hashes with the manifest."""
    files, faults = [], []
    with Progress("checking release", "files") as progress:
        for name, entry in sorted(_listed(release).items()):
            file = local_file(release, name)
            if file is None:
                faults.append(f"{name} is missing")
            elif (file.size, file.sha256) != (entry.get("bytes"), entry.get("sha256")):
                faults.append(f"{name} is not as {MANIFEST} describes it")
            else:
                files.append(file)
            progress.summary = f"{len(files):,} intact"
            progress.advance()
        progress.summary = f"{len(files):,} files are as {MANIFEST} describes them"
        if faults:
            others = f" (and {len(faults) - 1:,} more files)" if len(faults) > 1 else ""
            raise ProofmatchError(
                f"{release} is not a complete release: {faults[0]}{others}; restore it or build it again"
            )
    manifest = local_file(release, MANIFEST)
    return [*files, *([manifest] if manifest else [])]


def _listed(folder: Path) -> dict[str, dict[str, Any]]:
    """Read what the manifest lists, and refuse names that could reach other files."""
    if not folder.is_dir():
        raise ProofmatchError(f"{folder} is not a release folder; run `proofmatch build` first")
    files = open_release(folder).files
    if not files:  # a push would delete everything
        raise ProofmatchError(f"{folder / MANIFEST} lists no files; build the release again")
    for name in files:
        path = PurePosixPath(name)
        if (
            path.is_absolute()
            or _FORBIDDEN_PARTS & set(path.parts)
            or str(path) != name
            or name in (MANIFEST, EVAL_FILE)
        ):
            raise ProofmatchError(
                f"{folder / MANIFEST} names {name!r}, which cannot be part of a release; "
                "build the release again"
            )
    return files
