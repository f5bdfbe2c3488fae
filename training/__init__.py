"""Matchers, their training, and search with them."""

from typing import TYPE_CHECKING, Any

from proofmatch.lazy import lazy_exports

from .auto_classes import register_matchers, register_when_loaded

if TYPE_CHECKING:
    from .encoder.encoder_config import ProofMatcherConfig
    from .encoder.proof_matcher import ProofMatcher
    from .joint import JointMatcher
    from .lexical.lexical_config import LexicalMatcherConfig
    from .lexical.lexical_matcher import LexicalMatcher
    from .matcher import TrainedMatcher
    from .prediction import load_matcher
    from .texts import encode_pairs
    from .tokenizer import load_tokenizer, train_tokenizer
    from .trainer.arguments import MatchingArguments
    from .trainer.trainer import MatchingTrainer
    from .views import MultiViewMatcher

__all__ = [
    "JointMatcher",
    "LexicalMatcher",
    "LexicalMatcherConfig",
    "MatchingArguments",
    "MatchingTrainer",
    "MultiViewMatcher",
    "ProofMatcher",
    "ProofMatcherConfig",
    "TrainedMatcher",
    "encode_pairs",
    "load_matcher",
    "load_tokenizer",
    "train_tokenizer",
]

_load, __dir__ = lazy_exports(
    __name__,
    {
        "MatchingArguments": ".trainer.arguments",
        "MatchingTrainer": ".trainer.trainer",
        "JointMatcher": ".joint",
        "LexicalMatcher": ".lexical.lexical_matcher",
        "LexicalMatcherConfig": ".lexical.lexical_config",
        "MultiViewMatcher": ".views",
        "ProofMatcher": ".encoder.proof_matcher",
        "ProofMatcherConfig": ".encoder.encoder_config",
        "TrainedMatcher": ".matcher",
        "encode_pairs": ".texts",
        "load_matcher": ".prediction",
        "load_tokenizer": ".tokenizer",
        "train_tokenizer": ".tokenizer",
    },
)


def __getattr__(name: str) -> Any:  # noqa: ANN401 - the type of a module's attributes
    value = _load(name)
    if name.endswith(("Matcher", "MatcherConfig")):
        register_matchers()  # so that `AutoModel.from_config` knows it
    return value


register_when_loaded()
