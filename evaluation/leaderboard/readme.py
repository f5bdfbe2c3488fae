"""`README.md` of the site: the card of the Space, and what is in the files."""

import re
from collections.abc import Sequence

from ...dataset_card.templates import render
from .boards import Board
from .templates import FOLDER

_ON_THE_HUB = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+")


def render_readme(boards: Sequence[Board]) -> str:
    """Fill in the card."""
    released = {board.dataset for board in boards if board.manifest_sha256}
    return render(
        "README.md.jinja",
        FOLDER,
        datasets=sorted(name for name in released if _ON_THE_HUB.fullmatch(name)),
        n_boards=len(boards),
    )
