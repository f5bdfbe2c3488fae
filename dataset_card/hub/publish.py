"""Brings a repository on the Hugging Face Hub up to date with files of ours."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from proofmatch.errors import ProofmatchError

from .client import discreet_client, make_client
from .failures import explained
from .kinds import Kind
from .local import LocalFile
from .names import check_repository_name, check_tag_name, find_token
from .plan import Plan, make_plan
from .remote import Repository, read_repository
from .report import PushReport
from .upload import check_arrival, check_card, upload

if TYPE_CHECKING:
    from huggingface_hub import HfApi


def publish(
    read_files: Callable[[], list[LocalFile]],
    repo_id: str,
    kind: Kind,
    *,
    message: str,
    tag: str | None = None,
    private: bool = False,
    dry_run: bool = False,
    use: str | None = None,
) -> PushReport:
    """Upload files, in one commit that holds what changed.

    Args:
        read_files: Lists the files, once the names are known to be good.
        repo_id: `OWNER/NAME` of the repository, which is made if there is none.
        kind: What kind of repository it is.
        message: First line of the commit's message.
        tag: A name for the commit that holds the files. Tags never move.
        private: Whether a new repository is seen by its owners only; a public one is then refused.
        dry_run: Only find out what would be done.
        use: How to use what was pushed, with places for `repo_id` and `revision`.

    Raises:
        ProofmatchError: If the files cannot be read, the Hub cannot be reached, or it refuses.
        CheckFailed: If what the Hub holds afterwards is not what was sent.
    """
    check_repository_name(repo_id)
    if tag is not None:
        check_tag_name(tag)
    token = find_token(required=not dry_run)
    files = read_files()
    api = make_client(token)
    with discreet_client(), explained(repo_id, token):
        repository = read_repository(api, repo_id, kind)
        created = repository is None
        plan = _plan(files, repository)
        _check_visibility(repo_id, repository, private)
        _check_tag(repo_id, repository, tag, plan)
        check_card(plan, kind)
        commit = repository.commit if repository else None
        if not dry_run:
            if repository is None:
                repository = _create(api, repo_id, kind, private)
                plan = _plan(files, repository)
            commit = _commit(api, repo_id, kind, repository, plan, tag, message)
    return PushReport(
        repo_id=repo_id,
        kind=kind,
        url=kind.page(api.endpoint, repo_id),
        private=repository.private if repository else private,
        created=created,
        plan=plan,
        commit=commit,
        tag=tag,
        dry_run=dry_run,
        note=_note(repository, private),
        use=use,
    )


def _plan(files: list[LocalFile], repository: Repository | None) -> Plan:
    if repository is None:
        return make_plan(files, {}, frozenset())
    return make_plan(files, repository.files, repository.released)


def _create(api: "HfApi", repo_id: str, kind: Kind, private: bool) -> Repository:
    api.create_repo(repo_id, repo_type=kind.repo_type, space_sdk=kind.sdk, private=private)
    repository = read_repository(api, repo_id, kind)
    if repository is None:
        raise ProofmatchError(f"{repo_id} was made but cannot be seen; check it on its web page")
    # An organisation may have rules of its own for new repositories.
    _check_visibility(repo_id, repository, private)
    return repository


def _commit(
    api: "HfApi",
    repo_id: str,
    kind: Kind,
    repository: Repository,
    plan: Plan,
    tag: str | None,
    message: str,
) -> str:
    """Bring the repository up to date, and return the commit that holds all files."""
    commit = repository.commit
    if not plan.is_empty:
        commit = upload(api, repo_id, kind, repository, plan, message)
        check_arrival(api, repo_id, kind, commit, plan)
    if tag is not None and tag not in repository.tags:
        api.create_tag(repo_id, tag=tag, revision=commit, repo_type=kind.repo_type)
    return commit


def _check_visibility(repo_id: str, repository: Repository | None, private: bool) -> None:
    if repository is not None and private and not repository.private:
        raise ProofmatchError(
            f"{repo_id} is public, but --private was asked for; make it private in its settings, leave "
            "--private out, or choose another name"
        )


def _check_tag(repo_id: str, repository: Repository | None, tag: str | None, plan: Plan) -> None:
    if repository is None or tag is None:
        return
    if tag in repository.branches:
        raise ProofmatchError(f"{tag} is a branch of {repo_id}; choose another --tag")
    tagged = repository.tags.get(tag)
    if tagged is not None and (not plan.is_empty or tagged != repository.commit):
        raise ProofmatchError(
            f"the tag {tag} of {repo_id} names another commit ({tagged[:12]}), and tags never move; "
            "choose another --tag"
        )


def _note(repository: Repository | None, private: bool) -> str | None:
    if repository is not None and repository.private and not private:
        return "The repository is private, though --private was not asked for; its settings can change that."
    return None
