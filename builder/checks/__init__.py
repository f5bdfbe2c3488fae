"""`proofmatch check`: the invariants of a release, each check in a module of its own."""

from .report import CheckReport
from .run import check_release

__all__ = ["CheckReport", "check_release"]
