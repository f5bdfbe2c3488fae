"""Baselines, decoding, metrics and the evaluator of submitted predictions."""

from typing import TYPE_CHECKING

from proofmatch.lazy import lazy_exports

if TYPE_CHECKING:
    from .decoding.exact.certificate import verify_certificate
    from .decoding.exact.solver import match_exactly
    from .decoding.matching import match_globally
    from .evaluator import evaluate
    from .report.page import write_report

__all__ = ["evaluate", "match_exactly", "match_globally", "verify_certificate", "write_report"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "evaluate": ".evaluator",
        "match_exactly": ".decoding.exact.solver",
        "match_globally": ".decoding.matching",
        "verify_certificate": ".decoding.exact.certificate",
        "write_report": ".report.page",
    },
    subpackages=("integrations",),
)
