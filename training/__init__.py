"""The matcher and its training."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .model.config import ProofMatcherConfig
    from .model.matcher import ProofMatcher
    from .tokenizer import load_tokenizer, train_tokenizer

__all__ = ["ProofMatcher", "ProofMatcherConfig", "load_tokenizer", "train_tokenizer"]

# On first use, so that a command does not load what it does not need.
_MODULES = {
    "ProofMatcher": ".model.matcher",
    "ProofMatcherConfig": ".model.config",
    "load_tokenizer": ".tokenizer",
    "train_tokenizer": ".tokenizer",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - the type of a module's attributes
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_MODULES[name], __name__), name)
