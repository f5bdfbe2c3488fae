"""The site as a static Space on the Hugging Face Hub."""

from functools import partial
from pathlib import Path

from proofmatch.errors import ProofmatchError

from ...dataset_card.hub.kinds import Kind
from ...dataset_card.hub.local import LocalFile, measure_file
from ...dataset_card.hub.publish import publish
from ...dataset_card.hub.report import PushReport
from .document import DOCUMENT
from .site import written_before

SPACE = Kind("space", "site", DOCUMENT, sdk="static")


def push_site(site: Path, repo_id: str, *, private: bool = False, dry_run: bool = False) -> PushReport:
    """Upload a site, in one commit that holds what changed.

    Args:
        site: The folder that `make_leaderboard` wrote.
        repo_id: `OWNER/NAME` of the Space, which is made if there is none.
        private: Whether a new Space is seen by its owners only; a public one is then refused.
        dry_run: Only find out what would be done.

    Raises:
        ProofmatchError: If there is no site, the Hub cannot be reached, or it refuses.
        CheckFailed: If what the Hub holds afterwards is not the site.
    """
    read_files = partial(_read_site, site)
    return publish(
        read_files, repo_id, SPACE, message="Update the leaderboard", private=private, dry_run=dry_run
    )


def _read_site(site: Path) -> list[LocalFile]:
    names = sorted(written_before(site))
    files = [measure_file(site, name) for name in names]
    if not names or None in files:
        raise ProofmatchError(f"{site} is not a whole site; make it with `proofmatch leaderboard` first")
    return [file for file in files if file is not None]
