"""`ProofMatcherConfig`: the sizes of the self-attentive matcher."""

from typing import Any

from transformers import PretrainedConfig

from proofmatch.errors import ProofmatchError, check_choice, check_integers

from ...evaluation.task import INPUTS

_MINIMA = {
    **dict.fromkeys(("vocab_size", "embedding_size", "feed_forward_size"), 1),
    **dict.fromkeys(("num_heads", "key_size", "value_size"), 1),
    "num_layers": 0,
    "frozen_layers": 0,
    "num_piece_bytes": 0,
    "max_words": 3,  # start, one word, end
}


class ProofMatcherConfig(PretrainedConfig):
    """The sizes of a matcher; the defaults are the paper's (Section "Experimental setup").

    Args:
        vocab_size: Words of the tokenizer.
        embedding_size: Dimension of word embeddings, of contextualized embeddings and of a text's vector.
        num_layers: Self-attentive layers.
        num_heads: Attention heads per layer.
        key_size: Dimension of a head's queries and keys.
        value_size: Dimension of a head's values.
        feed_forward_size: Inner dimension of the feed-forward part of a layer.
        dropout: Dropout probability.
        pad_token_id: Id of the padding word.
        max_words: Longer texts are truncated.
        input: Which tokens the matcher takes: `both`, `text` or `math`.
        hides_names: Whether it reads `hide_names` of the texts, and so does not see the names of variables.
        encoder: Name of a pretrained encoder that replaces ours (`ProofMatcher.from_encoder`). Then
            `embedding_size` is the size of its vectors, and the sizes of layers have no effect.
        encoder_config: The configuration of that encoder, so that a saved matcher is self-contained.
        reads_tokens: Whether a pretrained encoder reads the surfaces of typed tokens, split into its own word
            pieces, and not sentences with `$TeX$`.
        frozen_layers: Number of layers of a pretrained encoder, after its embeddings, that keep their weights
            and its embeddings'; 0 to train all weights.
        num_piece_bytes: Size of the tokenizer that makes these pieces, which is saved with the weights.
    """

    model_type = "proof-matcher"

    def __init__(
        self,
        vocab_size: int = 100_000,
        embedding_size: int = 300,
        num_layers: int = 2,
        num_heads: int = 4,
        key_size: int = 128,
        value_size: int = 128,
        feed_forward_size: int = 300,
        dropout: float = 0.1,
        pad_token_id: int = 0,
        max_words: int = 502,
        input: str = "both",
        hides_names: bool = False,
        encoder: str | None = None,
        encoder_config: dict[str, Any] | None = None,
        reads_tokens: bool = False,
        frozen_layers: int = 0,
        num_piece_bytes: int = 0,
        **others: Any,  # noqa: ANN401 - what `PretrainedConfig` takes
    ) -> None:
        super().__init__(**others)
        if not isinstance(dropout, int | float) or not 0 <= dropout < 1:
            raise ProofmatchError(f"dropout must be from 0 to less than 1, not {dropout!r}")
        if encoder is not None and encoder_config is None:
            raise ProofmatchError(
                f"a matcher around the pretrained encoder {encoder} is made by ProofMatcher.from_encoder"
            )
        if encoder_config is None and (reads_tokens or frozen_layers):
            raise ProofmatchError(
                "reads_tokens and frozen_layers are settings of pretrained encoders; leave them out"
            )
        if not isinstance(encoder_config, dict | None):
            raise ProofmatchError(f"encoder_config must be a table, not {encoder_config!r}")
        if hides_names and encoder_config is not None and not reads_tokens:
            raise ProofmatchError(
                "hides_names needs typed tokens, but the encoder reads sentences; leave it out"
            )
        check_choice("input", input, INPUTS)
        self.pad_token_id = pad_token_id
        self.vocab_size = vocab_size
        self.embedding_size = embedding_size
        self.num_layers = num_layers
        self.num_heads = num_heads
        self.key_size = key_size
        self.value_size = value_size
        self.feed_forward_size = feed_forward_size
        self.dropout = dropout
        self.max_words = max_words
        self.input = input
        self.hides_names = hides_names
        self.encoder = encoder
        self.encoder_config = encoder_config
        self.reads_tokens = reads_tokens
        self.frozen_layers = frozen_layers
        self.num_piece_bytes = num_piece_bytes
        check_integers(self, _MINIMA)

    @property
    def reads_text_column(self) -> bool:
        """Whether the matcher reads sentences with `$TeX$`, and not typed tokens."""
        return self.is_pretrained and not self.reads_tokens

    @property
    def is_pretrained(self) -> bool:
        """Whether a pretrained encoder replaces ours."""
        return self.encoder_config is not None
