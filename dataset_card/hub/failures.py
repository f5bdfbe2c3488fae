"""Words for what goes wrong with the Hub: one sentence with the remedy, and never the token."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

from proofmatch.errors import ProofmatchError

if TYPE_CHECKING:
    from huggingface_hub.errors import HfHubHTTPError

_AGAIN = "run the same command again: what has arrived is not sent again"
_LONGEST_QUOTE = 200  # characters of the Hub's own words


@contextmanager
def explained(repo_id: str, token: str | None) -> Iterator[None]:
    """Turn failures of requests into a `ProofmatchError`."""
    from huggingface_hub.errors import HfHubHTTPError

    # Its first base is the base of all errors of the HTTP library, which differs between versions.
    http_error = cast("type[Exception]", HfHubHTTPError.__bases__[0])
    try:
        yield
    except (http_error, OSError, RuntimeError, ValueError) as error:
        sentence = _explain(error, repo_id)
        if token:
            sentence = sentence.replace(token, "<token>")
        raise ProofmatchError(sentence) from None


def _explain(error: BaseException, repo_id: str) -> str:
    from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled

    # The client wraps what ends an upload in a RuntimeError.
    while isinstance(error, RuntimeError) and error.__cause__ is not None:
        error = error.__cause__
    if isinstance(error, HfHubHTTPError):
        return _explain_status(error, repo_id)
    if isinstance(error, OfflineModeIsEnabled):
        return "HF_HUB_OFFLINE is set, so nothing can be sent; unset it"
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename} cannot be read ({error.strerror}); mend that and run the same command again"
    if isinstance(error, json.JSONDecodeError):
        return "what answers is not the Hub; check HF_ENDPOINT and the network's proxy"
    if isinstance(error, ValueError):
        return f"the Hub cannot work with what was sent: {_quote(str(error))}"
    reason = _quote(str(error)) or type(error).__name__
    return f"the connection to the Hub failed ({reason}); check the network, then {_AGAIN}"


def _explain_status(error: "HfHubHTTPError", repo_id: str) -> str:
    from huggingface_hub.errors import RepositoryNotFoundError

    status = error.response.status_code
    words = _quote(error.server_message or "")
    quoted = f" ({words})" if words else ""
    if isinstance(error, RepositoryNotFoundError):
        return f"the token may not see {repo_id}{quoted}; use a token of an account that may write to it"
    if status == 401:
        return (
            f"the Hub refuses the token{quoted}; make one with write permission at "
            "https://huggingface.co/settings/tokens and set HF_TOKEN or run `hf auth login`"
        )
    if status == 403:
        return (
            f"the token may not write to {repo_id}{quoted}; use one with write permission, of an account "
            "that may (https://huggingface.co/settings/tokens)"
        )
    if status == 409:
        return f"{repo_id} has just got what was to be made{quoted}; run the same command again"
    if status == 412:
        return f"somebody else changed {repo_id} at the same time; {_AGAIN}"
    if status == 429:
        return f"the Hub has had too many requests from you; wait some minutes, then {_AGAIN}"
    if status >= 500:
        return f"the Hub has a problem of its own (status {status}); wait some minutes, then {_AGAIN}"
    return f"the Hub answers with status {status}{quoted}; check {repo_id} on its web page"


def _quote(words: str) -> str:
    """Put foreign words on one line of limited length."""
    line = " ".join(words.split())
    return line if len(line) <= _LONGEST_QUOTE else line[: _LONGEST_QUOTE - 1] + "…"
