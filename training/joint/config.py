"""Every size of the joint matcher."""

from typing import Any

from transformers import PretrainedConfig

from ..lexical.config import LexicalMatcherConfig
from ..model.config import ProofMatcherConfig


class JointMatcherConfig(PretrainedConfig):
    """The sizes of a joint matcher.

    Args:
        lexical: Fields of `LexicalMatcherConfig`.
        encoder: Fields of `ProofMatcherConfig`.
        num_background_words: Words of all background statements together.
    """

    model_type = "joint-matcher"

    def __init__(
        self,
        lexical: dict[str, Any] | None = None,
        encoder: dict[str, Any] | None = None,
        num_background_words: int = 0,
        **others: Any,  # noqa: ANN401 - what `PretrainedConfig` takes
    ) -> None:
        super().__init__(**others)
        self.lexical = lexical or {}
        self.encoder = encoder or {}
        self.num_background_words = num_background_words

    @property
    def input(self) -> str:
        """What the matcher reads of a text: `both`, `text` or `math`."""
        return self.lexical_config.input

    @property
    def lexical_config(self) -> LexicalMatcherConfig:
        """The sizes of the lexical part."""
        return LexicalMatcherConfig.from_dict(self.lexical)

    @property
    def encoder_config(self) -> ProofMatcherConfig:
        """The sizes of the self-attentive part."""
        return ProofMatcherConfig.from_dict(self.encoder)
