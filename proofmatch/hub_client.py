"""The client of the Hugging Face Hub: its token, its requests, and error messages for its failures."""

import json
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol, cast

from . import __version__
from .errors import ProofmatchError, one_line
from .storage import disk_reason

if TYPE_CHECKING:
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError
    from huggingface_hub.hf_api import RepoFile

TOKEN_PAGE = "https://huggingface.co/settings/tokens"  # noqa: S105 - an address
TIMEOUT = 30.0  # seconds

_TOKEN = re.compile(r"[!-~]+")  # the client cannot send other characters, and its error would show the token


class Errand(Protocol):
    """What is done with a repository, as error messages describe it."""

    done: ClassVar[str]  # what is done with files, such as `downloaded`
    retry: ClassVar[str]  # what to do after a temporary problem

    def explain_status(self, error: "HfHubHTTPError") -> str:
        """Say what the Hub refuses, and the remedy."""
        ...


def check_repository_name(repo_id: str) -> None:
    """Refuse a name that is not of the form `OWNER/NAME`."""
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id

    try:
        validate_repo_id(repo_id)
        is_valid = repo_id.count("/") == 1
    except HFValidationError:
        is_valid = False
    if not is_valid:
        raise ProofmatchError(
            f"{repo_id!r} is not the name of a repository; write OWNER/NAME with letters, digits, "
            "single '-' and '.', and '_', at most 96 characters in all"
        )


def format_size(size: int) -> str:
    """Write a number of bytes with a unit."""
    if size < 1_000:
        return f"{size} B"
    number = float(size)
    for unit in ("kB", "MB", "GB"):
        number /= 1_000
        if number < 999.95:
            return f"{number:.1f} {unit}"
    return f"{number / 1_000:.1f} TB"


def is_content_of(path: Path, sha256: str, remote: "RepoFile") -> bool:
    """Tell whether a file, whose hash is known, has the content of one on the Hub."""
    from huggingface_hub.utils.sha import git_hash

    return sha256 == remote.lfs.sha256 if remote.lfs else git_hash(path.read_bytes()) == remote.blob_id


def find_token(*, required: bool) -> str | None:
    """Find the token that other programs for the Hub use too: HF_TOKEN, or that of `hf auth login`."""
    from huggingface_hub import get_token

    token = get_token()
    if token is None and required:
        raise ProofmatchError(
            "there is no token for the Hub; run `hf auth login` or set HF_TOKEN, with a token that has "
            f"write permission ({TOKEN_PAGE})"
        )
    if token is not None and not _TOKEN.fullmatch(token):
        raise ProofmatchError(
            "the Hub's token has characters that no token can have; set HF_TOKEN or `hf auth login` again"
        )
    return token


def list_files(api: "HfApi", repo_id: str, repo_type: str, commit: str) -> dict[str, "RepoFile"]:
    """List the files of a repository at a commit, by their paths."""
    from huggingface_hub.hf_api import RepoFile

    entries = api.list_repo_tree(repo_id, recursive=True, revision=commit, repo_type=repo_type)
    return {entry.path: entry for entry in entries if isinstance(entry, RepoFile)}


@contextmanager
def without_addresses_in_logs() -> Iterator[None]:
    """Drop the client's log messages that show an address, which can be signed; keep "Retrying in 8s"."""

    def has_no_address(record: logging.LogRecord) -> bool:
        return "://" not in record.getMessage()

    handlers = list(logging.getLogger("huggingface_hub").handlers)
    for handler in handlers:
        handler.addFilter(has_no_address)
    try:
        yield
    finally:
        for handler in handlers:
            handler.removeFilter(has_no_address)


def open_api(token: str | None) -> "HfApi":
    """Make a client that sends this token, or none."""
    from huggingface_hub import HfApi

    # `False`: do not fall back to a token that is configured elsewhere.
    return HfApi(token=token or False, library_name="proofmatch", library_version=__version__)


def http_errors() -> type[Exception]:
    """Name the base of all errors of requests."""
    from huggingface_hub.errors import HfHubHTTPError

    # Its first base is the base of all errors of the HTTP library, which differs between versions.
    return cast("type[Exception]", HfHubHTTPError.__bases__[0])


@contextmanager
def failures_in_words(token: str | None, doing: Errand) -> Iterator[None]:
    """Turn failures of requests into one sentence with the remedy, without the token."""
    try:
        yield
    except ProofmatchError:
        raise
    except (http_errors(), OSError, RuntimeError, ValueError) as error:
        sentence = _explain(error, doing)
        raise ProofmatchError(sentence.replace(token, "<token>") if token else sentence) from None


def _explain(error: BaseException, doing: Errand) -> str:
    from huggingface_hub.errors import EntryNotFoundError, HfHubHTTPError, OfflineModeIsEnabled

    # The clients wrap errors that end an upload, and errors that keep them from reading a file.
    wrappers = (RuntimeError, EntryNotFoundError, FileNotFoundError)
    while isinstance(error, wrappers) and error.__cause__ is not None:
        error = error.__cause__
    if isinstance(error, HfHubHTTPError) and getattr(error, "response", None) is not None:
        return doing.explain_status(error)
    if isinstance(error, OfflineModeIsEnabled):
        return f"HF_HUB_OFFLINE is set, so nothing can be {doing.done}; unset it"
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {disk_reason(error)}; fix that and run the same command again"
    if isinstance(error, json.JSONDecodeError):
        return "the answer is not from the Hub; check HF_ENDPOINT and the network's proxy"
    if isinstance(error, ValueError):
        return f"the Hub cannot process what was sent: {one_line(str(error))}"
    reason = one_line(str(error)) or type(error).__name__
    return f"the connection to the Hub failed ({reason}); check the network, then {doing.retry}"


def quoted_answer(error: "HfHubHTTPError") -> str:
    """Quote the Hub's own message in parentheses."""
    return f" ({one_line(error.server_message)})" if error.server_message else ""


def explain_other(error: "HfHubHTTPError", repo_id: str, retry: str) -> str:
    """Explain failures that can happen to any request."""
    status = error.response.status_code
    if status == 429:
        return f"the Hub has received too many requests from you; wait some minutes, then {retry}"
    if status >= 500:
        return f"the Hub has an internal problem (status {status}); wait some minutes, then {retry}"
    return f"the Hub answers with status {status}{quoted_answer(error)}; check {repo_id} on its web page"
