"""The joint matcher: the sum of its parts, in scores, gradients, files and vectors."""

import json

import numpy as np
import pytest
import torch

from proofmatch.errors import ProofmatchError
from proofmatch.training.joint import JointMatcher, JointTexts
from proofmatch.training.lexical.lexical_matcher import LexicalMatcher
from proofmatch.training.losses import two_sided_loss
from proofmatch.training.prediction import open_matcher
from proofmatch.training.vectors import scores_of
from proofmatch.training.views import MultiViewMatcher
from tests.training.joint_parts import Parts, both, encoder_scores, lexical_scores
from tests.training.lexical.corpora import PAIRS, column, make_random, random_texts, small_matcher


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def forward(matcher, texts):
    with torch.no_grad():
        return matcher(*map(both, texts))


def by_vectors(matcher, texts):
    vectors = [matcher.vectors(side, name) for side, name in zip(texts, ("statement", "proof"), strict=True)]
    return scores_of(*vectors).block(0, len(texts[0]))


@pytest.mark.parametrize("encoder_weight", [1.0, 0.25])
def test_scores_are_the_weighted_sum_of_both_parts(encoder_weight):
    parts = Parts(encoder_weight)
    for texts in (parts.new, parts.pairs):
        lexical, encoder = lexical_scores(parts.lexical, texts), encoder_scores(parts.encoder, texts)
        expected = lexical + encoder_weight * encoder
        assert torch.allclose(parts.matcher(*map(both, texts)), expected, atol=1e-5)


def test_parts_keep_their_weights():
    parts = Parts()
    for part, original in ((parts.matcher.features, parts.lexical), (parts.matcher.encoder, parts.encoder)):
        assert original.state_dict().keys() == part.state_dict().keys()
        for name, value in original.state_dict().items():
            assert torch.equal(part.state_dict()[name], value), name
    assert torch.equal(
        lexical_scores(parts.matcher.features, parts.new), lexical_scores(parts.lexical, parts.new)
    )
    assert torch.equal(
        encoder_scores(parts.matcher.encoder, parts.new), encoder_scores(parts.encoder, parts.new)
    )


def test_parts_are_copied_and_not_shared():
    parts = Parts()
    before = lexical_scores(parts.lexical, parts.new)
    make_random(parts.matcher)
    assert torch.equal(lexical_scores(parts.lexical, parts.new), before)


@pytest.mark.parametrize("chunk", [None, 1, 5, 100])
def test_each_part_has_the_gradients_of_its_own_loss(chunk):
    parts = Parts(0.5)
    matcher, (statements, proofs) = parts.matcher, map(both, parts.pairs)
    value = sum(
        two_sided_loss(scores)
        for scores in (
            lexical_scores(matcher.features, parts.pairs),
            encoder_scores(matcher.encoder, parts.pairs),
        )
    )
    value.backward()
    expected = {name: parameter.grad.clone() for name, parameter in matcher.named_parameters()}
    assert all(expected[name].any() for name in ("encoder.weight", "features.tables.0"))
    matcher.zero_grad()
    told = matcher.backward(statements, proofs, two_sided_loss, chunk, lambda vectors: vectors)
    assert told.item() == pytest.approx(value.item() / 2, rel=1e-5)
    assert not told.requires_grad
    for name, parameter in matcher.named_parameters():
        assert torch.allclose(parameter.grad, expected[name], atol=1e-5), name


def test_every_parameter_is_in_one_group():
    matcher = Parts().matcher
    groups = [id(one) for group in matcher.parameter_groups() for one in group.parameters]
    assert sorted(groups) == sorted(map(id, matcher.parameters()))


def test_inner_products_of_vectors_equal_forward():
    parts = Parts(0.5, hub_weight=0)
    assert np.allclose(by_vectors(parts.matcher, parts.new), forward(parts.matcher, parts.new), atol=1e-5)


def test_the_features_keep_their_hubness_correction():
    parts = Parts(0.5, hub_weight=0.5)
    features = [side.features for side in parts.new]
    lexical = [
        parts.lexical.vectors(side, name) for side, name in zip(features, ("statement", "proof"), strict=True)
    ]
    with torch.no_grad():
        expected = scores_of(*lexical).block(0, 5) + 0.5 * encoder_scores(parts.encoder, parts.new).numpy()
    assert np.allclose(by_vectors(parts.matcher, parts.new), expected, atol=1e-5)


