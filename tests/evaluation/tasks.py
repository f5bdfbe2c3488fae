"""Small tasks and prediction files for tests."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from proofmatch.builder.release.release import Release
from proofmatch.evaluation.evaluator import Ranking, rank_predictions
from proofmatch.evaluation.prediction_formats import PredictionBatch
from proofmatch.evaluation.predictions import read_predictions
from proofmatch.evaluation.task import Task


def make_task(n: int = 3, gold: Sequence[int] | None = None) -> Task:
    """Statements s0, s1, … and proofs p0, p1, …; without `gold` they belong together in order."""
    return Task(
        Release("toy", Path("toy"), {"parameters": {}, "files": {}}, "0" * 64),
        "test",
        False,
        [f"s{number}" for number in range(n)],
        [f"p{number}" for number in range(n)],
        np.array(range(n) if gold is None else gold, dtype=np.int64),
        [None] * n,
    )


def make_batch(rows: dict[str, list[str]], scores: list[list[float]] | None = None) -> PredictionBatch:
    return PredictionBatch(
        pa.array(list(rows)),
        pa.array(list(rows.values()), pa.list_(pa.string())),
        None if scores is None else pa.array(scores, pa.list_(pa.float64())),
    )


def write_lines(path: Path, rows: Sequence[object]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def rank_file(path: Path, task: Task) -> Ranking:
    return rank_predictions(read_predictions(path, task), task.required_gold)


def read_with_ids(path: Path, task: Task) -> list[PredictionBatch]:
    statements, proofs = pa.array(task.statement_ids), pa.array(task.proof_ids)
    return [batch.with_ids(statements, proofs) for batch in read_predictions(path, task)]
