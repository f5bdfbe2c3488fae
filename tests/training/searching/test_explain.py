"""Explanations of scores: their parts add up to what any matcher with features gives."""

import itertools

import pytest

from proofmatch.builder.release.release import open_release
from proofmatch.errors import ProofmatchError
from proofmatch.evaluation.task import load_task, load_tokens
from proofmatch.training.prediction import TrainedMatcher, load_matcher, model_scores
from proofmatch.training.searching.explain import explain, lexical_parts
from proofmatch.training.vectors import scores_of
from tests.training.joint_parts import Parts, encoder_scores
from tests.training.lexical.corpora import column, random_texts

SETTINGS = {
    "all": {},
    "no hubness correction": {"hub_weight": 0},
    "rank 0": {"rank": 0},
    "rank 0 and no hubness correction": {"rank": 0, "hub_weight": 0},
    "no sparse part": {"has_sparse_part": False},
    "no sparse part and no hubness correction": {"has_sparse_part": False, "hub_weight": 0},
}
SIDES = ("statement", "proof")
TEXTS = random_texts(2, 5), random_texts(3, 7)
PAIRS = list(itertools.product(range(5), range(7)))


@pytest.fixture(params=SETTINGS.values(), ids=SETTINGS)
def parts(request):
    return Parts(encoder_weight=0.7, **request.param)


def explained(model, row, place, **others):
    return explain(model, TEXTS[0][row], TEXTS[1][place], **others)


@pytest.mark.parametrize("kind", ["lexical", "joint"])
def test_the_parts_add_up_to_the_score(parts, kind):
    model = TrainedMatcher({"lexical": parts.lexical, "joint": parts.matcher}[kind], parts.tokenizer)
    texts = [model.reader.read(column(side)) for side in TEXTS]
    vectors = [model.matcher.vectors(text, side) for text, side in zip(texts, SIDES, strict=True)]
    scores = scores_of(*vectors).block(0, 5)
    for row, place in PAIRS:
        found = explained(model, row, place)
        assert found.score == pytest.approx(scores[row, place], abs=1e-4)
        assert found.shared + found.associated + found.encoder + found.hubness_correction == found.score
        reasons = sum(reason.contribution for reason in found.reasons)
        assert reasons == pytest.approx(found.shared + found.associated, abs=1e-4)


def test_the_encoder_adds_its_own_score_with_its_weight(parts):
    model = TrainedMatcher(parts.matcher, parts.tokenizer)
    scores = encoder_scores(parts.encoder, parts.new)
    for row, place in PAIRS:
        assert explained(model, row, place).encoder == pytest.approx(
            0.7 * scores[row, place].item(), abs=1e-4
        )
        lexical = TrainedMatcher(parts.lexical, parts.tokenizer)
        assert explained(lexical, row, place).encoder == 0


def test_the_hubness_correction_depends_on_the_proof_alone(parts):
    model = TrainedMatcher(parts.matcher, parts.tokenizer)
    taken = {
        place: {round(explained(model, row, place).hubness_correction, 4) for row in range(5)}
        for place in range(7)
    }
    assert all(len(values) == 1 for values in taken.values())
    assert any(value for values in taken.values() for value in values) == bool(
        parts.lexical.config.hub_weight
    )


def test_vectors_that_are_known_need_not_be_computed(parts, monkeypatch):
    model = TrainedMatcher(parts.matcher, parts.tokenizer)
    expected = explained(model, 1, 4)
    texts = [model.reader.read(column(side)) for side in TEXTS]
    vectors = [model.matcher.vectors(text, side) for text, side in zip(texts, SIDES, strict=True)]
    monkeypatch.setattr(type(parts.matcher), "vectors", None)
    found = explained(model, 1, 4, vectors=(vectors[0][1:2], vectors[1][4:5]))
    assert found.score == pytest.approx(expected.score, abs=1e-4)
    assert found.reasons == expected.reasons


@pytest.mark.parametrize("kind", ["lexical_model", "joint_model", "best_model"])
def test_scores_of_a_saved_model_are_explained(kind, release, request):
    model, opened = load_matcher(request.getfixturevalue(kind)), open_release(release)
    scores = model_scores(model, load_task(opened, "test")).block(0, 2)
    statements, proofs = (load_tokens(opened, side, "test").to_pylist() for side in SIDES)
    for row, place in itertools.product(range(2), range(4)):
        found = explain(model, statements[row], proofs[place], top=3)
        assert found.score == pytest.approx(scores[row, place], abs=1e-4)
        assert len(found.reasons) <= 6


def test_a_model_without_features_cannot_explain(tiny_model):
    model = load_matcher(tiny_model)
    with pytest.raises(ProofmatchError, match=r"tiny has no features to explain by; .* preset fast or best$"):
        explain(model, ["t:Let"], ["m:x"])
    with pytest.raises(ProofmatchError, match=r"^the model has no features"):
        lexical_parts(TrainedMatcher(type(model.matcher)(type(model.matcher.config)()), model.tokenizer))
