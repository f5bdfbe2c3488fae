"""`ProofMatcher`: a self-attentive encoder with max pooling, and a trainable bilinear similarity."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa
import torch
from torch import nn
from torch.nn import functional
from transformers import PreTrainedTokenizerFast

from proofmatch.errors import ProofmatchError, one_line
from proofmatch.progress import Progress
from proofmatch.ragged import Ragged

from ...evaluation.training_data import MAX_NAME, TrainedOn, TrainingData
from ..gradient_cache import backward_in_chunks
from ..matcher import Gather, Matcher, ParameterGroup
from ..texts import Columns, Texts, encode_pieces, encode_readable_texts, encode_texts, hide_names
from ..vectors import TextVectors
from .encoder_config import ProofMatcherConfig
from .pretrained import (
    PretrainedEncoder,
    config_of_encoder,
    name_of_encoder,
    open_pieces,
    pieces_of_encoder,
    weights_of_encoder,
)

if TYPE_CHECKING:
    from tokenizers import Tokenizer

# Words of a sub-batch, padding included: enough to keep the processor busy, few enough for its cache.
WORDS_AT_ONCE = 512

_TEXTS_AT_ONCE = 256  # encoded between two updates of the progress

_SCALE_OF_COSINES = 20.0
_SCALE_OF_COVARIANCES = 0.05


class Dropout(nn.Dropout):
    """Dropout that draws 16 random bits for a component, four components at a time.

    Bernoulli numbers are the slowest part of dropout on a CPU. The probability is rounded to 1/65536.
    """

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Set components to zero at random while training, and scale the others."""
        if not self.training or not self.p or input.device.type != "cpu":
            return super().forward(input)
        dropped = round(self.p * 2**16)
        size = input.numel()
        bits = torch.empty(-(-size // 4), dtype=torch.int64).random_(-(2**63), None)
        is_kept = bits.view(torch.int16)[:size].view(input.shape) >= dropped - 2**15
        return input * is_kept.to(input.dtype).mul_(2**16 / (2**16 - dropped))


class SelfAttention(nn.Module):
    """Multi-head self-attention whose heads may be larger than their share of the embedding."""

    def __init__(self, config: ProofMatcherConfig) -> None:
        super().__init__()
        self.num_heads = config.num_heads
        self.sizes = [
            config.num_heads * size for size in (config.key_size, config.key_size, config.value_size)
        ]
        self.project = nn.Linear(config.embedding_size, sum(self.sizes))
        self.combine = nn.Linear(config.num_heads * config.value_size, config.embedding_size)

    def forward(
        self, hidden: torch.Tensor, allowed: torch.Tensor | None, projection: torch.Tensor
    ) -> torch.Tensor:
        """Attend from every token to all tokens of its text.

        Args:
            hidden: (texts, length, embedding).
            allowed: Which tokens are not padding, (texts, 1, 1, length); None if all are.
            projection: The weight of `project`, as `transposed_projection` returns it.
        """
        texts, length, _ = hidden.shape
        projected = torch.addmm(self.project.bias, hidden.flatten(0, 1), projection)
        queries, keys, values = (
            part.view(texts, length, self.num_heads, -1).transpose(1, 2)  # (texts, heads, length, size)
            for part in projected.view(texts, length, -1).split(self.sizes, dim=-1)
        )
        attended = functional.scaled_dot_product_attention(queries, keys, values, allowed)
        return self.combine(attended.transpose(1, 2).reshape(texts, length, -1))

    def transposed_projection(self) -> torch.Tensor:
        """Return the weight of `project` as (embedding, sizes), for all batches of a step.

        While gradients are computed it is a copy, because PyTorch computes the gradient in the layout of the
        matrix, and this one is faster.
        """
        transposed = self.project.weight.t()
        return transposed.contiguous() if torch.is_grad_enabled() else transposed


class EncoderLayer(nn.Module):
    """Self-attention and a feed-forward part, each with a residual connection and layer normalization."""

    def __init__(self, config: ProofMatcherConfig) -> None:
        super().__init__()
        self.attention = SelfAttention(config)
        self.attention_norm = nn.LayerNorm(config.embedding_size)
        self.expand = nn.Linear(config.embedding_size, config.feed_forward_size)
        self.contract = nn.Linear(config.feed_forward_size, config.embedding_size)
        self.feed_forward_norm = nn.LayerNorm(config.embedding_size)
        self.dropout = Dropout(config.dropout)

    def forward(
        self, hidden: torch.Tensor, allowed: torch.Tensor | None, projection: torch.Tensor
    ) -> torch.Tensor:
        """Contextualize embeddings, (texts, length, embedding)."""
        hidden = self.attention_norm(hidden + self.dropout(self.attention(hidden, allowed, projection)))
        inner = self.contract(functional.relu(self.expand(hidden)))
        return self.feed_forward_norm(hidden + self.dropout(inner))


class SelfAttentiveEncoder(nn.Module):
    """Token embeddings, self-attentive layers and max pooling, as in the paper."""

    def __init__(self, config: ProofMatcherConfig) -> None:
        super().__init__()
        self.embedding = nn.Embedding(
            config.vocab_size, config.embedding_size, padding_idx=config.pad_token_id
        )
        self.layers = nn.ModuleList(EncoderLayer(config) for _ in range(config.num_layers))
        self.dropout = Dropout(config.dropout)
        self.scale = math.sqrt(config.embedding_size)

    def forward(self, input_ids: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
        """Encode texts.

        Args:
            input_ids: Padded word ids, (texts, length).
            real: Which words are not padding, (texts, length).

        Returns:
            A vector for each text, (texts, embedding), independent of the padding.
        """
        return self.encode_batches([(input_ids, real)])[0]

    def encode_batches(self, batches: Sequence[tuple[torch.Tensor, torch.Tensor]]) -> list[torch.Tensor]:
        """Encode several batches, as `forward` does one.

        All words are looked up at once: the gradient of a lookup is as large as the vocabulary.
        """
        words = torch.cat([input_ids.flatten() for input_ids, _ in batches])
        embedded = self.embedding(words).split([input_ids.numel() for input_ids, _ in batches])
        layers = cast("Iterable[EncoderLayer]", self.layers)
        projections = [layer.attention.transposed_projection() for layer in layers]
        return [
            self._contextualize(some.view(*real.shape, -1), real, projections)
            for some, (_, real) in zip(embedded, batches, strict=True)
        ]

    def _contextualize(
        self, embedded: torch.Tensor, real: torch.Tensor, projections: list[torch.Tensor]
    ) -> torch.Tensor:
        # Attention without a mask is faster.
        allowed = None if bool(real.all()) else real[:, None, None, :]
        hidden = self.dropout(embedded * self.scale + sinusoidal_positions(embedded.shape[1], embedded))
        for layer, projection in zip(self.layers, projections, strict=True):
            hidden = layer(hidden, allowed, projection)
        if allowed is not None:
            hidden = hidden.masked_fill(~real[:, :, None], -torch.inf)
        return hidden.amax(dim=1)


def sinusoidal_positions(length: int, like: torch.Tensor) -> torch.Tensor:
    """Compute the position embeddings of "Attention Is All You Need", (length, embedding)."""
    size = like.shape[-1]
    positions = torch.arange(length, device=like.device, dtype=torch.float32)[:, None]
    pairs = torch.arange(0, size, 2, device=like.device, dtype=torch.float32)
    angles = positions * torch.exp(pairs * (-math.log(10_000.0) / size))
    embeddings = torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
    return embeddings[:, :size].to(like.dtype)


def batches_by_length(lengths: Sequence[int], words_at_once: int) -> list[np.ndarray]:
    """Sort texts by length and group them into batches with little padding.

    Args:
        lengths: Length of each text.
        words_at_once: Maximum of words per batch, padding included; a longer text is a batch of its own.

    Returns:
        The positions of the texts of each batch, longest first, so that too little memory shows at once.
    """
    order = np.argsort(-np.asarray(lengths, dtype=np.int64), kind="stable")
    batches, start = [], 0
    while start < len(order):
        size = max(1, words_at_once // max(1, lengths[order[start]]))
        batches.append(order[start : start + size])
        start += size
    return batches


def pad(texts: Sequence[np.ndarray], padding: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Pad texts to the length of the longest.

    Returns:
        The words, and which of them are not padding, both (texts, length).
    """
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    filled = np.full((len(texts), max(1, lengths.max(initial=0))), padding, dtype=np.int64)
    for row, text in zip(filled, texts, strict=True):
        row[: len(text)] = text
    return torch.from_numpy(filled), torch.from_numpy(np.arange(filled.shape[1]) < lengths[:, None])


@dataclass(frozen=True, slots=True)
class WordReader:
    """Reads texts as word ids, for a self-attentive or a pretrained encoder.

    Attributes:
        tokenizer: The tokenizer of the model.
        config: The configuration of the encoder.
        pieces: What splits typed tokens into the word pieces of a pretrained encoder.
    """

    tokenizer: "PreTrainedTokenizerFast"
    config: ProofMatcherConfig
    pieces: "Tokenizer | None" = None

    @property
    def reads_text_column(self) -> bool:
        """Whether it reads sentences with `$TeX$` instead of typed tokens."""
        return self.config.reads_text_column

    def read(self, texts: pa.Array, origin: str | None = None) -> Ragged:  # noqa: ARG002 - no cache needed
        """Read a column of texts."""
        if not self.config.reads_text_column:
            texts = hide_names(texts) if self.config.hides_names else texts
            if self.pieces is not None:
                return encode_pieces(self.pieces, texts, self.config.input, self.config.max_words)
            return encode_texts(self.tokenizer, texts, self.config.input, self.config.max_words)
        if self.config.input != "both":
            raise ProofmatchError(
                f"a pretrained encoder reads whole sentences, so its input is both, not {self.config.input}; "
                "set reads_tokens=true to give it tokens"
            )
        return encode_readable_texts(self.tokenizer, texts.to_pylist(), self.config.max_words)

    def with_candidates(self, proofs: Columns, origin: str | None = None) -> "WordReader":  # noqa: ARG002
        """Return this reader, because words are read in the same way whatever the candidates."""
        return self

    def read_training_pairs(
        self,
        statements: pa.Array,
        proofs: pa.Array,
        origins: tuple[str, str],  # noqa: ARG002
    ) -> tuple[Ragged, Ragged]:
        """Read the pairs that the matcher is trained on."""
        return self.read(statements), self.read(proofs)

    def read_renamed(self, renamed: pa.Array, statements: Texts, proofs: Texts) -> Ragged:  # noqa: ARG002
        """Read proofs of training pairs with other names for their variables."""
        return self.read(renamed)


class ProofMatcher(Matcher):
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
    pieces: torch.Tensor

    def __init__(self, config: ProofMatcherConfig) -> None:
        super().__init__(config)
        encoder = PretrainedEncoder if config.is_pretrained else SelfAttentiveEncoder
        self.encoder = encoder(config)
        if config.reads_tokens:
            self.register_buffer("pieces", torch.zeros(config.num_piece_bytes, dtype=torch.uint8))
        self.weight = nn.Parameter(torch.empty(config.embedding_size, config.embedding_size))
        self.bias = nn.Parameter(torch.empty(1))
        self.post_init()

    @classmethod
    def from_encoder(cls, encoder: str, **sizes: Any) -> "ProofMatcher":  # noqa: ANN401 - fields of the config
        """Make a matcher of a pretrained encoder and its weights; its scores start as cosine similarities.

        Args:
            encoder: `OWNER/NAME` on the Hub, or a folder.
            sizes: Fields of the configuration, such as `max_words`, or `reads_tokens`.
        """
        config = config_of_encoder(encoder, **sizes)
        pieces = pieces_of_encoder(encoder) if config.reads_tokens else b""
        config.num_piece_bytes = len(pieces)
        matcher = cls(config)
        matcher.encoder.load_state_dict(weights_of_encoder(encoder))
        if config.reads_tokens:
            matcher.pieces.copy_(torch.frombuffer(bytearray(pieces), dtype=torch.uint8))
        pretraining = one_line(f"pretraining of {name_of_encoder(encoder)}")
        matcher.training_data = TrainingData((TrainedOn(release=pretraining[:MAX_NAME]),))
        return matcher

    def forward(self, statements: Sequence[np.ndarray], proofs: Sequence[np.ndarray]) -> torch.Tensor:
        """Score every statement with every proof.

        Args:
            statements: The words of each statement.
            proofs: The words of each proof.

        Returns:
            The scores, (statements, proofs).
        """
        # Together, because more texts to sort by length need less padding.
        vectors = self.encode([*statements, *proofs])
        return self.score(vectors[: len(statements)], vectors[len(statements) :])

    def encode(self, texts: Sequence[np.ndarray]) -> torch.Tensor:
        """Encode texts, in batches of similar length.

        Args:
            texts: The words of each text.

        Returns:
            The vectors in the order of the texts, (texts, embedding).
        """
        batches = batches_by_length([len(text) for text in texts], WORDS_AT_ONCE)
        device = self.weight.device
        if not batches:
            return self.weight.new_empty((0, self.config.embedding_size))
        padded = [pad([texts[at] for at in batch], self.config.pad_token_id) for batch in batches]
        vectors = self.encoder.encode_batches([(words.to(device), real.to(device)) for words, real in padded])
        order = np.argsort(np.concatenate(batches))
        return torch.cat(vectors)[torch.from_numpy(order).to(device)]

    def score(self, statements: torch.Tensor, proofs: torch.Tensor) -> torch.Tensor:
        """Score vectors: (statements, embedding) and (proofs, embedding) → (statements, proofs).

        In full precision: in half precision, a margin of one would be lost among large scores.
        """
        with torch.autocast(self.weight.device.type, enabled=False):
            statements, proofs = statements.to(self.weight.dtype), proofs.to(self.weight.dtype)
            return statements @ self.weight @ proofs.T + self.bias

    def reader(self, tokenizer: PreTrainedTokenizerFast) -> WordReader:
        """Return the reader of word ids for this matcher."""
        return WordReader(tokenizer, self.config, self._piece_tokenizer)

    @cached_property
    def _piece_tokenizer(self) -> "Tokenizer | None":
        return open_pieces(self.pieces.cpu().numpy().tobytes()) if self.config.reads_tokens else None

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
        """Give the bilinear form a learning rate of its own."""
        return [
            ParameterGroup([one for one in self.encoder.parameters() if one.requires_grad]),
            ParameterGroup([self.weight, self.bias], rate="similarity_rate"),
        ]

    def vectors(self, texts: Texts, side: str, progress: Progress | None = None) -> TextVectors:
        """Encode texts as vectors, S·W for statements and P for proofs."""
        encoded = self.encode_all(texts, progress)
        weight, bias = (part.detach().float().cpu().numpy() for part in (self.weight, self.bias))
        # The bias, which changes no ranking, is one more dimension, so that scores equal those of `forward`.
        if side == "statement":
            return TextVectors(np.hstack([encoded @ weight, np.broadcast_to(bias, (len(encoded), 1))]))
        return TextVectors(np.hstack([encoded, np.ones((len(encoded), 1), dtype=encoded.dtype)]))

    def encode_all(self, texts: Texts, progress: Progress | None = None) -> np.ndarray:
        """Encode texts without dropout and without a graph, (texts, dim)."""
        was_training = self.training
        self.eval()
        # By length, so that texts encoded together need little padding.
        order = np.argsort(-texts.lengths, kind="stable")
        vectors = np.empty((len(texts), self.config.embedding_size), dtype=np.float32)
        with torch.inference_mode():
            for start in range(0, len(order), _TEXTS_AT_ONCE):
                some = order[start : start + _TEXTS_AT_ONCE]
                vectors[some] = self.encode([texts[number] for number in some]).float().cpu().numpy()
                if progress is not None:
                    progress.advance()
        self.train(was_training)
        return vectors

    def _init_weights(self, module: nn.Module) -> None:
        if self.config.is_pretrained and not isinstance(module, ProofMatcher):
            return  # a pretrained encoder keeps its weights
        if isinstance(module, nn.Linear):
            nn.init.xavier_uniform_(module.weight)
            nn.init.zeros_(module.bias)
        elif isinstance(module, nn.Embedding):
            # Scaled by the encoder, components are of size 1, like those of the position embeddings.
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
        if matcher.config.is_pretrained:
            # Cosines, scaled so that a softmax over them is not nearly uniform.
            nn.init.eye_(matcher.weight)
            matcher.weight.data.mul_(_SCALE_OF_COSINES)
        else:
            # Covariance of the two vectors' components: texts with the same words start with a high score.
            # With a random matrix the encoder learns next to nothing in the first epochs.
            nn.init.eye_(matcher.weight)
            matcher.weight.data.sub_(1 / len(matcher.weight)).mul_(_SCALE_OF_COVARIANCES)
