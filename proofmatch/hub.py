"""A folder → a repository on the Hugging Face Hub: what changed, upload, tag, verify.

A push compares the local files with the repository, uploads the difference in one commit, and reads back the
hashes that the Hub then has. Large files are sent before the commit and stay with the Hub if it fails, so
the same command resumes a push that was interrupted.
"""

import json
import re
import tempfile
from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

from . import __version__
from .errors import CheckFailed, ProofmatchError
from .hub_client import (
    TIMEOUT,
    TOKEN_PAGE,
    check_repository_name,
    explain_other,
    failures_in_words,
    find_token,
    format_size,
    is_content_of,
    list_files,
    open_api,
    quoted_answer,
    without_addresses_in_logs,
)
from .storage import sha256_of

if TYPE_CHECKING:
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError
    from huggingface_hub.hf_api import RepoFile

_TAG = re.compile(r"(?!.*\.\.)[A-Za-z0-9_][A-Za-z0-9._+-]*(?<!\.)(?<!\.lock)")  # what git allows, without "/"


@dataclass(frozen=True)
class LocalFile:
    """A file to push; `name` is its path in the folder and in the repository."""

    name: str
    path: Path
    size: int
    sha256: str

    def is_same_as(self, remote: "RepoFile") -> bool:
        """Compare with a file on the Hub."""
        return self.size == remote.size and is_content_of(self.path, self.sha256, remote)


def local_file(folder: Path, name: str) -> LocalFile | None:
    """Measure and hash a file; None if there is no file of that name."""
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()):
        raise ProofmatchError(
            f"{path} is a link to a file outside of the folder; replace the link with the file"
        )
    try:
        return LocalFile(name, path, path.stat().st_size, sha256_of(path))
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except OSError as error:
        raise ProofmatchError(f"{path} cannot be read ({error.strerror}); fix that first") from None


@dataclass(frozen=True, kw_only=True)
class Destination:
    """Where a folder is pushed to, and how. Invalid names and missing tokens are refused at once."""

    repo_id: str  # OWNER/NAME, created if it does not exist
    repo_type: Literal["dataset", "model", "space"]
    content: str  # what messages call the pushed files, such as `release`
    listing: str  # the pushed file that lists all of them under `files`; other files are never deleted
    message: str  # first line of the commit's message
    tag: str | None = None  # for the commit; tags never move
    private: bool = False  # create a private repository, and refuse a public one
    dry_run: bool = False  # only find out what would be done
    space_sdk: str | None = None
    usage: str | None = None  # how to use what was pushed, with places for `repo_id` and `revision`

    def __post_init__(self) -> None:
        check_repository_name(self.repo_id)
        if self.tag == "main":
            raise ProofmatchError("main is a branch, the one that is pushed to; choose another --tag")
        if self.tag is not None and not _TAG.fullmatch(self.tag):
            raise ProofmatchError(
                f"{self.tag!r} is not a valid --tag; write one like v1.0, with letters, digits and '.-_+'"
            )
        find_token(required=not self.dry_run)


@dataclass(frozen=True)
class Plan:
    """Files, grouped by what the push does with them."""

    added: list[LocalFile] = field(default_factory=list)
    changed: list[LocalFile] = field(default_factory=list)
    unchanged: list[LocalFile] = field(default_factory=list)
    deleted: list["RepoFile"] = field(default_factory=list)

    @property
    def uploads(self) -> list[LocalFile]:
        """The files to upload."""
        return [*self.added, *self.changed]

    @property
    def is_empty(self) -> bool:
        """Whether the repository has all files already."""
        return not (self.added or self.changed or self.deleted)


