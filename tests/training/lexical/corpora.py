"""A tiny corpus of typed tokens, and lexical matchers for it."""

import random

import numpy as np
import pyarrow as pa
import torch

from proofmatch.ragged import Ragged
from proofmatch.training.lexical.features import GROUPS
from proofmatch.training.lexical.lexical_config import LexicalMatcherConfig
from proofmatch.training.lexical.lexical_matcher import LexicalMatcher
from proofmatch.training.lexical.vocabulary import FeatureVocabulary, count_features, count_vocabulary

PAIRS = 12
TOKENS = ["m:x", "m:y", "m:+", "m:(", "m.bold:x", "t:Let", "t:be", "t:groups", "t:group", "t:smooth-local"]
RARE = ["m:ζ", "m:∮", "t:sheaf", "t:Hausdorff", "t:étale", "t:quiver"]


def random_texts(seed, n_texts=PAIRS, longest=14):
    """Texts of frequent and some rare tokens; the third is empty."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    texts = [
        [chance.choice(RARE if chance.random() < 0.2 else TOKENS) for _ in range(chance.randint(1, longest))]
        for _ in range(n_texts)
    ]
    texts[2:3] = [[]]
    return texts


def column(texts):
    return pa.array(texts, pa.list_(pa.string()))


def bags(texts, groups=GROUPS, input="both"):
    return count_features(column(texts), groups, input)


def as_list(texts: Ragged):
    return [texts[number] for number in range(len(texts))]


class Corpus:
    """Training pairs: their tokens, their features, and the vocabulary of these."""

    def __init__(self, config: LexicalMatcherConfig) -> None:
        self.tokens = random_texts(0), random_texts(1)
        self.bags = tuple(bags(texts, tuple(config.groups), config.input) for texts in self.tokens)
        self.vocabulary: FeatureVocabulary = count_vocabulary(list(self.bags), config.min_frequency)
        self.pairs = self.vocabulary.look_up_pairs(*self.bags)
        self.statements, self.proofs = (as_list(side) for side in self.pairs)

    def look_up(self, texts, config: LexicalMatcherConfig) -> Ragged:
        """Read texts that were not counted."""
        return self.vocabulary.look_up(bags(texts, tuple(config.groups), config.input))


def small_config(**settings) -> LexicalMatcherConfig:
    return LexicalMatcherConfig(**{"rank": 5, "min_weight_frequency": 3, "n_nearest": 3, **settings})


def small_matcher(seed=0, is_random=True, **settings) -> tuple[LexicalMatcher, Corpus]:
    """A matcher with random weights, as if trained, and its corpus."""
    config = small_config(**settings)
    corpus = Corpus(config)
    torch.manual_seed(seed)
    background = corpus.pairs[0].take(np.arange(PAIRS if config.hub_weight else 0))
    matcher = LexicalMatcher.from_bags(config, corpus.vocabulary, background)
    if is_random:
        make_random(matcher)
    return matcher.eval(), corpus


def make_random(matcher: torch.nn.Module) -> None:
    """Change all weights, as training would."""
    with torch.no_grad():
        for parameter in matcher.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
