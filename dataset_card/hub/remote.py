"""What a repository on the Hub holds."""

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .kinds import Kind

if TYPE_CHECKING:
    from huggingface_hub import HfApi

_SECONDS_TO_ANSWER = 30.0


@dataclass(frozen=True)
class RemoteFile:
    """A file in the repository; large ones have a `sha256`."""

    name: str
    size: int
    git_blob_id: str
    sha256: str | None


@dataclass(frozen=True)
class Repository:
    """The repository at the head of its main branch.

    Attributes:
        commit: The head.
        private: Whether only its owners see it.
        files: What it holds, by name.
        released: Names of the files that an earlier push of ours has put there, if any.
        tags: The commit of every tag.
        branches: Names of the branches.
    """

    commit: str
    private: bool
    files: dict[str, RemoteFile]
    released: frozenset[str]
    tags: dict[str, str]
    branches: frozenset[str]


def read_repository(api: "HfApi", repo_id: str, kind: Kind) -> Repository | None:
    """Look at a repository; None if there is none, or none that the token may see."""
    from huggingface_hub.errors import RepositoryNotFoundError

    try:
        info = api.repo_info(repo_id, repo_type=kind.repo_type, timeout=_SECONDS_TO_ANSWER)
    except RepositoryNotFoundError:
        return None
    commit = info.sha or ""
    files = read_files(api, repo_id, kind, commit)
    refs = api.list_repo_refs(repo_id, repo_type=kind.repo_type)
    return Repository(
        commit=commit,
        private=bool(info.private),
        files=files,
        released=_listed(api, repo_id, kind, commit) if kind.listing in files else frozenset(),
        tags={tag.name: tag.target_commit for tag in refs.tags},
        branches=frozenset(branch.name for branch in refs.branches),
    )


def read_files(api: "HfApi", repo_id: str, kind: Kind, commit: str) -> dict[str, RemoteFile]:
    """List the files of a commit."""
    from huggingface_hub.hf_api import RepoFile

    entries = api.list_repo_tree(repo_id, recursive=True, revision=commit, repo_type=kind.repo_type)
    return {
        entry.path: RemoteFile(entry.path, entry.size, entry.blob_id, entry.lfs.sha256 if entry.lfs else None)
        for entry in entries
        if isinstance(entry, RepoFile)
    }


def _listed(api: "HfApi", repo_id: str, kind: Kind, commit: str) -> frozenset[str]:
    with tempfile.TemporaryDirectory() as folder:
        path = api.hf_hub_download(
            repo_id, kind.listing, repo_type=kind.repo_type, revision=commit, local_dir=folder
        )
        try:
            return frozenset(json.loads(Path(path).read_text(encoding="utf-8"))["files"]) | {kind.listing}
        except (ValueError, KeyError, TypeError):
            return frozenset()  # somebody else's file of that name
