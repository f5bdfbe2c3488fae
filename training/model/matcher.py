"""`ProofMatcher`: the self-attentive encoder and a trainable bilinear similarity."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import nn
from transformers import PreTrainedModel

from .batching import in_batches_of_similar_length, padded
from .config import ProofMatcherConfig
from .encoder import SelfAttentiveEncoder

# Words of a sub-batch, padding included: enough to keep the processor busy, and its intermediate results in
# reach.
WORDS_AT_ONCE = 4096


class ProofMatcher(PreTrainedModel):
    """Scores how well proofs fit statements: s·W·pᵀ + b (Section "Self-Attentive Bilinear Similarity Model").

    Example:
        >>> matcher = ProofMatcher(ProofMatcherConfig(vocab_size=len(tokenizer)))  # doctest: +SKIP
        >>> scores = matcher(statements, proofs)  # (statements, proofs)  # doctest: +SKIP
    """

    config_class = ProofMatcherConfig
    base_model_prefix = "encoder"
    main_input_name = "statements"

    def __init__(self, config: ProofMatcherConfig) -> None:
        super().__init__(config)
        self.encoder = SelfAttentiveEncoder(config)
        self.weight = nn.Parameter(torch.empty(config.embedding_size, config.embedding_size))
        self.bias = nn.Parameter(torch.empty(1))
        self.post_init()

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
        padding, device = self.config.pad_token_id, self.weight.device
        vectors = [self.encoder(padded([texts[at] for at in group], padding).to(device)) for group in groups]
        order = np.argsort(np.concatenate(groups)) if groups else np.empty(0, dtype=np.int64)
        if not vectors:
            return self.weight.new_empty((0, self.config.embedding_size))
        return torch.cat(vectors)[torch.from_numpy(order).to(device)]

    def score(self, statements: torch.Tensor, proofs: torch.Tensor) -> torch.Tensor:
        """Score vectors: (statements, embedding) and (proofs, embedding) → (statements, proofs)."""
        return statements @ self.weight @ proofs.T + self.bias

    def _init_weights(self, module: nn.Module) -> None:
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
            bound = module.config.embedding_size**-0.5  # as `nn.Bilinear` starts
            nn.init.uniform_(module.weight, -bound, bound)
            nn.init.zeros_(module.bias)
