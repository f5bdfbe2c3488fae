"""A matching task that a tiny matcher learns in no time: each pair has a unique word."""

import numpy as np
import torch

from proofmatch.ragged import Ragged
from proofmatch.training import MatchingArguments, MatchingTrainer, ProofMatcher, ProofMatcherConfig
from proofmatch.training.pairs import MatchingSet, TrainingPairs

PAIRS = 12
COMMON = 20  # words that all texts have, numbered after those of their own


def tiny_matcher(dropout: float = 0.0) -> ProofMatcher:
    torch.manual_seed(0)
    sizes = {"embedding_size": 16, "num_layers": 1, "num_heads": 2, "key_size": 8, "value_size": 8}
    return ProofMatcher(
        ProofMatcherConfig(vocab_size=1 + PAIRS + COMMON, feed_forward_size=16, dropout=dropout, **sizes)
    )


def toy_texts(seed: int) -> list[np.ndarray]:
    chance = np.random.default_rng(seed)
    return [
        np.concatenate([[1 + number], chance.integers(1 + PAIRS, 1 + PAIRS + COMMON, 2 + number % 5)])
        for number in range(PAIRS)
    ]


def encoded(texts: list[np.ndarray]) -> Ragged:
    return Ragged(np.concatenate(texts), np.cumsum([0, *map(len, texts)]))


def toy_pairs() -> TrainingPairs:
    return TrainingPairs(encoded(toy_texts(0)), encoded(toy_texts(1)))


def toy_task() -> MatchingSet:
    return MatchingSet(encoded(toy_texts(2)), encoded(toy_texts(3)), np.arange(PAIRS))


def toy_trainer(out, matcher=None, **settings) -> MatchingTrainer:
    arguments = {"per_device_train_batch_size": 4, "sampling": "epochs", "report_to": "none", **settings}
    return MatchingTrainer(
        tiny_matcher() if matcher is None else matcher,
        MatchingArguments(output_dir=str(out), **arguments),
        toy_pairs(),
        toy_task(),
    )
