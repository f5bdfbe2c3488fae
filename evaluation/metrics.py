"""Metrics: the rank of the gold proof, scores computed from ranks, their intervals and comparisons.

`rank_of_gold` and `rank_of_gold_in_block` are the only functions that decide ties; trainer, baselines and
evaluator all rank with them.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass

import numpy as np

from proofmatch.errors import ProofmatchError
from proofmatch.ragged import Ragged

TIE_RULE = (
    "the gold proof ranks after every proof with an equal score; a gold proof that is not listed has no rank"
)
NO_RANK = 0
MEASURES = ("mrr", "accuracy", "recall@10", "recall@100", "ndcg@10")
UNKNOWN = "unknown"
# What predictions are detected to be, whatever their sidecar says.
RANKING, ONE_TO_ONE, NEARLY_ONE_TO_ONE, ONE_PROOF_EACH = (
    "ranking",
    "one-to-one",
    "nearly one-to-one",
    "one proof each",
)

_DRAWS_PER_BLOCK = 2**18  # so that the counts stay in the CPU's cache
_LEAST_WRONG = 20  # wrong choices needed before the share of repeated ones is meaningful
_LEAST_REPEATED = 0.25  # as a share of the wrong choices; 37% for random choices, more for rankings
_DIGITS = 6  # far below the noise of resampling, and above differences in arithmetic between machines


def rank_of_gold(
    columns: Ragged, scores: np.ndarray | None, gold: np.ndarray, tie_order: np.ndarray | None = None
) -> np.ndarray:
    """Rank each row's gold column among the columns listed for the row.

    With scores, the rank is the number of listed columns whose score is at least the gold column's score,
    whatever their order. Without scores, it is the position in the list.

    Args:
        columns: The columns listed for each row; no column twice in a row.
        scores: The score of each of `columns.values`, higher is better; None to rank by position.
        gold: The gold column of each row, (rows).
        tie_order: For other tie rules: among equal scores, the column with the larger number is first,
            (all columns).

    Returns:
        Ranks from 1, and `NO_RANK` where the gold column is not listed, (rows).
    """
    ranks = np.full(len(gold), NO_RANK, dtype=np.int64)
    rows = columns.rows
    at = np.flatnonzero(columns.values == gold[rows])
    listed = rows[at]
    if scores is None:
        ranks[listed] = at - columns.starts[listed] + 1
        return ranks
    _refuse_nan(scores)
    gold_scores = np.zeros(len(gold), dtype=scores.dtype)
    gold_scores[listed] = scores[at]
    is_before = scores >= gold_scores[rows]
    if tie_order is not None:
        is_before &= (scores > gold_scores[rows]) | (tie_order[columns.values] >= tie_order[gold[rows]])
    as_good = np.bincount(rows[is_before], minlength=len(gold))
    ranks[listed] = as_good[listed]
    return ranks


def rank_of_gold_in_block(scores: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """Rank each row's gold column in a block of scores of all columns, by the same tie rule.

    Args:
        scores: Higher is better, (rows, columns).
        gold: The gold column of each row, (rows).

    Returns:
        Ranks from 1, (rows).
    """
    _refuse_nan(scores)
    gold_scores = scores[np.arange(len(gold)), gold]
    return np.count_nonzero(scores >= gold_scores[:, None], axis=1).astype(np.int64)


def _refuse_nan(scores: np.ndarray) -> None:
    # NaN compares as lower than everything, which would improve the rank. The minimum is NaN if any score is.
    if scores.size and np.isnan(scores.min()):
        raise ProofmatchError("a score is NaN, which cannot be ranked; scores must be numbers")


def reciprocal_ranks(ranks: np.ndarray) -> np.ndarray:
    """Compute 1/rank, and 0 where there is no rank."""
    return np.divide(1.0, ranks, out=np.zeros(len(ranks)), where=ranks != NO_RANK)


@dataclass(frozen=True, slots=True)
class Measures:
    """Scores of a system, as fractions from 0 to 1.

    Attributes:
        mrr: Mean reciprocal rank of the gold proof.
        accuracy: Share of statements whose gold proof has rank 1.
        recall_at_10: Share of statements whose gold proof is among the first 10.
        recall_at_100: The same among the first 100.
        ndcg_at_10: nDCG@10. With one gold proof per statement, it is the mean of 1/log₂(1 + rank), where
            ranks over 10 count as 0.
    """

    mrr: float
    accuracy: float
    recall_at_10: float
    recall_at_100: float
    ndcg_at_10: float

    def as_dict(self) -> dict[str, float]:
        """Return the measures by their names in result files."""
        return dict(zip(MEASURES, astuple(self), strict=True))


def measure(ranks: np.ndarray) -> Measures:
    """Compute the measures of at least one rank."""
    values = values_by_statement(ranks)
    # fsum rounds only once, so the order of additions, which differs between machines, does not matter.
    return Measures(*(math.fsum(column) / len(ranks) for column in values.T.tolist()))


def values_by_statement(ranks: np.ndarray) -> np.ndarray:
    """Compute the values of each statement whose means are `MEASURES`: (statements, 5)."""
    within = {depth: (ranks != NO_RANK) & (ranks <= depth) for depth in (1, 10, 100)}
    gains = within[10] / np.log2(1 + np.maximum(ranks, 1))
    return np.stack([reciprocal_ranks(ranks), *within.values(), gains], axis=1, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class CategoryScores:
    """Scores on the statements of one primary category.

    Attributes:
        n: Number of statements.
        mrr: Mean reciprocal rank, a fraction.
        accuracy: Share of rank 1, a fraction.
    """

    n: int
    mrr: float
    accuracy: float


def measure_by_category(ranks: np.ndarray, categories: Sequence[str | None]) -> dict[str, CategoryScores]:
    """Compute the scores of each primary category, the largest first; None counts as `unknown`."""
    members: dict[str, list[int]] = defaultdict(list)
    for number, category in enumerate(categories):
        members[category or UNKNOWN].append(number)
    found = {}
    for category, numbers in sorted(members.items(), key=lambda item: (-len(item[1]), item[0])):
        measures = measure(ranks[numbers])
        found[category] = CategoryScores(len(numbers), measures.mrr, measures.accuracy)
    return found


def count_assignments(first_choices: np.ndarray, n_proofs: int) -> dict[int, int]:
    """Count the proofs that are the first choice of 0, 1, 2, … statements, without zero counts."""
    counts = np.bincount(np.bincount(first_choices, minlength=n_proofs))
    return {number: int(count) for number, count in enumerate(counts) if count}


def is_one_to_one(first_choices: np.ndarray) -> bool:
    """Tell whether no proof is the first choice of two statements."""
    return len(np.unique(first_choices)) == len(first_choices)


def see_decoding(first_choices: np.ndarray, gold: np.ndarray, longest: int) -> str:
    """Tell from the predictions alone whether they are a ranking or a matching.

    The choices of a ranking are independent, so most wrong choices repeat the choice of another statement:
    52% to 89% of them in our rankings of the Stacks project. A matching avoids repeated choices, and
    has few of them even after some changes.

    Args:
        first_choices: The number of the first proof of each statement, (statements).
        gold: The number of the gold proof of each statement, (statements).
        longest: The number of proofs in the longest list.

    Returns:
        `RANKING`, or the kind of matching: `ONE_TO_ONE`, `NEARLY_ONE_TO_ONE` or `ONE_PROOF_EACH`.
    """
    n_repeated = len(first_choices) - len(np.unique(first_choices))
    n_wrong = int((first_choices != gold).sum())
    if len(first_choices) > 1 and not n_repeated:
        return ONE_TO_ONE
    if n_wrong >= _LEAST_WRONG and n_repeated < _LEAST_REPEATED * n_wrong:
        return NEARLY_ONE_TO_ONE
    return ONE_PROOF_EACH if longest == 1 else RANKING


def cumulative_assignments(assignment_counts: dict[int, int]) -> list[tuple[str, int]]:
    """Sum the counts into the rows of the paper's table: `≥ 20`, `≥ 10`, `≥ 5`, `≥ 2`, `= 1`, `< 1`."""
    rows = [
        (f"≥ {least}", sum(proofs for number, proofs in assignment_counts.items() if number >= least))
        for least in (20, 10, 5, 2)
    ]
    return [*rows, ("= 1", assignment_counts.get(1, 0)), ("< 1", assignment_counts.get(0, 0))]


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """How statements are resampled.

    Attributes:
        resamples: Number of resamples.
        seed: Equal seeds give equal intervals.
    """

    resamples: int = 10_000
    seed: int = 0


