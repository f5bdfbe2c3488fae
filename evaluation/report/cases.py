"""Predictions → what the report says of each statement."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from proofmatch.progress import Progress

from ..decoding.candidates import Candidates
from ..decoding.matching import fill_unmatched, match_candidates
from ..evaluator import Ranking, rank_predictions
from ..predictions import read_predictions
from ..task import Task

NOTHING_TO_MATCH = "the file lists one proof for each statement, and there is nothing left to choose from"
NO_SCORES = "the file has no scores, by which a one-to-one matching would choose"


@dataclass(frozen=True, slots=True)
class Cases:
    """All statements of a task, in its order.

    Attributes:
        judgement: Ranks of the gold proofs, and first choices.
        rivals: Place of the proof that stands before the gold one: the first choice, or, if that is the gold
            proof, but with an equal one beside it, the equal one; (statements).
        margins: How much higher the score of the rival is than that of the gold proof, not a number where
            either is unknown, (statements).
        one_to_one: The proof of each statement in the one-to-one matching of the listed candidates; None if
            there is none.
        why_not: Why there is none.
    """

    judgement: Ranking
    rivals: np.ndarray
    margins: np.ndarray
    one_to_one: np.ndarray | None
    why_not: str | None


def read_cases(predictions: Path, task: Task, progress: Progress | None = None) -> Cases:
    """Read a prediction file, and match its candidates one-to-one.

    Raises:
        ProofmatchError: If anything is wrong with the file, with all its faults.
    """
    batches = list(read_predictions(predictions, task, progress))
    judgement = rank_predictions(batches, task.gold)
    n = len(task.statement_ids)
    rivals, margins = np.zeros(n, dtype=np.int64), np.full(n, np.nan)
    for batch in batches:
        rows, gold = batch.statements, task.gold[batch.statements]
        # A first choice that is the gold proof, and not of rank 1, is followed by one with an equal score.
        is_tied = (judgement.first_choices[rows] == gold) & (judgement.ranks[rows] != 1)
        at = batch.proofs.starts[:-1] + is_tied
        rivals[rows] = batch.proofs.values[at]
        if batch.scores is not None:
            of = batch.proofs.rows
            listed = np.flatnonzero(batch.proofs.values == gold[of])
            with np.errstate(over="ignore"):  # of scores near the largest double
                margins[rows[of[listed]]] = batch.scores[at[of[listed]]] - batch.scores[listed]
    scores = [batch.scores for batch in batches if batch.scores is not None]
    if len(scores) < len(batches):
        return Cases(judgement, rivals, margins, None, NO_SCORES)
    if all(len(batch.proofs.values) == len(batch) for batch in batches):
        return Cases(judgement, rivals, margins, None, NOTHING_TO_MATCH)
    candidates = Candidates.from_rows(
        np.concatenate([np.repeat(batch.statements, batch.proofs.lengths) for batch in batches]),
        np.concatenate([batch.proofs.values for batch in batches]),
        np.concatenate(scores),
        (n, len(task.proof_ids)),
    )
    return Cases(
        judgement, rivals, margins, fill_unmatched(match_candidates(candidates).columns, candidates), None
    )
