"""Publishes a release as a dataset repository on the Hugging Face Hub."""

from functools import partial
from pathlib import Path

from .kinds import DATASET
from .local import read_release
from .publish import publish
from .report import PushReport

_USE = 'load_dataset("{repo_id}", "pairs", revision="{revision}")'


def push_release(
    release: str | Path,
    repo_id: str,
    *,
    tag: str | None = None,
    private: bool = False,
    dry_run: bool = False,
    message: str | None = None,
) -> PushReport:
    """Upload a release, in one commit that holds what changed.

    Args:
        release: The release folder.
        repo_id: `OWNER/NAME` of the dataset repository, which is made if there is none.
        tag: A name for the commit that holds the release. Tags never move.
        private: Whether a new repository is seen by its owners only; a public one is then refused.
        dry_run: Only find out what would be done.
        message: First line of the commit's message.

    Raises:
        ProofmatchError: If the release is damaged, the Hub cannot be reached, or it refuses.
        CheckFailed: If what the Hub holds afterwards is not the release.
    """
    return publish(
        partial(read_release, Path(release)),
        repo_id,
        DATASET,
        tag=tag,
        private=private,
        dry_run=dry_run,
        message=message or (f"Release {tag}" if tag else "Upload the release"),
        use=_USE,
    )
