"""Late fusion: two matchers that were trained alone, and a weight that the validation split chooses."""

import numpy as np
import pytest

from proofmatch.builder.release.release import open_release
from proofmatch.errors import ProofmatchError
from proofmatch.evaluation.task import load_task
from proofmatch.training.joint import WEIGHTS, fuse
from proofmatch.training.pairs import read_task
from proofmatch.training.prediction import load_matcher
from proofmatch.training.trainer.trainer import validate


@pytest.fixture(scope="module")
def opened(release):
    return open_release(release)


def test_the_weight_is_the_best_on_the_validation_split(opened, lexical_model, tiny_model):
    fused = fuse(load_matcher(lexical_model), load_matcher(tiny_model), opened)
    chosen = fused.matcher.encoder_weight.exp().item()
    split = read_task(load_task(opened, "validation"), fused.reader)
    measured = {}
    for weight in WEIGHTS:
        fused.matcher.set_encoder_weight(weight)
        measured[weight] = validate(fused.matcher, split)["mrr"]
    best = max(measured.values())
    assert chosen == pytest.approx(next(weight for weight in WEIGHTS if measured[weight] == best))


def test_both_matchers_are_in_the_scores(opened, lexical_model, tiny_model):
    lexical, encoder = load_matcher(lexical_model), load_matcher(tiny_model)
    fused = fuse(lexical, encoder, opened)
    fused.matcher.lexical.config.hub_weight = lexical.matcher.config.hub_weight = 0.0
    task = load_task(opened, "test")
    weight = fused.matcher.encoder_weight.exp().item()
    parts = []
    for model in (lexical, encoder, fused):
        texts = read_task(task, model.reader)
        statements, proofs = ([side[n] for n in range(5)] for side in (texts.statements, texts.proofs))
        parts.append(model.matcher.eval()(statements, proofs).detach().numpy())
    assert np.allclose(parts[0] + weight * parts[1], parts[2], atol=1e-4)


def test_other_matchers_and_other_pairs_are_refused(opened, lexical_model, tiny_model):
    lexical, encoder = load_matcher(lexical_model), load_matcher(tiny_model)
    with pytest.raises(ProofmatchError, match="a lexical matcher and a self-attentive one"):
        fuse(encoder, lexical, opened)
    with pytest.raises(ProofmatchError, match="other pairs, or with another seed"):
        fuse(lexical, encoder, opened, by_article=True)
