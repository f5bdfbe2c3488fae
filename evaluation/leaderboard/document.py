"""`leaderboard.json`: what the pages show, for programs; the Space's README describes it."""

import json
from collections.abc import Iterable
from typing import Any

from proofmatch import __version__

from .boards import Board
from .rows import Row, Score

DOCUMENT = "leaderboard.json"
GENERATOR = "proofmatch leaderboard"
_SCHEMA_VERSION = 1


def make_document(boards: Iterable[Board], files: Iterable[str]) -> str:
    """Write all boards as JSON, in the order of the page.

    Args:
        boards: The boards.
        files: Names of all files of the site, so that the next one to write it knows which are ours.
    """
    content = {
        "schema_version": _SCHEMA_VERSION,
        "generator": GENERATOR,
        "version": __version__,
        "boards": [_board(board) for board in boards],
        "files": sorted({*files, DOCUMENT}),
    }
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _board(board: Board) -> dict[str, Any]:
    return {
        "id": board.slug,
        "dataset": board.dataset,
        "manifest_sha256": board.manifest_sha256,
        "config": board.config,
        "split": board.split,
        "transductive": board.transductive,
        "tie_rule": board.tie_rule,
        "evaluator": board.evaluator,
        "n_statements": board.n_statements,
        "n_proofs": board.n_proofs,
        "source": board.source,
        "rows": [_row(row) for row in board.rows],
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "system": row.system,
        "kind": row.kind,
        "input": row.input,
        "rank": row.ranks.get("mrr"),
        "scores": {name: _score(score) for name, score in row.scores.items()},
        "normalization": row.normalization,
        "url": row.url,
        "notes": row.notes,
        "training_minutes": None if row.training_minutes is None else round(row.training_minutes, 2),
        "evaluators": list(row.evaluators),
        "checked": row.checked,
    }


def _score(score: Score) -> dict[str, Any]:
    interval = None if score.interval is None else list(score.interval)
    return {"value": score.value, "ci95": interval, "file": score.file, "remark": score.remark}
