"""The figures that the paper reports, as rows that are marked and never ranked."""

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .boards import Board, Row, Score, make_slug, sorted_rows

REPORTED = "reported"
_FILE = Path(__file__).with_name("published.toml")


@dataclass(frozen=True, slots=True)
class Published:
    """Published figures.

    Attributes:
        title: The title of the paper.
        url: The paper's URL.
        corpus: The name of its corpus.
        config: The configuration that corresponds to its split.
        manifests: The manifest hashes of releases of this corpus.
        n_statements: The number of statements of each split.
        rows: The figures of each split.
    """

    title: str
    url: str
    corpus: str
    config: str
    manifests: frozenset[str]
    n_statements: dict[str, int]
    rows: dict[str, tuple[Row, ...]]


def read_published(path: Path = _FILE) -> Published:
    """Read the published figures."""
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    return Published(
        title=content["title"],
        url=content["url"],
        corpus=content["corpus"],
        config=content["config"],
        manifests=frozenset(content["manifests"]),
        n_statements=content["splits"],
        rows={split: _rows(content, split) for split in content["splits"]},
    )


def add_published(boards: Iterable[Board], published: Published) -> list[Board]:
    """Add the published figures to the boards of the published corpus, or else as separate boards.

    Figures of different corpora are never on the same board. Boards of unknown releases come last, unless
    there are no others.
    """
    boards, done = list(boards), set()
    for number, board in enumerate(boards):
        same_split = board.config == published.config and board.split in published.rows
        is_theirs = board.verified and board.manifest_sha256 in published.manifests
        if is_theirs and same_split and not board.transductive:
            rows = sorted_rows([*board.rows, *published.rows[board.split]])
            boards[number] = replace(board, rows=rows, source=published.title)
            done.add(board.split)
    left = [split for split in ("test", "validation") if split in published.rows and split not in done]
    verified = [board for board in boards if board.verified]
    unverified = [board for board in boards if not board.verified]
    own = [_own_board(published, split) for split in left]
    return [*verified, *own, *unverified] if verified else [*unverified, *own]


def _own_board(published: Published, split: str) -> Board:
    return Board(
        slug=make_slug("paper", split),
        dataset=published.corpus,
        revision=None,
        manifest_sha256=None,
        config=published.config,
        split=split,
        transductive=False,
        n_statements=published.n_statements[split],
        n_proofs=published.n_statements[split],
        rows=published.rows[split],
        source=published.title,
    )


def _rows(content: dict[str, Any], split: str) -> tuple[Row, ...]:
    return sorted_rows(
        Row(
            system=row["system"],
            kind=REPORTED,
            input=input_,
            scores={name: Score(round(percent / 100, 4)) for name, percent in figures.items()},
            url=content["url"],
            notes=f"as reported in {row['source']} of the paper",
        )
        for row in content["rows"]
        for input_, figures in row[split].items()
    )
