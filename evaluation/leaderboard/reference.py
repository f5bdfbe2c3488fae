"""The figures that the paper reports, as rows that are marked and never ranked."""

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .boards import Board, make_slug, sorted_rows
from .rows import Row, Score

REPORTED = "reported"
_FILE = Path(__file__).with_name("reference.toml")


@dataclass(frozen=True, slots=True)
class Reference:
    """What was published.

    Attributes:
        title: The paper.
        url: Where it is.
        corpus: What the figures are of.
        about: The corpus in a phrase.
        config: How it was split, in the name of a configuration.
        manifests: Hashes of the manifests of releases of this corpus.
        n_statements: The number of statements of each split.
        rows: The figures of each split.
    """

    title: str
    url: str
    corpus: str
    about: str
    config: str
    manifests: frozenset[str]
    n_statements: dict[str, int]
    rows: dict[str, tuple[Row, ...]]


def read_reference(path: Path = _FILE) -> Reference:
    """Read the published figures."""
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    return Reference(
        title=content["title"],
        url=content["url"],
        corpus=content["corpus"],
        about=content["about"],
        config=content["config"],
        manifests=frozenset(content["manifests"]),
        n_statements=content["splits"],
        rows={split: _rows(content, split) for split in content["splits"]},
    )


def with_reference(boards: Iterable[Board], reference: Reference) -> list[Board]:
    """Add the published figures: to the boards of the published corpus, or else as boards of their own.

    Figures of different corpora are never on the same board.
    """
    boards, served = list(boards), set()
    for number, board in enumerate(boards):
        same_split = board.config == reference.config and board.split in reference.rows
        if board.manifest_sha256 in reference.manifests and same_split and not board.transductive:
            rows = sorted_rows([*board.rows, *reference.rows[board.split]])
            boards[number] = replace(board, rows=rows, source=reference.title)
            served.add(board.split)
    left = [split for split in ("test", "validation") if split in reference.rows and split not in served]
    return boards + [_own_board(reference, split) for split in left]


def _own_board(reference: Reference, split: str) -> Board:
    return Board(
        slug=make_slug("paper", split),
        dataset=reference.corpus,
        manifest_sha256=None,
        config=reference.config,
        split=split,
        transductive=False,
        tie_rule=None,
        n_statements=reference.n_statements[split],
        n_proofs=reference.n_statements[split],
        evaluator=None,
        rows=reference.rows[split],
        source=reference.title,
    )


def _rows(content: dict[str, Any], split: str) -> tuple[Row, ...]:
    return sorted_rows(
        Row(
            system=row["system"],
            kind=REPORTED,
            input=reads,
            scores={name: Score(round(percent / 100, 4)) for name, percent in figures.items()},
            url=content["url"],
            notes=f"as reported in {row['source']} of the paper",
        )
        for row in content["rows"]
        for reads, figures in row[split].items()
    )
