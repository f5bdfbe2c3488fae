"""Publishes the site as a static Space on the Hugging Face Hub."""

from pathlib import Path

from proofmatch.errors import ProofmatchError
from proofmatch.hub import Destination, LocalFile, PushReport, local_file, push

from .document import DOCUMENT
from .site import written_before


def push_site(site: Path, repo_id: str, *, private: bool = False, dry_run: bool = False) -> PushReport:
    """Upload a site, in one commit that has what changed.

    Args:
        site: The folder that `make_leaderboard` wrote.
        repo_id: `OWNER/NAME` of the Space, which is created if it does not exist.
        private: Create a private Space, and refuse a public one.
        dry_run: Only find out what would be done.

    Raises:
        ProofmatchError: If there is no site, the Hub cannot be reached, or it refuses.
        CheckFailed: If the Hub then has something else than the site.
    """
    destination = Destination(
        repo_id=repo_id,
        repo_type="space",
        content="site",
        listing=DOCUMENT,
        message="Update the leaderboard",
        private=private,
        dry_run=dry_run,
        space_sdk="static",
    )
    return push(_read_site(site), destination)


def _read_site(site: Path) -> list[LocalFile]:
    names = sorted(written_before(site))
    files = [local_file(site, name) for name in names]
    if not names or None in files:
        raise ProofmatchError(f"{site} is not a whole site; make it with `proofmatch leaderboard` first")
    return [file for file in files if file is not None]
