"""`index.html`: all boards, complete without its script, which only sorts and filters."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from ..pages.rendering import render_page
from .boards import Board
from .columns import Cell, Column, cells_of, columns_of
from .reference import REPORTED
from .rows import Row
from .templates import FOLDER

TITLE = "Matching statements with proofs: leaderboard"
_INPUTS = {"both": "words and formulas", "text": "words only", "math": "formulas only", "": "not stated"}
_KINDS = {"model": "models", "baseline": "baselines", REPORTED: "reported figures"}
_COLOURS = {"model": "blue", "baseline": "grey", REPORTED: "purple"}


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A row with its cells filled in.

    Attributes:
        row: The row.
        cells: One for each column of its board.
        rank: Its place by the score that the board is sorted by at first.
        colour: Of its bars.
        other_evaluator: The versions of the evaluator that its scores are from, if they are not the board's.
    """

    row: Row
    cells: list[Cell]
    rank: int | None
    colour: str
    other_evaluator: str | None


@dataclass(frozen=True, slots=True)
class ShownBoard:
    """A board with its columns chosen.

    Attributes:
        board: The board.
        columns: What it has anything for.
        rows: Its rows.
        sorted_by: The score that it is sorted by at first.
    """

    board: Board
    columns: list[Column]
    rows: list[ShownRow]
    sorted_by: str


def render_index(boards: Sequence[Board]) -> str:
    """Make the page.

    Args:
        boards: At least one.
    """
    rows = [row for board in boards for row in board.rows]
    return render_page(
        "index.html.jinja",
        FOLDER,
        title=TITLE,
        style="leaderboard.css",
        scripts=("elements.js", "leaderboard.js"),
        boards=[_shown_board(board) for board in boards],
        datasets=[list(group) for _, group in groupby(boards, lambda board: board.dataset)],
        inputs={
            key: words for key, words in _INPUTS.items() if any((row.input or "") == key for row in rows)
        },
        kinds={key: words for key, words in _KINDS.items() if any(row.kind == key for row in rows)},
    )


def _shown_board(board: Board) -> ShownBoard:
    columns = columns_of(board)
    sorted_by = next(column.key for column in columns if column.is_score)
    return ShownBoard(
        board, columns, [_shown_row(row, board, columns, sorted_by) for row in board.rows], sorted_by
    )


def _shown_row(row: Row, board: Board, columns: Sequence[Column], sorted_by: str) -> ShownRow:
    is_other = row.kind != REPORTED and row.evaluators != (board.evaluator,)
    return ShownRow(
        row,
        cells_of(row, columns),
        row.ranks.get(sorted_by),
        _COLOURS[row.kind],
        ", ".join(row.evaluators) if is_other else None,
    )
