"""Joint matchers of tiny parts, for the tiny corpus of the lexical ones."""

import torch

from proofmatch.training import ProofMatcher, ProofMatcherConfig, train_tokenizer
from proofmatch.training.joint import JointMatcher, JointTexts
from proofmatch.training.lexical.lexical_matcher import LexicalMatcher
from tests.training.lexical.corpora import column, make_random, random_texts, small_matcher

SIZES = {"embedding_size": 6, "num_layers": 1, "num_heads": 2, "key_size": 4, "value_size": 4}


class Parts:
    """The parts of a joint matcher, and what it reads of the texts they were counted in."""

    def __init__(self, encoder_weight=1.0, encoder_share=1.0, **settings) -> None:
        self.lexical, corpus = small_matcher(**settings)
        columns = [column(side) for side in corpus.tokens]
        self.tokenizer = train_tokenizer(columns, min_count=1)
        config = ProofMatcherConfig(
            vocab_size=len(self.tokenizer),
            feed_forward_size=6,
            dropout=0.0,
            max_words=10,
            input=self.lexical.config.input,
            **SIZES,
        )
        self.encoder = ProofMatcher(config).eval()
        make_random(self.encoder)
        self.matcher = JointMatcher.from_parts(
            self.lexical, self.encoder, encoder_weight=encoder_weight, encoder_share=encoder_share
        ).eval()
        reader = self.matcher.reader(self.tokenizer)
        self.pairs = reader.read_training_pairs(columns[0], columns[1], ("one", "other"))
        self.new = tuple(reader.read(column(random_texts(seed, size))) for seed, size in ((2, 5), (3, 7)))


def both(texts: JointTexts):
    return [texts[number] for number in range(len(texts))]


def lexical_scores(matcher: LexicalMatcher, texts: tuple[JointTexts, JointTexts]) -> torch.Tensor:
    return matcher(*([text.features for text in both(side)] for side in texts))


def encoder_scores(matcher: ProofMatcher, texts: tuple[JointTexts, JointTexts]) -> torch.Tensor:
    return matcher(*([text.words for text in both(side)] for side in texts))
