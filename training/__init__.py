"""The matcher and its training."""

from typing import TYPE_CHECKING

from proofmatch.lazy import lazy_exports

if TYPE_CHECKING:
    from .model.config import ProofMatcherConfig
    from .model.matcher import ProofMatcher
    from .tokenizer import load_tokenizer, train_tokenizer

__all__ = ["ProofMatcher", "ProofMatcherConfig", "load_tokenizer", "train_tokenizer"]

__getattr__ = lazy_exports(
    __name__,
    {
        "ProofMatcher": ".model.matcher",
        "ProofMatcherConfig": ".model.config",
        "load_tokenizer": ".tokenizer",
        "train_tokenizer": ".tokenizer",
    },
)
