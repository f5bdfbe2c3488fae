"""The columns of a board, and what is in their cells."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from ..pages.rendering import percent, percent_between
from .boards import Board
from .rows import Row

COPIES = "results"


@dataclass(frozen=True, slots=True)
class Column:
    """A column.

    Attributes:
        key: Its name in addresses.
        title: Its heading.
        hint: What it has, for those who ask.
        ascending: Whether the first click on its heading sorts upwards.
        is_score: Whether it has scores with intervals.
        minor: Whether small screens leave it out.
    """

    key: str
    title: str
    hint: str
    ascending: bool = False
    is_score: bool = False
    minor: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell.

    Attributes:
        text: What it shows.
        value: What it is sorted by; None is last in any order.
        rank: The row's place by this score.
        interval: The 95% interval, to read.
        bounds: The same, as fractions to draw.
        share: The score, as a fraction to draw.
        remark: What is unusual about it.
        link: The result file it is from.
    """

    text: str
    value: float | str | None
    rank: int | None = None
    interval: str | None = None
    bounds: tuple[float, float] | None = None
    share: float | None = None
    remark: str | None = None
    link: str | None = None


SYSTEM = Column("system", "system", "what was evaluated", ascending=True)
INPUT = Column(
    "input", "input", "what the system sees of a text: both words and formulas, or one of them", True
)
_SCORE_COLUMNS = {
    "mrr": Column("mrr", "MRR", "mean reciprocal rank, each statement by itself", is_score=True),
    "accuracy": Column(
        "accuracy", "accuracy", "the right proof is first, each statement by itself", is_score=True
    ),
    "one_to_one": Column(
        "one_to_one", "one-to-one accuracy", "one-to-one matching over the best candidates", is_score=True
    ),
    "one_to_one_exact": Column(
        "one_to_one_exact", "one-to-one, exact", "one-to-one matching over all pairs", is_score=True
    ),
}
MINUTES = Column("minutes", "training, min", "as its authors say; machines differ", True, minor=True)
CHECKED = Column("checked", "checked", "whether the scores were computed anew from the predictions")


def columns_of(board: Board) -> list[Column]:
    """Choose the columns that a board has anything for."""
    scores = [
        column for key, column in _SCORE_COLUMNS.items() if any(key in row.scores for row in board.rows)
    ]
    minutes = [MINUTES] if any(row.training_minutes is not None for row in board.rows) else []
    checked = [CHECKED] if board.manifest_sha256 else []
    return [SYSTEM, INPUT, *scores, *minutes, *checked]


def cells_of(row: Row, columns: Sequence[Column]) -> list[Cell]:
    """Fill in the cells of a row."""
    return [_score(row, column.key) if column.is_score else _OTHERS[column.key](row) for column in columns]


def _score(row: Row, key: str) -> Cell:
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


def _minutes(row: Row) -> Cell:
    minutes = row.training_minutes
    return Cell("–" if minutes is None else f"{minutes:,.1f}", minutes)


_OTHERS: dict[str, Callable[[Row], Cell]] = {
    SYSTEM.key: lambda row: Cell(row.system, row.system.casefold()),
    INPUT.key: lambda row: Cell(row.input or "–", row.input),
    MINUTES.key: _minutes,
    CHECKED.key: lambda row: Cell("yes" if row.checked else "no", int(row.checked)),
}
