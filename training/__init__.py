"""Matchers, their training, and search with them."""

from typing import TYPE_CHECKING

from proofmatch.lazy import lazy_exports

if TYPE_CHECKING:
    from .encoder.encoder_config import ProofMatcherConfig
    from .encoder.proof_matcher import ProofMatcher
    from .joint import JointMatcher
    from .lexical.lexical_config import LexicalMatcherConfig
    from .lexical.lexical_matcher import LexicalMatcher
    from .texts import encode_pairs
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

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "MatchingArguments": ".trainer.arguments",
        "MatchingTrainer": ".trainer.trainer",
        "JointMatcher": ".joint",
        "LexicalMatcher": ".lexical.lexical_matcher",
        "LexicalMatcherConfig": ".lexical.lexical_config",
        "ProofMatcher": ".encoder.proof_matcher",
        "ProofMatcherConfig": ".encoder.encoder_config",
        "encode_pairs": ".texts",
        "load_tokenizer": ".tokenizer",
        "train_tokenizer": ".tokenizer",
    },
)
