"""`submit.html`: how to take part, with the commands to type."""

from collections.abc import Sequence
from shlex import quote
from urllib.parse import urlsplit

from proofmatch.errors import ProofmatchError

from ..pages.rendering import render_page
from .boards import Board
from .templates import FOLDER

TITLE = "Submit a result"


def render_submit(boards: Sequence[Board], repository: str | None) -> str:
    """Make the page.

    Args:
        boards: The boards; the commands are those for the first one.
        repository: The address of the repository that pull requests go to, if it is known.

    Raises:
        ProofmatchError: If the address is none.
    """
    check_repository(repository)
    open_boards = [board for board in boards if board.manifest_sha256 and not board.transductive]
    first = (open_boards or list(boards))[0]
    return render_page(
        "submit.html.jinja",
        FOLDER,
        title=TITLE,
        style="leaderboard.css",
        board=first,
        boards=open_boards,
        data=quote(first.dataset),
        by_article=" --by-article" if first.config == "pairs_by_article" else "",
        suffix="_by_article" if first.config == "pairs_by_article" else "",
        repository=repository,
        clone=None if repository is None else quote(repository),
    )


def check_repository(address: str | None) -> None:
    """Refuse what is no address of a repository on the web.

    Raises:
        ProofmatchError: If it is none.
    """
    if address is None:
        return
    parts = urlsplit(address)
    if parts.scheme not in ("https", "http") or not parts.netloc or not address.isprintable():
        raise ProofmatchError(f"{address!r} is not the address of a repository; write https://…")
