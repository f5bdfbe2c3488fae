"""Predictions → what is needed to score them: the rank of each gold proof, and the first choices."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from proofmatch.progress import Progress

from .metrics import NO_RANK, rank_of_gold
from .predictions.reading import read_numbered
from .task import Task


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a prediction file says about each statement of a task, in the task's order.

    Attributes:
        ranks: Rank of the gold proof from 1, `NO_RANK` where it is not listed, (statements).
        first_choices: Place of the first listed proof in the task's proofs, (statements).
    """

    ranks: np.ndarray
    first_choices: np.ndarray


def judge(predictions: Path, task: Task, progress: Progress | None = None) -> Judgement:
    """Read a prediction file and rank the gold proofs; memory does not grow with the lengths of its lists.

    Args:
        predictions: The file.
        task: What it is for.
        progress: Counts the statements.

    Raises:
        ProofmatchError: If anything is wrong with the file, with all its faults.
    """
    ranks = np.full(len(task.statement_ids), NO_RANK, dtype=np.int64)
    first_choices = np.zeros(len(task.statement_ids), dtype=np.int64)
    for batch in read_numbered(predictions, task, progress):
        rows = batch.statements
        ranks[rows] = rank_of_gold(batch.starts, batch.proofs, batch.scores, task.gold[rows])
        first_choices[rows] = batch.proofs[batch.starts[:-1]]
    return Judgement(ranks, first_choices)
