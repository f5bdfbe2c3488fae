"""Scores of a system → its result files, one for each decoding."""

import tempfile
from pathlib import Path

from proofmatch.evaluation.decode import DECODINGS, decode
from proofmatch.evaluation.decoding.sources import ScoreSource
from proofmatch.evaluation.evaluator import evaluate
from proofmatch.evaluation.predictions.system import System
from proofmatch.evaluation.predictions.writing import write_predictions
from proofmatch.evaluation.task import Task


def write_results(task: Task, scores: ScoreSource, name: str, reads: str, stem: str, folder: Path) -> None:
    """Decode, evaluate, and keep the results.

    Args:
        task: The split.
        scores: Of all its pairs.
        name: What tables call the system.
        reads: What it reads: `both`, `text` or `math`.
        stem: How the names of the files begin, after that of the configuration.
        folder: Where they go.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for decoding in DECODINGS:
        decoded = decode(scores, decoding)
        system = System(name=name, input=reads, decoding=decoding, extra={"details": decoded.details})
        with tempfile.TemporaryDirectory() as workplace:
            predictions = Path(workplace, f"{task.config}-{stem}-{decoding}.jsonl")
            write_predictions(predictions, decoded.batches(task.statement_ids, task.proof_ids), system)
            out = folder / f"{predictions.stem}.json"
            evaluate(predictions, task.release, task.split, by_article=task.by_article, out=out)
