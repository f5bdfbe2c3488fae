"""The self-attentive encoder of the paper: token embeddings, self-attention, max pooling."""

import math

import torch
from torch import nn
from torch.nn import functional

from .config import ProofMatcherConfig


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

    def forward(self, hidden: torch.Tensor, allowed: torch.Tensor | None) -> torch.Tensor:
        """Let every token look at all tokens of its text.

        Args:
            hidden: (texts, length, embedding).
            allowed: Which tokens are real, (texts, 1, 1, length); None if all are.
        """
        texts, length, _ = hidden.shape
        queries, keys, values = (
            part.view(texts, length, self.num_heads, -1).transpose(1, 2)  # (texts, heads, length, size)
            for part in self.project(hidden).split(self.sizes, dim=-1)
        )
        seen = functional.scaled_dot_product_attention(queries, keys, values, allowed)
        return self.combine(seen.transpose(1, 2).reshape(texts, length, -1))


class EncoderLayer(nn.Module):
    """Self-attention and a feed-forward part, each added to its input and normalised."""

    def __init__(self, config: ProofMatcherConfig) -> None:
        super().__init__()
        self.attention = SelfAttention(config)
        self.attention_norm = nn.LayerNorm(config.embedding_size)
        self.expand = nn.Linear(config.embedding_size, config.feed_forward_size)
        self.contract = nn.Linear(config.feed_forward_size, config.embedding_size)
        self.feed_forward_norm = nn.LayerNorm(config.embedding_size)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, hidden: torch.Tensor, allowed: torch.Tensor | None) -> torch.Tensor:
        """Contextualize embeddings, (texts, length, embedding)."""
        hidden = self.attention_norm(hidden + self.dropout(self.attention(hidden, allowed)))
        inner = self.contract(functional.relu(self.expand(hidden)))
        return self.feed_forward_norm(hidden + self.dropout(inner))


class SelfAttentiveEncoder(nn.Module):
    """Texts → vectors."""

    def __init__(self, config: ProofMatcherConfig) -> None:
        super().__init__()
        self.embedding = nn.Embedding(
            config.vocab_size, config.embedding_size, padding_idx=config.pad_token_id
        )
        self.layers = nn.ModuleList(EncoderLayer(config) for _ in range(config.num_layers))
        self.dropout = nn.Dropout(config.dropout)
        self.scale = math.sqrt(config.embedding_size)

    def forward(self, input_ids: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
        """Encode texts.

        Args:
            input_ids: Words, filled up with padding, (texts, length).
            real: Which words are not padding, (texts, length).

        Returns:
            A vector for each text, (texts, embedding). Padding does not change it.
        """
        # Without padding there is nothing to mask, and attention has a faster way.
        allowed = None if bool(real.all()) else real[:, None, None, :]
        embedded = self.embedding(input_ids) * self.scale
        hidden = self.dropout(embedded + sinusoidal_positions(input_ids.shape[1], embedded))
        for layer in self.layers:
            hidden = layer(hidden, allowed)
        if allowed is not None:
            hidden = hidden.masked_fill(~real[:, :, None], -torch.inf)
        return hidden.amax(dim=1)


def sinusoidal_positions(length: int, like: torch.Tensor) -> torch.Tensor:
    """Compute the position embeddings of "Attention Is All You Need", (length, embedding)."""
    size = like.shape[-1]
    places = torch.arange(length, device=like.device, dtype=torch.float32)[:, None]
    pairs = torch.arange(0, size, 2, device=like.device, dtype=torch.float32)
    angles = places * torch.exp(pairs * (-math.log(10_000.0) / size))
    positions = torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
    return positions[:, :size].to(like.dtype)
