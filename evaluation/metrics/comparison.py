"""Whether one system is better than another on the same statements: the paired bootstrap."""

from dataclasses import dataclass

import numpy as np

from proofmatch.errors import ProofmatchError

from .bootstrap import Bootstrap, interval95, resampled_means
from .measures import MEASURES, values_by_statement


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
    """Compare two systems statement by statement, so that what is hard for both does not blur the difference.

    Args:
        ranks_a: Rank of each statement's gold proof in system A.
        ranks_b: The same for system B, in the same order of statements.
        bootstrap: How statements are resampled.

    Returns:
        The difference by each measure: `mrr`, `accuracy`, `recall@10`, `recall@100`.
    """
    if len(ranks_a) != len(ranks_b):
        raise ProofmatchError(
            f"{len(ranks_a)} and {len(ranks_b)} ranks cannot be compared: give those of the same statements"
        )
    values = values_by_statement(ranks_a) - values_by_statement(ranks_b)
    means = resampled_means(values, bootstrap or Bootstrap())
    # A mean of equal numbers of gains and losses may come out as 1e-20 instead of 0.
    not_better = (means.round(12) <= 0).mean(axis=0).tolist()
    differences = values.mean(axis=0).tolist()
    figures = zip(differences, interval95(means), not_better, strict=True)
    return {name: Difference(*figure) for name, figure in zip(MEASURES, figures, strict=True)}
