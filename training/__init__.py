"""The matcher and its training."""

from typing import TYPE_CHECKING

from proofmatch.lazy import lazy_exports

if TYPE_CHECKING:
    from .encoding import encode_pairs
    from .joint.matcher import JointMatcher
    from .lexical.config import LexicalMatcherConfig
    from .lexical.matcher import LexicalMatcher
    from .model.config import ProofMatcherConfig
    from .model.matcher import ProofMatcher
    from .tokenizer import load_tokenizer, train_tokenizer
    from .trainer.arguments import MatchingArguments
    from .trainer.trainer import MatchingTrainer

__all__ = [
    "JointMatcher",
    "LexicalMatcher",
    "LexicalMatcherConfig",
    "MatchingArguments",
    "MatchingTrainer",
    "ProofMatcher",
    "ProofMatcherConfig",
    "encode_pairs",
    "load_tokenizer",
    "train_tokenizer",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "MatchingArguments": ".trainer.arguments",
        "MatchingTrainer": ".trainer.trainer",
        "JointMatcher": ".joint.matcher",
        "LexicalMatcher": ".lexical.matcher",
        "LexicalMatcherConfig": ".lexical.config",
        "ProofMatcher": ".model.matcher",
        "ProofMatcherConfig": ".model.config",
        "encode_pairs": ".encoding",
        "load_tokenizer": ".tokenizer",
        "train_tokenizer": ".tokenizer",
    },
)
