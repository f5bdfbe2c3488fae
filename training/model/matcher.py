"""`ProofMatcher`: the self-attentive encoder and a trainable bilinear similarity."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import nn
from transformers import PreTrainedTokenizerFast

from proofmatch.progress import Progress

from ..gradient_cache import backward_in_chunks
from ..reading import Texts, WordReader
from ..vectors import TextVectors
from .batching import in_batches_of_similar_length, padded
from .config import ProofMatcherConfig
from .encoder import SelfAttentiveEncoder
from .pretrained import PretrainedEncoder, config_of_encoder, weights_of_encoder
from .rates import ParameterGroup
from .saved import Gather, SavedMatcher

# Words of a sub-batch, padding included: enough to keep the processor busy, and its intermediate results in
# reach.
WORDS_AT_ONCE = 1024

_TEXTS = 256  # encoded between two signs of progress

_SCALE_OF_COSINES = 20.0
_SCALE_OF_COVARIANCES = 0.05


class ProofMatcher(SavedMatcher):
    """Scores how well proofs fit statements: s·W·pᵀ + b (Section "Self-Attentive Bilinear Similarity Model").

    Example:
        >>> matcher = ProofMatcher(ProofMatcherConfig(vocab_size=len(tokenizer)))  # doctest: +SKIP
        >>> scores = matcher(statements, proofs)  # (statements, proofs)  # doctest: +SKIP
    """

    config_class = ProofMatcherConfig
    config: ProofMatcherConfig
    base_model_prefix = "encoder"
    trains_in_several_processes = True
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

    def reader(self, tokenizer: PreTrainedTokenizerFast) -> WordReader:
        """Tell how texts are read for this matcher: as numbers of words."""
        return WordReader(tokenizer, self.config)

    def backward(
        self,
        statements: Sequence[np.ndarray],
        proofs: Sequence[np.ndarray],
        loss: Callable[[torch.Tensor], torch.Tensor],
        chunk: int | None,
        gather: Gather,
    ) -> torch.Tensor:
        """Add the gradients of a batch's loss to the parameters, a chunk of texts at a time."""
        return backward_in_chunks(self, statements, proofs, loss, chunk, gather)

    def parameter_groups(self) -> list[ParameterGroup]:
        """Let the bilinear form have a rate of its own."""
        return [
            ParameterGroup(list(self.encoder.parameters())),
            ParameterGroup([self.weight, self.bias], rate="similarity_rate"),
        ]

    def vectors(self, texts: Texts, side: str, progress: Progress | None = None) -> TextVectors:
        """Turn texts into vectors, S·W for statements and P for proofs."""
        encoded = self.encode_all(texts, progress)
        weight, bias = (part.detach().float().cpu().numpy() for part in (self.weight, self.bias))
        # The bias changes no ranking, but scores are to be those of the model: one more dimension has it.
        if side == "statement":
            return TextVectors(np.hstack([encoded @ weight, np.broadcast_to(bias, (len(encoded), 1))]))
        return TextVectors(np.hstack([encoded, np.ones((len(encoded), 1), dtype=encoded.dtype)]))

    def encode_all(self, texts: Texts, progress: Progress | None = None) -> np.ndarray:
        """Encode texts without dropout and without a graph, (texts, dim)."""
        was_training = self.training
        self.eval()
        # By length, so that texts encoded together have little padding between them.
        order = np.argsort(-texts.lengths, kind="stable")
        vectors = np.empty((len(texts), self.config.embedding_size), dtype=np.float32)
        with torch.inference_mode():
            for start in range(0, len(order), _TEXTS):
                some = order[start : start + _TEXTS]
                vectors[some] = self.encode([texts[number] for number in some]).float().cpu().numpy()
                if progress is not None:
                    progress.advance()
        self.train(was_training)
        return vectors

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