def test_the_encoder_is_trained_on_its_share_of_a_batch():
    parts = Parts(encoder_share=0.5)
    matcher, (statements, proofs) = parts.matcher, map(both, parts.pairs)
    size = round(0.5 * PAIRS)
    some = [side[:size] for side in (statements, proofs)]
    of_encoder = (
        PAIRS / size * two_sided_loss(matcher.encoder(*([text.words for text in side] for side in some)))
    )
    of_encoder.backward()
    expected = matcher.encoder.weight.grad.clone()
    matcher.zero_grad()
    lexical = two_sided_loss(lexical_scores(matcher.features, parts.pairs))
    lexical.backward()
    of_features = matcher.features.scales.grad.clone()
    matcher.zero_grad()
    told = matcher.backward(statements, proofs, two_sided_loss, None, lambda vectors: vectors)
    assert told.item() == pytest.approx((lexical + of_encoder).item() / 2, rel=1e-5)
    assert torch.allclose(matcher.encoder.weight.grad, expected, atol=1e-5)
    assert torch.allclose(matcher.features.scales.grad, of_features, atol=1e-5)


@pytest.mark.parametrize("share", [0, -0.5, 1.5])
def test_impossible_shares_are_refused(share):
    with pytest.raises(ProofmatchError, match="encoder_share must be"):
        Parts(encoder_share=share)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"features": {}}, "a part of it is of the kind None, not lexical-matcher or multi-view-matcher"),
        ({"features": {"model_type": "joint-matcher"}}, "of the kind 'joint-matcher'"),
        ({"features": {"model_type": ["lexical-matcher"]}}, r"of the kind \['lexical-matcher'\]"),
        ({"features": "lexical-matcher"}, "of the kind None"),
        (
            {"features": {"model_type": "multi-view-matcher", "views": [{"model_type": "proof-matcher"}]}},
            "of the kind 'proof-matcher', not lexical-matcher",
        ),
        (
            {"features": {"model_type": "multi-view-matcher", "views": [{}], "offsets": ["1"]}},
            "offsets must be numbers",
        ),
        ({"encoder": ["vocab_size"]}, "the configuration of its encoder must be a table"),
        ({"encoder": {"num_piece_bytes": None}}, "num_piece_bytes must be an integer"),
        ({"encoder": {"encoder_config": []}}, "encoder_config must be a table"),
        ({"encoder": {"reads_tokens": True}}, "reads_tokens and frozen_layers are settings of pretrained"),
        ({"encoder": {"input": "math"}}, "the features read both, but the encoder math"),
        ({"encoder_weight": "much"}, "encoder_weight must be at least 0, not 'much'"),
        ({"encoder_weight": float("inf")}, "encoder_weight must be at least 0"),
        ({"encoder_share": None}, "encoder_share must be at least 0, not None"),
        ({"lexical": {"rank": 8}}, "a joint matcher of an earlier version; train it again"),
    ],
    ids=str,
)
def test_a_configuration_that_does_not_work_is_one_sentence(tmp_path, change, told):
    Parts().matcher.save_pretrained(tmp_path)
    path = tmp_path / "config.json"
    config = json.loads(path.read_text())
    for name, value in change.items():
        merges = name == "encoder" and isinstance(value, dict)
        config[name] = {**config[name], **value} if merges else value
    path.write_text(json.dumps(config))
    with pytest.raises(ProofmatchError, match=told) as refused:
        open_matcher(tmp_path)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("hub_weight", [0, 0.5])
