"""Boards → the files of the site: `index.html`, `submit.html`, `README.md` and `leaderboard.json`."""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from shlex import quote as shell_quote
from typing import Any
from urllib.parse import quote, urlsplit

from proofmatch import __version__
from proofmatch.errors import ProofmatchError

from ...builder.release.release import Release
from ...dataset_card.templates import render
from ..pages.rendering import percent, percent_between, render_page
from .boards import Board, Row, Score
from .published import REPORTED

COPIES = "results"  # the folder of the site with copies of the result files
DOCUMENT = "leaderboard.json"
GENERATOR = "proofmatch leaderboard"
_SCHEMA_VERSION = 2
_TEMPLATES = Path(__file__).parent / "templates"
_STYLE = "leaderboard.css"
_TITLE = "Matching statements with proofs: leaderboard"
_SUBMIT_TITLE = "Submit a result"
_INPUTS = {"both": "words and formulas", "text": "words only", "math": "formulas only", "": "not stated"}
_KINDS = {"model": "models", "baseline": "baselines", "ablation": "ablations", REPORTED: "reported figures"}
_COLOURS = {"model": "blue", "baseline": "grey", "ablation": "orange", REPORTED: "purple"}
_ANY_RELEASE = "RELEASE"  # placeholder for an unknown release
_ON_THE_HUB = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+")


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a board.

    Attributes:
        key: Its name in links.
        title: Its heading.
        hint: A tooltip.
        ascending: Whether the first click on its heading sorts in ascending order.
        is_score: Whether it has scores with intervals.
        minor: Whether it is hidden on small screens.
    """

    key: str
    title: str
    hint: str
    ascending: bool = False
    is_score: bool = False
    minor: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a board.

    Attributes:
        text: The text to show.
        value: The value to sort by; None is last in any order.
        rank: The row's rank by this score.
        interval: The 95% interval as text.
        bounds: The 95% interval as fractions, for the bar.
        share: The score as a fraction, for the bar.
        remark: A remark about the score.
        link: The result file of the score.
    """

    text: str
    value: float | str | None
    rank: int | None = None
    interval: str | None = None
    bounds: tuple[float, float] | None = None
    share: float | None = None
    remark: str | None = None
    link: str | None = None


@dataclass(frozen=True, slots=True)
class _RowView:
    """A row with a cell for each column; `rank` is by the score that the board is sorted by at first."""

    row: Row
    cells: list[Cell]
    rank: int | None
    colour: str


@dataclass(frozen=True, slots=True)
class _TableView:
    """Rows that may be compared, or rows that may not because they were not checked."""

    ranked: bool
    has_seen: bool  # whether a system may have seen the answers
    rows: list[_RowView]
    sorted_by: str


@dataclass(frozen=True, slots=True)
class _BoardView:
    """A board with the columns that it has values for."""

    board: Board
    columns: list[Column]
    tables: list[_TableView]


_SYSTEM = Column("system", "system", "what was evaluated", ascending=True)
_INPUT = Column(
    "input",
    "input (claimed)",
    "which part of a text the system uses, as its authors say: words, formulas, or both",
    True,
)
_SCORE_COLUMNS = (
    Column("mrr", "MRR", "mean reciprocal rank, each statement independently", is_score=True),
    Column("accuracy", "accuracy", "the right proof is first, each statement independently", is_score=True),
    Column(
        "one_to_one", "one-to-one accuracy", "one-to-one matching over the best candidates", is_score=True
    ),
    Column("one_to_one_exact", "one-to-one, exact", "one-to-one matching over all pairs", is_score=True),
)
_MINUTES = Column(
    "minutes", "training, min (claimed)", "as its authors say; machines differ", True, minor=True
)


def render_index(boards: Sequence[Board]) -> str:
    """Render `index.html`: all boards, complete without its script, which only sorts and filters.

    Args:
        boards: At least one.
    """
    rows = [row for board in boards for row in board.rows]
    return render_page(
        "index.html.jinja",
        _TEMPLATES,
        title=_TITLE,
        style=_STYLE,
        scripts=("elements.js", "leaderboard.js"),
        boards=[_view_board(board) for board in boards],
        datasets=[list(group) for _, group in groupby(boards, _nav_group)],
        inputs={
            key: words for key, words in _INPUTS.items() if any((row.input or "") == key for row in rows)
        },
        kinds={key: words for key, words in _KINDS.items() if any(row.kind == key for row in rows)},
    )


def _nav_group(board: Board) -> str | None:
    """Name the group of a board in the navigation; all boards of unknown releases share one."""
    return board.name if board.verified or board.manifest_sha256 is None else None


def _view_board(board: Board) -> _BoardView:
    columns = _columns_of(board)
    tables = [_view_table(rows, columns) for rows in (board.ranked_rows, board.other_rows) if rows]
    return _BoardView(board, columns, tables)


def _view_table(rows: Sequence[Row], columns: Sequence[Column]) -> _TableView:
    ranked, has_seen = rows[0].is_ranked, any(row.has_seen for row in rows)
    has_score = (column.key for column in columns if any(column.key in row.scores for row in rows))
    sorted_by = next(has_score) if ranked else _SYSTEM.key
    return _TableView(ranked, has_seen, [_view_row(row, columns, sorted_by) for row in rows], sorted_by)


