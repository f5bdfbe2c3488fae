"""`proofmatch check`: the invariants of a release."""

from .report import CheckReport
from .run import check_release

__all__ = ["CheckReport", "check_release"]
