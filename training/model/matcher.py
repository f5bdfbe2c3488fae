"""`ProofMatcher`: the self-attentive encoder and a trainable bilinear similarity."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from torch import nn
from transformers import PretrainedConfig, PreTrainedModel

from proofmatch.errors import ProofmatchError, first_line

from ..quiet import quiet_library
from .batching import in_batches_of_similar_length, padded
from .config import ProofMatcherConfig
from .encoder import SelfAttentiveEncoder
from .pretrained import PretrainedEncoder, config_of_encoder, weights_of_encoder

# Words of a sub-batch, padding included: enough to keep the processor busy, and its intermediate results in
# reach.
WORDS_AT_ONCE = 1024

_SCALE_OF_COSINES = 20.0
_SCALE_OF_COVARIANCES = 0.05


class ProofMatcher(PreTrainedModel):
    """Scores how well proofs fit statements: s·W·pᵀ + b (Section "Self-Attentive Bilinear Similarity Model").

    Example:
        >>> matcher = ProofMatcher(ProofMatcherConfig(vocab_size=len(tokenizer)))  # doctest: +SKIP
        >>> scores = matcher(statements, proofs)  # (statements, proofs)  # doctest: +SKIP
    """

    config_class = ProofMatcherConfig
    config: ProofMatcherConfig
    base_model_prefix = "encoder"
    main_input_name = "statements"

    def __init__(self, config: ProofMatcherConfig) -> None:
        super().__init__(config)
        encoder = PretrainedEncoder if config.reads_text_column else SelfAttentiveEncoder
        self.encoder = encoder(config)
        self.weight = nn.Parameter(torch.empty(config.embedding_size, config.embedding_size))
        self.bias = nn.Parameter(torch.empty(1))
        self.post_init()

    @classmethod
    def from_encoder(cls, encoder: str, **sizes: Any) -> "ProofMatcher":  # noqa: ANN401 - fields of the config
        """Put a matcher around a pretrained encoder, with its weights; it starts as cosine similarity.

        Args:
            encoder: `OWNER/NAME` on the Hub, or a folder.
            sizes: Fields of the configuration, such as `max_words`.
        """
        matcher = cls(config_of_encoder(encoder, **sizes))
        matcher.encoder.load_state_dict(weights_of_encoder(encoder))
        return matcher

    @classmethod
    def from_pretrained(  # noqa: D417 - the others are the library's
        cls,
        pretrained_model_name_or_path: Any,  # noqa: ANN401
        *others: Any,  # noqa: ANN401
        **options: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401 - a matcher, or what `output_loading_info` asks for
        """Open a matcher.

        Args:
            pretrained_model_name_or_path: A folder, or `OWNER/NAME` on the Hub.

        Raises:
            ProofmatchError: If there is none, or its weights are not those of its configuration.
        """
        name = pretrained_model_name_or_path
        is_info_wanted = options.pop("output_loading_info", False)
        wanted = {"use_safetensors": True, "ignore_mismatched_sizes": True, "output_loading_info": True}
        try:
            with quiet_library():
                kind = PretrainedConfig.get_config_dict(name, **options)[0].get("model_type")
                is_ours = kind == ProofMatcherConfig.model_type
                opened: Any = is_ours and super().from_pretrained(name, *others, **{**options, **wanted})
        except ProofmatchError as error:
            raise ProofmatchError(f"the configuration of {name} does not work: {error}") from None
        except (OSError, ValueError, RuntimeError, SafetensorError) as error:
            raise ProofmatchError(
                f"{name} is neither a folder with a matcher nor OWNER/NAME of one on the Hub "
                f"({first_line(error)})"
            ) from None
        if not is_ours:
            raise ProofmatchError(
                f"{name} is a model of the kind {kind}, not {ProofMatcherConfig.model_type}"
            )
        matcher, found = opened
        # The library gives missing weights at random and goes on, which would look like a bad model.
        faults = {kind: sorted(map(str, keys)) for kind, keys in found.items() if keys}
        if faults:
            kind, keys = next(iter(faults.items()))
            raise ProofmatchError(
                f"the weights of {name} are not those of its configuration ({kind.replace('_', ' ')}: "
                f"{keys[0]}); take config.json and model.safetensors from the same checkpoint"
            )
        return (matcher, found) if is_info_wanted else matcher

    def forward(self, statements: Sequence[np.ndarray], proofs: Sequence[np.ndarray]) -> torch.Tensor:
        """Score every statement with every proof.

        Args:
            statements: The words of each statement.
            proofs: The words of each proof.

        Returns:
            The scores, (statements, proofs).
        """
        return self.score(self.encode(statements), self.encode(proofs))

    def encode(self, texts: Sequence[np.ndarray]) -> torch.Tensor:
        """Turn texts into vectors, a few of similar length at a time so that there is little padding.

        Args:
            texts: The words of each text.

        Returns:
            The vectors in the order of the texts, (texts, embedding).
        """
        groups = in_batches_of_similar_length([len(text) for text in texts], WORDS_AT_ONCE)
        device = self.weight.device
        vectors = []
        for group in groups:
            words, real = padded([texts[at] for at in group], self.config.pad_token_id)
            vectors.append(self.encoder(words.to(device), real.to(device)))
        order = np.argsort(np.concatenate(groups)) if groups else np.empty(0, dtype=np.int64)
        if not vectors:
            return self.weight.new_empty((0, self.config.embedding_size))
        return torch.cat(vectors)[torch.from_numpy(order).to(device)]

    def score(self, statements: torch.Tensor, proofs: torch.Tensor) -> torch.Tensor:
        """Score vectors: (statements, embedding) and (proofs, embedding) → (statements, proofs).

        In the precision of the weights: in half of it, a margin of one would drown among large scores.
        """
        with torch.autocast(self.weight.device.type, enabled=False):
            statements, proofs = statements.to(self.weight.dtype), proofs.to(self.weight.dtype)
            return statements @ self.weight @ proofs.T + self.bias

    def _init_weights(self, module: nn.Module) -> None:
        if self.config.reads_text_column and not isinstance(module, ProofMatcher):
            return  # a pretrained encoder starts as it is
        if isinstance(module, nn.Linear):
            nn.init.xavier_uniform_(module.weight)
            nn.init.zeros_(module.bias)
        elif isinstance(module, nn.Embedding):
            # With the scale of the encoder, components of size 1, as large as those of the positions.
            nn.init.normal_(module.weight, std=module.embedding_dim**-0.5)
            if module.padding_idx is not None:
                nn.init.zeros_(module.weight[module.padding_idx])
        elif isinstance(module, nn.LayerNorm):
            nn.init.ones_(module.weight)
            nn.init.zeros_(module.bias)
        elif isinstance(module, ProofMatcher):
            self._init_similarity(module)

    @staticmethod
    def _init_similarity(matcher: "ProofMatcher") -> None:
        nn.init.zeros_(matcher.bias)
        if matcher.config.reads_text_column:
            # Cosines, spread so far that a softmax over them can tell good from bad.
            nn.init.eye_(matcher.weight)
            matcher.weight.data.mul_(_SCALE_OF_COSINES)
        else:
            # Covariance of the two vectors' components: texts with the same words begin with a high score.
            # From a random matrix the encoder learns next to nothing in the first epochs.
            nn.init.eye_(matcher.weight)
            matcher.weight.data.sub_(1 / len(matcher.weight)).mul_(_SCALE_OF_COVARIANCES)
