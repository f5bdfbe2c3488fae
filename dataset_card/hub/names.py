"""Names and tokens that are refused before anything is asked of the Hub."""

import re

from proofmatch.errors import ProofmatchError

_TAG = re.compile(
    r"(?!.*\.\.)[A-Za-z0-9_][A-Za-z0-9._+-]*(?<!\.)(?<!\.lock)"
)  # what git allows, and no slash
_BRANCH = "main"
_TOKEN = re.compile(r"[!-~]+")  # others cannot be sent, and the error of the client would show the token


def check_repository_name(repo_id: str) -> None:
    """Refuse what cannot be the name of a repository, or lacks its owner."""
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id

    try:
        validate_repo_id(repo_id)
        valid = repo_id.count("/") == 1
    except HFValidationError:
        valid = False
    if not valid:
        raise ProofmatchError(
            f"{repo_id!r} is not the name of a repository; write OWNER/NAME with letters, digits, "
            "single '-' and '.', and '_', at most 96 in all"
        )


def check_tag_name(tag: str) -> None:
    """Refuse what cannot be a tag."""
    if tag == _BRANCH:
        raise ProofmatchError(f"{tag} is a branch, the one that a release goes to; choose another --tag")
    if not _TAG.fullmatch(tag):
        raise ProofmatchError(
            f"{tag!r} is not a good --tag; write one like v1.0, with letters, digits, '.', '-', '_' and '+'"
        )


def find_token(*, required: bool) -> str | None:
    """Find the token that other programs for the Hub use too: HF_TOKEN, or that of `hf auth login`."""
    from huggingface_hub import get_token

    token = get_token()
    if token is None and required:
        raise ProofmatchError(
            "there is no token for the Hub; run `hf auth login` or set HF_TOKEN, with a token that has "
            "write permission (https://huggingface.co/settings/tokens)"
        )
    if token is not None and not _TOKEN.fullmatch(token):
        raise ProofmatchError(
            "the token for the Hub has characters that no token has; set HF_TOKEN or `hf auth login` again"
        )
    return token
