"""Metrics: the rank of the gold proof, and what is computed from it.

`rank_of_gold` and `rank_of_gold_in_block` are the one place where ties are decided.
"""

from .assignments import count_assignments, cumulative_assignments, is_one_to_one
from .bootstrap import Bootstrap, interval95, resampled_means
from .categories import CategoryScores, measure_by_category
from .comparison import Difference, compare
from .measures import MEASURES, Measures, measure, values_by_statement
from .ranks import NO_RANK, TIE_RULE, rank_of_gold, rank_of_gold_in_block, reciprocal_ranks

__all__ = [
    "MEASURES",
    "NO_RANK",
    "TIE_RULE",
    "Bootstrap",
    "CategoryScores",
    "Difference",
    "Measures",
    "compare",
    "count_assignments",
    "cumulative_assignments",
    "interval95",
    "is_one_to_one",
    "measure",
    "measure_by_category",
    "rank_of_gold",
    "rank_of_gold_in_block",
    "reciprocal_ranks",
    "resampled_means",
    "values_by_statement",
]
