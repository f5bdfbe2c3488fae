"""Sends a plan to the Hub: large files one after the other, then one commit that names them all."""

from typing import TYPE_CHECKING

from proofmatch import __version__
from proofmatch.errors import CheckFailed, ProofmatchError
from proofmatch.progress import Progress

from .kinds import Kind
from .local import LocalFile
from .plan import Plan, make_plan
from .remote import Repository, read_files
from .report import in_units

if TYPE_CHECKING:
    from huggingface_hub import CommitOperationAdd, HfApi

CARD = "README.md"


def check_card(plan: Plan, kind: Kind) -> None:
    """Have the Hub check the card if it changes: it would refuse the commit, but only after the uploads."""
    from huggingface_hub import RepoCard

    for file in plan.uploads:
        if file.name == CARD:
            try:
                RepoCard(file.path.read_text(encoding="utf-8")).validate(repo_type=kind.repo_type)
            except ValueError as error:
                faults = "; ".join(str(error).split("\n"))
                raise ProofmatchError(
                    f"the Hub does not accept the metadata of {file.path}: {faults}; make it anew"
                ) from None


def upload(api: "HfApi", repo_id: str, kind: Kind, repository: Repository, plan: Plan, message: str) -> str:
    """Make the commit, and return its id.

    Large files are sent before the commit and stay with the Hub if it does not come about, so that a
    second attempt need not send them again.
    """
    from huggingface_hub import CommitOperationDelete

    additions = []
    sent = 0
    with Progress("uploading", "files") as progress:
        for file in plan.uploads:
            progress.summary = f"{in_units(sent)}, now {file.name}"
            addition = _addition(file)
            api.preupload_lfs_files(repo_id, [addition], repo_type=kind.repo_type, free_memory=False)
            additions.append(addition)
            sent += file.size
            progress.advance()
        deletions = [CommitOperationDelete(file.name, is_folder=False) for file in plan.deleted]
        commit = api.create_commit(
            repo_id,
            [*additions, *deletions],
            commit_message=message,
            commit_description=f"Pushed by proofmatch {__version__}.",
            repo_type=kind.repo_type,
            parent_commit=repository.commit,
        )
        progress.summary = f"{len(additions):,} files, {in_units(sent)}"
    return commit.oid


def check_arrival(api: "HfApi", repo_id: str, kind: Kind, commit: str, plan: Plan) -> None:
    """Read back the hashes of all files from the Hub.

    Raises:
        CheckFailed: If the commit does not hold them.
    """
    files = [*plan.uploads, *plan.unchanged]
    left = make_plan(files, read_files(api, repo_id, kind, commit), {file.name for file in plan.deleted})
    faults = [f"{file.name} is missing (does a .gitignore exclude it?)" for file in left.added]
    faults += [f"{file.name} is damaged" for file in left.changed]
    faults += [f"{file.name} was not deleted" for file in left.deleted]
    if faults:
        others = f" (and {len(faults) - 1:,} more)" if len(faults) > 1 else ""
        raise CheckFailed(
            f"commit {commit} of {repo_id} does not hold the {kind.content}: {faults[0]}{others}; "
            "nothing was tagged; run the same command again"
        )


def _addition(file: LocalFile) -> "CommitOperationAdd":
    from huggingface_hub import CommitOperationAdd

    addition = CommitOperationAdd(file.name, str(file.path))
    addition.upload_info.sha256 = bytes.fromhex(file.sha256)  # known, so the client need not read it all
    return addition
