"""The rank of the gold proof: the one tie rule that trainer, baselines and evaluator share."""

import numpy as np

from proofmatch.errors import ProofmatchError

TIE_RULE = (
    "the gold proof ranks after every proof with an equal score; a gold proof that is not listed has no rank"
)

NO_RANK = 0


def rank_of_gold(
    starts: np.ndarray, columns: np.ndarray, scores: np.ndarray | None, gold: np.ndarray
) -> np.ndarray:
    """Find the rank of each row's gold column among the columns listed for the row.

    With scores the rank is the number of listed columns whose score is at least that of the gold one, in
    whatever order they are listed. Without scores it is the place in the list.

    Args:
        starts: Where each row's list begins, and after the last one the end, (rows + 1).
        columns: The lists, one after the other; no column twice in a row.
        scores: The score of each listed column, higher is better; None if the order is all there is.
        gold: The gold column of each row, (rows).

    Returns:
        Ranks from 1, and `NO_RANK` where the gold column is not listed, (rows).
    """
    ranks = np.full(len(gold), NO_RANK, dtype=np.int64)
    rows = np.repeat(np.arange(len(gold)), np.diff(starts))
    at = np.flatnonzero(columns == gold[rows])
    listed = rows[at]
    if scores is None:
        ranks[listed] = at - starts[listed] + 1
        return ranks
    _refuse_nan(scores)
    gold_scores = np.zeros(len(gold), dtype=scores.dtype)
    gold_scores[listed] = scores[at]
    as_good = np.bincount(rows[scores >= gold_scores[rows]], minlength=len(gold))
    ranks[listed] = as_good[listed]
    return ranks


def rank_of_gold_in_block(scores: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """Find the rank of each row's gold column in a block of scores of all columns, by the same tie rule.

    Args:
        scores: Higher is better, (rows, columns).
        gold: The gold column of each row, (rows).

    Returns:
        Ranks from 1, (rows).
    """
    _refuse_nan(scores)
    gold_scores = scores[np.arange(len(gold)), gold]
    return np.count_nonzero(scores >= gold_scores[:, None], axis=1).astype(np.int64)


def reciprocal_ranks(ranks: np.ndarray) -> np.ndarray:
    """Compute 1/rank, and 0 where there is no rank."""
    return np.divide(1.0, ranks, out=np.zeros(len(ranks)), where=ranks != NO_RANK)


def _refuse_nan(scores: np.ndarray) -> None:
    # NaN compares as worse than everything and would flatter; the minimum is NaN if any score is.
    if scores.size and np.isnan(scores.min()):
        raise ProofmatchError("a score is NaN, which has no place in a ranking; scores must be numbers")
