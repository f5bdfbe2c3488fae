"""A site of result files, and the check that they are what predictions amount to."""

from .checking import check_results
from .making import make_leaderboard

__all__ = ["check_results", "make_leaderboard"]