def _view_row(row: Row, columns: Sequence[Column], sorted_by: str) -> _RowView:
    return _RowView(
        row,
        [_score_cell(row, column.key) if column.is_score else _CELLS[column.key](row) for column in columns],
        row.ranks.get(sorted_by),
        _COLOURS[row.kind],
    )


def _columns_of(board: Board) -> list[Column]:
    """Choose the columns that a board has values for."""
    scores = [column for column in _SCORE_COLUMNS if any(column.key in row.scores for row in board.rows)]
    minutes = [_MINUTES] if any(row.training_minutes is not None for row in board.rows) else []
    return [_SYSTEM, _INPUT, *scores, *minutes]


def _score_cell(row: Row, key: str) -> Cell:
    score = row.scores.get(key)
    if score is None:
        return Cell("–", None)
    return Cell(
        percent(score.value),
        score.value,
        rank=row.ranks.get(key),
        interval=percent_between(score.interval) if score.interval else None,
        bounds=score.interval,
        share=score.value,
        remark=score.remark,
        link=f"{COPIES}/{quote(score.file)}" if score.file else None,
    )


def _minutes_cell(row: Row) -> Cell:
    minutes = row.training_minutes
    return Cell("–" if minutes is None else f"{minutes:,.1f}", minutes)


_CELLS: dict[str, Callable[[Row], Cell]] = {
    _SYSTEM.key: lambda row: Cell(row.system, row.system.casefold()),
    _INPUT.key: lambda row: Cell(row.input or "–", row.input),
    _MINUTES.key: _minutes_cell,
}


def render_submit(boards: Sequence[Board], releases: Sequence[Release], repository: str | None) -> str:
    """Render `submit.html`: how to submit a result, with the commands to type.

    Args:
        boards: The boards; the commands are for the first one of a known release.
        releases: The releases of `--data`; the commands of the page load no others.
        repository: The URL of the repository for pull requests, if it is known.

    Raises:
        ProofmatchError: If it is not a URL.
    """
    _check_repository(repository)
    open_boards = [board for board in boards if board.verified and not board.transductive]
    if open_boards:
        first = open_boards[0]
        name, revision, config, split = first.dataset, first.revision, first.config, first.split
    elif releases:
        name, revision, config, split = releases[0].id, releases[0].revision, "pairs", "test"
    else:
        name, revision, config, split = _ANY_RELEASE, None, "pairs", "test"
    return render_page(
        "submit.html.jinja",
        _TEMPLATES,
        title=_SUBMIT_TITLE,
        style=_STYLE,
        boards=open_boards,
        dataset=name,
        revision=revision,
        split=split,
        setting=f"{split} split by article" if config == "pairs_by_article" else f"{split} split",
        is_known=bool(open_boards or releases),
        data=shell_quote(name if revision is None else f"{name}@{revision}"),
        by_article=" --by-article" if config == "pairs_by_article" else "",
        suffix="_by_article" if config == "pairs_by_article" else "",
        repository=repository,
        clone=None if repository is None else shell_quote(repository),
    )


def _check_repository(address: str | None) -> None:
    if address is None:
        return
    parts = urlsplit(address)
    if parts.scheme not in ("https", "http") or not parts.netloc or not address.isprintable():
        raise ProofmatchError(f"{address!r} is not the address of a repository; write https://…")


def render_readme(boards: Sequence[Board]) -> str:
    """Render `README.md`: the card of the Space, and a description of the files."""
    released = {board.dataset for board in boards if board.verified}
    return render(
        "README.md.jinja",
        _TEMPLATES,
        datasets=sorted(name for name in released if _ON_THE_HUB.fullmatch(name)),
        n_boards=len(boards),
    )


def make_document(boards: Iterable[Board], files: Iterable[str]) -> str:
    """Write `leaderboard.json`: what the pages show, for programs, as the site's README describes it.

    Args:
        boards: The boards, in the order of the page.
        files: The names of all files of the site, which the next run may replace.
    """
    content = {
        "schema_version": _SCHEMA_VERSION,
        "generator": GENERATOR,
        "version": __version__,
        "boards": [_board_fields(board) for board in boards],
        "files": sorted({*files, DOCUMENT}),
    }
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _board_fields(board: Board) -> dict[str, Any]:
    return {
        "id": board.slug,
        "verified": board.verified,
        "dataset": board.dataset,
        "title": board.title,
        "revision": board.revision,
        "manifest_sha256": board.manifest_sha256,
        "config": board.config,
        "split": board.split,
        "transductive": board.transductive,
        "evaluator": board.evaluator,
        "n_statements": board.n_statements,
        "n_proofs": board.n_proofs,
        "source": board.source,
        "rows": [_row_fields(row) for row in board.rows],
    }


def _row_fields(row: Row) -> dict[str, Any]:
    return {
        "system": row.system,
        "kind": row.kind,
        "input": row.input,
        "checked": row.checked,
        "rank": row.ranks.get("mrr"),
        "scores": {name: _score_fields(score) for name, score in row.scores.items()},
        "normalization": row.normalization,
        "url": row.url,
        "notes": row.notes,
        "date": row.date,
        "submitter": row.submitter,
        "training_data": row.training_data,
        "training_minutes": None if row.training_minutes is None else round(row.training_minutes, 2),
        "evaluator": row.evaluator,
        "origin": row.origin,
        "remarks": list(row.remarks),
    }


def _score_fields(score: Score) -> dict[str, Any]:
    interval = None if score.interval is None else list(score.interval)
    return {"value": score.value, "ci95": interval, "file": score.file, "remark": score.remark}
