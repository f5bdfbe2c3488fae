"""Downloads from the Hugging Face Hub to the local cache: one revision, complete files, nothing twice."""

import time
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

from .errors import ProofmatchError
from .hub_client import (
    TIMEOUT,
    TOKEN_PAGE,
    explain_other,
    failures_in_words,
    find_token,
    format_size,
    http_errors,
    is_content_of,
    list_files,
    open_api,
    quoted_answer,
    without_addresses_in_logs,
)
from .progress import Progress
from .storage import disk_reason, sha256_of

if TYPE_CHECKING:
    from huggingface_hub.errors import HfHubHTTPError
    from huggingface_hub.hf_api import RepoFile

_ATTEMPTS = 4  # at a download whose connection is reset


def download(
    repo_id: str,
    revision: str | None,
    patterns: list[str],
    repo_type: Literal["dataset", "model", "space"] = "dataset",
) -> Path:
    """Fetch the files that match a pattern to the Hub's cache; the name of their folder is the commit.

    Raises:
        ProofmatchError: If they cannot be fetched.
    """
    from huggingface_hub import snapshot_download

    token = find_token(required=False)
    with without_addresses_in_logs(), failures_in_words(token, _Download(repo_id, repo_type, revision)):
        folder = snapshot_download(repo_id, repo_type=repo_type, revision=revision, allow_patterns=patterns)
    return Path(folder)


@dataclass(frozen=True)
class DatasetListing:
    """The files of a dataset repository at one commit."""

    repo_id: str
    commit: str
    files: dict[str, "RepoFile"]
    token: str | None = field(default=None, repr=False)

    def failures_in_words(self) -> AbstractContextManager[None]:
        """Turn failures of downloads into one sentence with the remedy."""
        return failures_in_words(self.token, _Download(self.repo_id, "dataset", self.commit))


def list_dataset(repo_id: str, revision: str | None = None, token: str | None = None) -> DatasetListing:
    """List the files of a dataset at a branch, tag or commit; by default, at the head of its main branch.

    Args:
        repo_id: The dataset.
        revision: The branch, tag or commit.
        token: The token to use instead of the configured one.

    Raises:
        ProofmatchError: If the Hub cannot be reached, or refuses the request.
    """
    token = token or find_token(required=False)
    api = open_api(token)
    with without_addresses_in_logs(), failures_in_words(token, _Download(repo_id, "dataset", revision)):
        commit = api.repo_info(repo_id, repo_type="dataset", revision=revision, timeout=TIMEOUT).sha or ""
        return DatasetListing(repo_id, commit, list_files(api, repo_id, "dataset", commit), token)


def download_files(listing: DatasetListing, names: list[str]) -> list[Path]:
    """Fetch files of a dataset to the Hub's cache, unless they are there; compare each with its hash.

    After a broken connection, the client resumes the download of a file, or we download the file again.

    Raises:
        ProofmatchError: If one cannot be fetched, or is damaged.
    """
    sizes = [listing.files[name].size for name in names]
    paths: list[Path] = []
    with Progress("downloading", "files", len(names)) as progress:
        for number, name in enumerate(names, start=1):
            progress.summary = f"{name}, {format_size(sizes[number - 1])}"
            paths.append(_download_file(listing, name))
            check_download(listing, name, paths[-1])
            progress.advance()
        progress.summary = (
            f"{len(names)} files, {format_size(sum(sizes))}, of {listing.repo_id} at {listing.commit}"
        )
    return paths


def _download_file(listing: DatasetListing, name: str) -> Path:
    api = open_api(listing.token)
    with without_addresses_in_logs(), listing.failures_in_words():
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                return Path(
                    api.hf_hub_download(listing.repo_id, name, repo_type="dataset", revision=listing.commit)
                )
            except http_errors() as error:
                # The client itself continues after an orderly end of the connection, not after a reset.
                if hasattr(error, "response") or attempt == _ATTEMPTS:
                    raise
                time.sleep(attempt)
    raise AssertionError("unreachable")


def check_download(listing: DatasetListing, name: str, path: Path) -> None:
    """Compare a downloaded file with the Hub's description of it.

    Raises:
        ProofmatchError: If it differs.
    """
    try:
        is_same = is_content_of(path, sha256_of(path), listing.files[name])
    except OSError as error:
        raise ProofmatchError(f"{path} cannot be read ({disk_reason(error)})") from None
    if not is_same:
        raise ProofmatchError(
            f"{path.resolve()} is not {name} of {listing.repo_id} as the Hub describes it; delete it, and "
            "run the same command again"
        )


@dataclass(frozen=True)
class _Download:
    """A download, as error messages describe it."""

    repo_id: str
    repo_type: str
    revision: str | None
    done: ClassVar[str] = "downloaded"
    retry: ClassVar[str] = "run the same command again: complete files are not downloaded again"

    def explain_status(self, error: "HfHubHTTPError") -> str:
        """Say what the Hub refuses, and the remedy."""
        from huggingface_hub import constants
        from huggingface_hub.errors import (
            EntryNotFoundError,
            GatedRepoError,
            RepositoryNotFoundError,
            RevisionNotFoundError,
        )

        status, what = error.response.status_code, f"{self.repo_type} {self.repo_id}"
        page = (
            f"{constants.ENDPOINT}/{'' if self.repo_type == 'model' else f'{self.repo_type}s/'}{self.repo_id}"
        )
        log_in = "run `hf auth login` or set HF_TOKEN"
        if isinstance(error, GatedRepoError):
            known = "with the account of your token, " if status == 403 else f"then {log_in}, "
            return f"the {what} is gated: accept its terms at {page}, {known}and run the same command again"
        if isinstance(error, RepositoryNotFoundError):
            return (
                f"there is no {what} on the Hub that you may see; check the name, and if it is private, "
                f"{log_in}"
            )
        if isinstance(error, RevisionNotFoundError):
            return f"the {what} has no revision {self.revision}; give a branch, a tag or a commit of {page}"
        if isinstance(error, EntryNotFoundError):
            return f"the {what} has no such file{quoted_answer(error)}; check it at {page}"
        if status in (401, 403):
            return (
                f"the Hub refuses the token{quoted_answer(error)}; make one that may read the {what} at "
                f"{TOKEN_PAGE}, and {log_in}"
            )
        return explain_other(error, self.repo_id, self.retry)