@dataclass(frozen=True)
class PushReport:
    """The outcome of a push or of a dry run."""

    destination: Destination
    url: str  # the repository's web page
    private: bool
    created: bool  # whether the repository is new
    plan: Plan
    commit: str | None  # the commit that has the files, if there is one yet

    def describe(self) -> str:
        """Say what was done and how to use the result."""
        to, plan = self.destination, self.plan
        visibility = "private" if self.private else "public"
        lines = [f"{to.repo_id} ({visibility} {to.repo_type}{', new' if self.created else ''})"]
        lines += [f"  add     {file.name} ({format_size(file.size)})" for file in plan.added]
        lines += [f"  change  {file.name} ({format_size(file.size)})" for file in plan.changed]
        lines += [f"  delete  {file.path} ({format_size(file.size)})" for file in plan.deleted]
        summary = f"The repository holds this {to.content} already: no commit is needed."
        if not plan.is_empty:
            size = format_size(sum(file.size for file in plan.uploads))
            upload, delete = ("To upload", "to delete") if to.dry_run else ("Uploaded", "deleted")
            summary = (
                f"{upload}: {len(plan.uploads):,} files ({size}); {delete}: {len(plan.deleted):,}; "
                f"unchanged: {len(plan.unchanged):,}."
            )
        lines.append(f"{summary} Tag: {to.tag}." if to.tag else summary)
        if self.private and not to.private:
            lines.append(
                "The repository is private, though --private was not given; its settings can change that."
            )
        if to.dry_run:
            return "\n".join([*lines, "Nothing was sent: this was a dry run."])
        revision = to.tag or self.commit
        lines.append(f"{self.url}/tree/{revision}")
        if to.usage is not None:
            lines.append(to.usage.format(repo_id=to.repo_id, revision=revision))
        return "\n".join(lines)


def push(files: Sequence[LocalFile], to: Destination) -> PushReport:
    """Upload what changed in one commit, verify it, and tag it.

    Raises:
        ProofmatchError: If the Hub cannot be reached, or refuses the request.
        CheckFailed: If the files on the Hub then differ from those that were sent.
    """
    token = find_token(required=not to.dry_run)
    api = open_api(token)
    with without_addresses_in_logs(), failures_in_words(token, _Push(to.repo_id)):
        repository = _read_repository(api, to)
        created = repository is None
        plan = _compare(files, repository.files, repository.pushed) if repository else Plan(list(files))
        _check_repository(to, repository, plan)
        _check_card(to, plan)
        if repository is None and not to.dry_run:
            api.create_repo(to.repo_id, repo_type=to.repo_type, space_sdk=to.space_sdk, private=to.private)
            repository = _read_repository(api, to)
            if repository is None:
                raise ProofmatchError(
                    f"{to.repo_id} was created but cannot be seen; check it on its web page"
                )
            plan = _compare(files, repository.files, repository.pushed)
            _check_repository(to, repository, plan)  # an organisation may have its own rules for new ones
        commit = repository.commit if repository else None
        if repository and not to.dry_run:
            if not plan.is_empty:
                commit = _upload(api, to, repository.commit, plan)
            if to.tag is not None and to.tag not in repository.tags:
                api.create_tag(to.repo_id, tag=to.tag, revision=commit, repo_type=to.repo_type)
    private = repository.private if repository else to.private
    url = f"{api.endpoint}/{'' if to.repo_type == 'model' else f'{to.repo_type}s/'}{to.repo_id}"
    return PushReport(to, url, private, created, plan, commit)


@dataclass(frozen=True)
class _Push:
    """A push, as error messages describe it."""

    repo_id: str
    done: ClassVar[str] = "sent"
    retry: ClassVar[str] = "run the same command again: files that have arrived are not sent again"

    def explain_status(self, error: "HfHubHTTPError") -> str:
        """Say what the Hub refuses, and the remedy."""
        from huggingface_hub.errors import RepositoryNotFoundError

        answer = quoted_answer(error)
        if isinstance(error, RepositoryNotFoundError):
            return (
                f"the token may not see {self.repo_id}{answer}; "
                "use a token of an account that may write to it"
            )
        remedies = {
            401: f"the Hub refuses the token{answer}; make one with write permission at {TOKEN_PAGE} and "
            "set HF_TOKEN or run `hf auth login`",
            403: f"the token may not write to {self.repo_id}{answer}; use one with write permission, of an "
            f"account that may ({TOKEN_PAGE})",
            409: f"{self.repo_id} was changed at the same time{answer}; run the same command again",
            412: f"somebody else changed {self.repo_id} at the same time; {self.retry}",
        }
        other = explain_other(error, self.repo_id, self.retry)
        return remedies.get(error.response.status_code, other)


@dataclass(frozen=True)
class _Repository:
    """A repository at the head of its main branch."""

    commit: str
    private: bool
    files: dict[str, "RepoFile"]
    pushed: Set[str]  # names of the files that an earlier push put there
    tags: dict[str, str]  # tag → commit
    branches: Set[str]


