"""A site of result files, and the check that results agree with their predictions."""

from .checking import check_results
from .site import make_leaderboard

__all__ = ["check_results", "make_leaderboard"]
