"""Baselines, decoding, metrics and the evaluator of submitted predictions."""

from typing import TYPE_CHECKING

from proofmatch.lazy import lazy_exports

if TYPE_CHECKING:
    from .decoding.dense import match_globally
    from .evaluator import evaluate
    from .report.report import write_report

__all__ = ["evaluate", "match_globally", "write_report"]

__getattr__ = lazy_exports(
    __name__,
    {
        "evaluate": ".evaluator",
        "match_globally": ".decoding.dense",
        "write_report": ".report.report",
    },
)