def _read_repository(api: "HfApi", to: Destination) -> _Repository | None:
    """Read the state of the repository; None if it does not exist, or the token may not see it."""
    from huggingface_hub.errors import RepositoryNotFoundError

    try:
        info = api.repo_info(to.repo_id, repo_type=to.repo_type, timeout=TIMEOUT)
    except RepositoryNotFoundError:
        return None
    commit = info.sha or ""
    files = list_files(api, to.repo_id, to.repo_type, commit)
    refs = api.list_repo_refs(to.repo_id, repo_type=to.repo_type)
    return _Repository(
        commit=commit,
        private=bool(info.private),
        files=files,
        pushed=_read_listing(api, to, commit) if to.listing in files else frozenset(),
        tags={tag.name: tag.target_commit for tag in refs.tags},
        branches={branch.name for branch in refs.branches},
    )


def _read_listing(api: "HfApi", to: Destination, commit: str) -> Set[str]:
    with tempfile.TemporaryDirectory() as folder:
        path = api.hf_hub_download(
            to.repo_id, to.listing, repo_type=to.repo_type, revision=commit, local_dir=folder
        )
        try:
            return {*json.loads(Path(path).read_text(encoding="utf-8"))["files"], to.listing}
        except (ValueError, KeyError, TypeError):
            return frozenset()  # a file of that name that we did not write


def _compare(files: Sequence[LocalFile], there: dict[str, "RepoFile"], pushed: Set[str]) -> Plan:
    plan = Plan()
    for file in files:
        remote = there.get(file.name)
        fate = plan.added if remote is None else plan.unchanged if file.is_same_as(remote) else plan.changed
        fate.append(file)
    gone = pushed - {file.name for file in files}
    plan.deleted.extend(there[name] for name in sorted(gone & there.keys()))
    return plan


def _check_repository(to: Destination, repository: _Repository | None, plan: Plan) -> None:
    """Refuse to push private content to a public repository, and to move an existing tag."""
    if repository is None:
        return
    if to.private and not repository.private:
        raise ProofmatchError(
            f"{to.repo_id} is public, but --private was given; make it private in its settings, leave out "
            "--private, or choose another name"
        )
    if to.tag in repository.branches:
        raise ProofmatchError(f"{to.tag} is a branch of {to.repo_id}; choose another --tag")
    tagged = repository.tags.get(to.tag or "")
    if tagged is not None and (not plan.is_empty or tagged != repository.commit):
        raise ProofmatchError(
            f"the tag {to.tag} of {to.repo_id} names another commit ({tagged[:12]}), and tags never move; "
            "choose another --tag"
        )


def _check_card(to: Destination, plan: Plan) -> None:
    """Have the Hub validate a new card now: `create_commit` does so only once the repository exists."""
    from huggingface_hub import RepoCard

    for file in plan.uploads:
        if file.name == "README.md":
            try:
                RepoCard(file.path.read_text(encoding="utf-8")).validate(repo_type=to.repo_type)
            except ValueError as error:
                faults = "; ".join(str(error).split("\n"))
                raise ProofmatchError(
                    f"the Hub does not accept the metadata of {file.path}: {faults}; make it again"
                ) from None


def _upload(api: "HfApi", to: Destination, parent: str, plan: Plan) -> str:
    """Make the commit, verify it, and return its id."""
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete

    additions = [CommitOperationAdd(file.name, str(file.path)) for file in plan.uploads]
    for addition, file in zip(additions, plan.uploads, strict=True):
        addition.upload_info.sha256 = bytes.fromhex(file.sha256)  # saves the client from reading it all again
    deletions = [CommitOperationDelete(file.path, is_folder=False) for file in plan.deleted]
    commit = api.create_commit(
        to.repo_id,
        [*additions, *deletions],
        commit_message=to.message,
        commit_description=f"Pushed by proofmatch {__version__}.",
        repo_type=to.repo_type,
        parent_commit=parent,
    ).oid
    deleted = {file.path for file in plan.deleted}
    left = _compare(
        [*plan.uploads, *plan.unchanged], list_files(api, to.repo_id, to.repo_type, commit), deleted
    )
    faults = [f"{file.name} is missing (does a .gitignore exclude it?)" for file in left.added]
    faults += [f"{file.name} is damaged" for file in left.changed]
    faults += [f"{file.path} was not deleted" for file in left.deleted]
    if faults:
        others = f" (and {len(faults) - 1:,} more)" if len(faults) > 1 else ""
        raise CheckFailed(
            f"commit {commit} of {to.repo_id} does not hold the {to.content}: {faults[0]}{others}; "
            "nothing was tagged; run the same command again"
        )
    return commit
