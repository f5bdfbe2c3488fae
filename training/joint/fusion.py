"""Late fusion: a lexical matcher and an encoder that were trained alone, with a weight from validation."""

import numpy as np

from proofmatch.errors import ProofmatchError

from ...builder.release.release import Release
from ...builder.release.schema import config_name
from ...evaluation.task import load_task
from ..lexical.background import background_rows
from ..lexical.matcher import LexicalMatcher
from ..model.matcher import ProofMatcher
from ..pairs import column_of, read_task
from ..prediction import TrainedMatcher
from ..trainer.validation import validate
from .matcher import JointMatcher

WEIGHTS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0)


def fuse(
    lexical: TrainedMatcher,
    encoder: TrainedMatcher,
    release: Release,
    *,
    by_article: bool = False,
    seed: int = 0,
) -> TrainedMatcher:
    """Add an encoder's score to a lexical one, with the weight of the best MRR on the validation split.

    Args:
        lexical: A trained lexical matcher.
        encoder: A trained self-attentive matcher.
        release: What both were trained on.
        by_article: Whether its splits are those by article.
        seed: That of the lexical matcher's training.

    Raises:
        ProofmatchError: If the matchers are of other kinds, or were trained on something else.
    """
    if not isinstance(lexical.matcher, LexicalMatcher) or not isinstance(encoder.matcher, ProofMatcher):
        raise ProofmatchError("late fusion takes a lexical matcher and a self-attentive one")
    tokens, _ = column_of(release, config_name("pairs", by_article), "train", "statement_tokens")
    background = lexical.matcher.background
    rows = background_rows(len(tokens), len(background), seed)
    texts = tokens.take(rows)
    if not np.array_equal(lexical.reader.read(texts).lengths, background.lengths):
        raise ProofmatchError("the lexical matcher was trained on other pairs, or with another seed")
    words = encoder.matcher.reader(encoder.tokenizer).read(texts)
    matcher = JointMatcher.from_parts(lexical.matcher, encoder.matcher, words)
    fused = TrainedMatcher(matcher, encoder.tokenizer)
    split = read_task(load_task(release, "validation", by_article=by_article), fused.reader)
    scores = []
    for weight in WEIGHTS:
        matcher.set_encoder_weight(weight)
        scores.append(validate(matcher, split)["mrr"])
    matcher.set_encoder_weight(WEIGHTS[int(np.argmax(scores))])
    return fused
