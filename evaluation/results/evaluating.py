"""Scores of a system → its result files, one for each decoding."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from proofmatch.evaluation.decode import DECODINGS, decode
from proofmatch.evaluation.decoding.normalizing import normalized_scores
from proofmatch.evaluation.decoding.sources import ScoreSource
from proofmatch.evaluation.evaluator import evaluate
from proofmatch.evaluation.predictions.system import System
from proofmatch.evaluation.predictions.writing import write_predictions
from proofmatch.evaluation.task import Task


def write_results(
    task: Task,
    scores: ScoreSource,
    system: System,
    stem: str,
    folder: Path,
    decodings: Sequence[str] = DECODINGS,
) -> None:
    """Decode, evaluate, and keep the results.

    Args:
        task: The split.
        scores: Of all its pairs.
        system: What there is to say of the system but for its decoding.
        stem: How the names of the files begin, after that of the configuration.
        folder: Where they go.
        decodings: Which.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for decoding in decodings:
        decoded = decode(scores, decoding)
        described = System(
            name=system.name,
            input=system.input,
            decoding=decoding,
            transductive=system.transductive,
            normalization=system.normalization,
            extra={**system.extra, "details": decoded.details},
        )
        with tempfile.TemporaryDirectory() as workplace:
            predictions = Path(workplace, f"{task.config}-{stem}-{decoding}.jsonl")
            write_predictions(predictions, decoded.batches(task.statement_ids, task.proof_ids), described)
            out = folder / f"{predictions.stem}.json"
            evaluate(predictions, task.release, task.split, by_article=task.by_article, out=out)


def write_transductive_results(
    task: Task, scores: ScoreSource, system: System, stem: str, folder: Path, normalization: dict[str, Any]
) -> None:
    """Normalise scores over all candidates, rank, evaluate, and keep the result."""
    normalized = normalized_scores(scores, **normalization)
    described = System(
        name=system.name,
        input=system.input,
        transductive=True,
        normalization=normalization,
        extra=system.extra,
    )
    stem = f"{stem}-{normalization['method']}"
    write_results(task, normalized, described, stem, folder, decodings=("local",))