def resampled_means(values: np.ndarray, bootstrap: Bootstrap) -> np.ndarray:
    """Draw as many statements as there are, with replacement, many times, and take the means.

    Args:
        values: The values of each statement, (statements, measures).
        bootstrap: Number of resamples and seed.

    Returns:
        The means, (resamples, measures).
    """
    return np.concatenate([counts @ values for counts in _drawn_counts(len(values), bootstrap)]) / len(values)


def interval95(means: np.ndarray) -> list[tuple[float, float]]:
    """Compute the 95% percentile interval of the resampled means, for each measure."""
    low, high = np.percentile(means, [2.5, 97.5], axis=0).round(_DIGITS)
    return list(zip(low.tolist(), high.tolist(), strict=True))


def _drawn_counts(n: int, bootstrap: Bootstrap) -> Iterator[np.ndarray]:
    """Count the draws of each statement, for some resamples at a time: (some resamples, statements)."""
    generator = np.random.default_rng(bootstrap.seed)
    height = max(1, _DRAWS_PER_BLOCK // n)
    for start in range(0, bootstrap.resamples, height):
        some = min(height, bootstrap.resamples - start)
        drawn = generator.integers(0, n, (some, n))
        drawn += np.arange(some)[:, None] * n
        yield np.bincount(drawn.ravel(), minlength=some * n).reshape(some, n).astype(np.float64)


@dataclass(frozen=True, slots=True)
class Difference:
    """How much better system A is than system B by one measure.

    Attributes:
        difference: A minus B, a fraction.
        ci95: Its 95% percentile interval.
        not_better: Share of resamples in which A is not better than B.
    """

    difference: float
    ci95: tuple[float, float]
    not_better: float


def compare(
    ranks_a: np.ndarray, ranks_b: np.ndarray, bootstrap: Bootstrap | None = None
) -> dict[str, Difference]:
    """Compare two systems by a paired bootstrap, which draws the same statements for both.

    Args:
        ranks_a: Rank of each statement's gold proof in system A.
        ranks_b: The same for system B, in the same order of statements.
        bootstrap: How statements are resampled.

    Returns:
        The difference by each of `MEASURES`.
    """
    if len(ranks_a) != len(ranks_b):
        raise ProofmatchError(
            f"{len(ranks_a)} and {len(ranks_b)} ranks cannot be compared: give ranks of the same statements"
        )
    values = values_by_statement(ranks_a) - values_by_statement(ranks_b)
    means = resampled_means(values, bootstrap or Bootstrap())
    # A mean of equal numbers of gains and losses may come out as 1e-20 instead of 0.
    not_better = (means.round(12) <= 0).mean(axis=0).tolist()
    differences = values.mean(axis=0).tolist()
    figures = zip(differences, interval95(means), not_better, strict=True)
    return {name: Difference(*figure) for name, figure in zip(MEASURES, figures, strict=True)}
