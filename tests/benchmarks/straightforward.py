"""A literal implementation of the paper's training step, as the baseline for speed.

One pad batch of statements and proofs together, attention by explicit matrices, `nn.Bilinear` over all b²
pairs.
"""

import math

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from proofmatch.training.encoder.encoder_config import ProofMatcherConfig
from proofmatch.training.encoder.proof_matcher import pad, sinusoidal_positions


class Layer(nn.Module):
    def __init__(self, config: ProofMatcherConfig, attention_dropout: float) -> None:
        super().__init__()
        self.attention_dropout = nn.Dropout(attention_dropout)
        self.heads, self.key_size, self.value_size = config.num_heads, config.key_size, config.value_size
        self.query = nn.Linear(config.embedding_size, self.heads * self.key_size)
        self.key = nn.Linear(config.embedding_size, self.heads * self.key_size)
        self.value = nn.Linear(config.embedding_size, self.heads * self.value_size)
        self.combine = nn.Linear(self.heads * self.value_size, config.embedding_size)
        self.first_norm = nn.LayerNorm(config.embedding_size)
        self.expand = nn.Linear(config.embedding_size, config.feed_forward_size)
        self.contract = nn.Linear(config.feed_forward_size, config.embedding_size)
        self.second_norm = nn.LayerNorm(config.embedding_size)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, hidden: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
        texts, length, _ = hidden.shape
        queries = self.query(hidden).view(texts, length, self.heads, self.key_size).transpose(1, 2)
        keys = self.key(hidden).view(texts, length, self.heads, self.key_size).transpose(1, 2)
        values = self.value(hidden).view(texts, length, self.heads, self.value_size).transpose(1, 2)
        weights = queries @ keys.transpose(2, 3) / math.sqrt(self.key_size)
        weights = weights.masked_fill(~real[:, None, None, :], -torch.inf).softmax(dim=-1)
        seen = (self.attention_dropout(weights) @ values).transpose(1, 2).reshape(texts, length, -1)
        hidden = self.first_norm(hidden + self.dropout(self.combine(seen)))
        return self.second_norm(hidden + self.dropout(self.contract(functional.relu(self.expand(hidden)))))


class StraightforwardMatcher(nn.Module):
    """The matcher; many implementations of self-attention also drop some of its weights, ours does not."""

    def __init__(self, config: ProofMatcherConfig, attention_dropout: float = 0.0) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(
            config.vocab_size, config.embedding_size, padding_idx=config.pad_token_id
        )
        self.layers = nn.ModuleList(Layer(config, attention_dropout) for _ in range(config.num_layers))
        self.dropout = nn.Dropout(config.dropout)
        self.similarity = nn.Bilinear(config.embedding_size, config.embedding_size, 1)

    def forward(self, statements: list[np.ndarray], proofs: list[np.ndarray]) -> torch.Tensor:
        words, real = pad([*statements, *proofs], self.config.pad_token_id)
        embedded = self.embedding(words) * math.sqrt(self.config.embedding_size)
        hidden = self.dropout(embedded + sinusoidal_positions(words.shape[1], embedded))
        for layer in self.layers:
            hidden = layer(hidden, real)
        vectors = hidden.masked_fill(~real[:, :, None], -torch.inf).amax(dim=1)
        left, right = vectors[: len(statements)], vectors[len(statements) :]
        pairs = len(left), len(right)
        each = left[:, None, :].expand(*pairs, -1).reshape(pairs[0] * pairs[1], -1)
        other = right[None, :, :].expand(*pairs, -1).reshape(pairs[0] * pairs[1], -1)
        return self.similarity(each, other).view(pairs)