def test_features_may_have_several_views(hub_weight, tmp_path):
    views = [small_matcher(seed=seed, hub_weight=hub_weight)[0] for seed in (0, 1)]
    parts = Parts(0.5)
    features = MultiViewMatcher.from_views(views, (0.0, 0.4))
    joint = JointMatcher.from_parts(features, parts.encoder, encoder_weight=0.5).eval()
    reader = joint.reader(parts.tokenizer)
    texts = [reader.read(column(random_texts(seed, size))) for seed, size in ((2, 5), (3, 7))]
    alone = by_vectors(features, [side.features for side in texts])
    encoder = encoder_scores(parts.encoder, texts).detach().numpy()
    assert np.allclose(by_vectors(joint, texts), alone + 0.5 * encoder, atol=1e-4)
    if not hub_weight:
        assert np.allclose(by_vectors(joint, texts), forward(joint, texts), atol=1e-4)
    joint.save_pretrained(tmp_path / "model")
    again = open_matcher(tmp_path / "model").eval()
    assert np.array_equal(by_vectors(again, texts), by_vectors(joint, texts))


def test_the_score_of_a_proof_does_not_depend_on_other_proofs():
    parts = Parts(0.5, hub_weight=0.5)
    statements, proofs = parts.new
    scores = by_vectors(parts.matcher, (statements, proofs))
    for number in range(len(proofs)):
        place = np.array([number])
        alone = JointTexts(proofs.words.take(place), proofs.features.take(place))
        assert np.allclose(by_vectors(parts.matcher, (statements, alone))[:, 0], scores[:, number], atol=1e-5)


@pytest.mark.parametrize("settings", [{}, {"hub_weight": 0}, {"rank": 0}], ids=str)
def test_a_saved_matcher_has_the_same_scores(tmp_path, settings):
    parts = Parts(0.5, **settings)
    parts.matcher.save_pretrained(tmp_path / "model")
    assert [path.name for path in (tmp_path / "model").glob("*model*")] == ["model.safetensors"]
    again = open_matcher(tmp_path / "model").eval()
    assert isinstance(again, JointMatcher)
    assert again.config.input == "both"
    assert torch.equal(forward(again, parts.new), forward(parts.matcher, parts.new))
    assert np.array_equal(by_vectors(again, parts.new), by_vectors(parts.matcher, parts.new))
    for name, value in parts.matcher.state_dict().items():
        assert torch.equal(again.state_dict()[name], value), name


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_a_lower_precision_changes_weights_but_not_hashes_and_words(tmp_path, dtype):
    parts = Parts(0.5)
    parts.matcher.save_pretrained(tmp_path / "model")
    again = JointMatcher.from_pretrained(tmp_path / "model", dtype=dtype).eval()
    for name, value in parts.matcher.named_buffers():
        assert torch.equal(dict(again.named_buffers())[name], value), name
    assert {parameter.dtype for parameter in again.parameters()} == {dtype}
    assert np.allclose(forward(again, parts.new).float(), forward(parts.matcher, parts.new), atol=0.3)


def test_the_configuration_does_not_reveal_the_folders_of_the_parts(tmp_path):
    parts = Parts()
    parts.lexical.save_pretrained(tmp_path / "lexical")
    lexical = LexicalMatcher.from_pretrained(tmp_path / "lexical")
    joint = JointMatcher.from_parts(lexical, parts.encoder)
    joint.save_pretrained(tmp_path / "model")
    assert str(tmp_path) not in (tmp_path / "model" / "config.json").read_text()
    assert torch.equal(forward(open_matcher(tmp_path / "model").eval(), parts.new), forward(joint, parts.new))


@pytest.mark.parametrize(("section", "name"), [("features", "num_features"), ("encoder", "vocab_size")])
def test_other_sizes_in_the_configuration_are_refused(tmp_path, section, name):
    Parts().matcher.save_pretrained(tmp_path)
    path = tmp_path / "config.json"
    config = json.loads(path.read_text())
    config[section][name] += 1
    path.write_text(json.dumps(config))
    with pytest.raises(ProofmatchError, match="do not fit its configuration") as refused:
        open_matcher(tmp_path)
    assert "\n" not in str(refused.value)


def test_texts_that_are_empty_for_one_part_are_scored():
    parts = Parts(input="math")
    reader = parts.matcher.reader(parts.tokenizer)
    texts = reader.read(column([["t:Let"], ["m:x"], []]))
    assert texts.features.lengths.tolist() == [0, 1, 0]
    assert torch.isfinite(forward(parts.matcher, (texts, texts))).all()
    assert texts.lengths.tolist() == texts.words.lengths.tolist()
