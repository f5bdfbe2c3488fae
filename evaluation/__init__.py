"""Baselines, decoding, metrics and the evaluator of submitted predictions."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .decoding.dense import match_globally
    from .evaluator import evaluate

__all__ = ["evaluate", "match_globally"]

# On first use, so that a command does not load what it does not need.
_MODULES = {"evaluate": ".evaluator", "match_globally": ".decoding.dense"}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - the type of a module's attributes
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_MODULES[name], __name__), name)
