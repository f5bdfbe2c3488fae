"""Vectors whose products are the scores, corrected for hubness, before and after saving."""

import json

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from proofmatch.errors import ProofmatchError
from proofmatch.training import ProofMatcher
from proofmatch.training.joint import JointMatcher
from proofmatch.training.lexical import lexical_matcher
from proofmatch.training.lexical.lexical_matcher import LexicalMatcher
from proofmatch.training.prediction import open_matcher
from proofmatch.training.vectors import scores_of
from tests.training.lexical.corpora import PAIRS, as_list, random_texts, small_matcher
from tests.training.lexical.test_lexical_matcher import KINDS, kinds

N_STATEMENTS, N_PROOFS = 7, 9


def new_texts(matcher, corpus, n_proofs=N_PROOFS):
    """Statements and proofs that were not counted."""
    return tuple(
        corpus.look_up(random_texts(seed, n_texts), matcher.config)
        for seed, n_texts in ((2, N_STATEMENTS), (3, n_proofs))
    )


def scores_by_vectors(matcher, statements, proofs):
    scores = scores_of(matcher.vectors(statements, "statement"), matcher.vectors(proofs, "proof"))
    return scores.block(0, len(statements))


def scores_by_forward(matcher, statements, proofs):
    with torch.no_grad():
        return matcher(as_list(statements), as_list(proofs)).numpy()


@kinds
def test_without_hubness_correction_products_are_what_forward_computes(settings):
    matcher, corpus = small_matcher(hub_weight=0, **settings)
    texts = new_texts(matcher, corpus)
    scores = scores_by_vectors(matcher, *texts)
    assert scores.shape == (N_STATEMENTS, N_PROOFS)
    assert np.allclose(scores, scores_by_forward(matcher, *texts), atol=1e-5)
    assert matcher.config.n_background == len(matcher.background) == 0


@kinds
@pytest.mark.parametrize("hub_weight", [0.5, 2])
def test_the_hubness_of_proofs_is_subtracted(settings, hub_weight):
    matcher, corpus = small_matcher(hub_weight=hub_weight, **settings)
    statements, proofs = new_texts(matcher, corpus)
    near = scores_by_forward(matcher, matcher.background, proofs)
    assert near.shape == (PAIRS, N_PROOFS)
    hubness = np.sort(near, axis=0)[-3:].mean(axis=0)
    expected = scores_by_forward(matcher, statements, proofs) - hub_weight * hubness
    assert np.allclose(scores_by_vectors(matcher, statements, proofs), expected, atol=1e-5)


def test_the_background_is_stored_as_looked_up_in_training():
    matcher, corpus = small_matcher()
    assert np.array_equal(matcher.background.values, corpus.pairs[0].values)
    assert np.array_equal(matcher.background.starts, corpus.pairs[0].starts)
    assert matcher.background.values.dtype == corpus.pairs[0].values.dtype


@pytest.mark.parametrize("hub_weight", [0, 0.5])
def test_scores_do_not_depend_on_other_texts(hub_weight):
    matcher, corpus = small_matcher(hub_weight=hub_weight)
    statements, many = new_texts(matcher, corpus, n_proofs=40)
    scores = scores_by_vectors(matcher, statements, many)
    for number in (0, 2, 17, 39):
        alone = many.take(np.array([number]))
        assert np.allclose(scores_by_vectors(matcher, statements, alone)[:, 0], scores[:, number], atol=1e-5)
        one = statements.take(np.array([number % N_STATEMENTS]))
        assert np.allclose(scores_by_vectors(matcher, one, many), scores[number % N_STATEMENTS], atol=1e-5)


@pytest.mark.parametrize("size", [1, 4, 5])
def test_the_batch_size_does_not_change_vectors(monkeypatch, size):
    matcher, corpus = small_matcher()
    statements, proofs = new_texts(matcher, corpus)
    expected = scores_by_vectors(matcher, statements, proofs)
    monkeypatch.setattr(lexical_matcher, "_TEXTS_AT_ONCE", size)
    assert np.allclose(scores_by_vectors(matcher, statements, proofs), expected, atol=1e-5)


def test_no_texts_have_no_vectors():
    matcher, corpus = small_matcher()
    none = corpus.look_up([], matcher.config)
    some, _ = new_texts(matcher, corpus)
    for side in ("statement", "proof"):
        assert len(matcher.vectors(none, side)) == 0
    assert scores_by_vectors(matcher, some, none).shape == (N_STATEMENTS, 0)
    assert scores_by_vectors(matcher, none, some).shape == (0, N_STATEMENTS)


def test_vectors_leave_training_as_it_was():
    matcher, corpus = small_matcher()
    matcher.train()
    vectors = matcher.vectors(new_texts(matcher, corpus)[1], "proof")
    assert matcher.training
    assert vectors.dense.dtype == vectors.sparse.values.dtype == np.float32
    matcher(corpus.statements, corpus.proofs).sum().backward()
    assert matcher.sparse_weights.grad.any()


ALL = [*KINDS.values(), {"hub_weight": 0}, {"min_frequency": 1000}, {"hub_weight": 0, "min_frequency": 1000}]
INTEGERS = {"hashes", "frequencies", "weight_places", "row_places", "background_starts"} | {
    f"background_{name}" for name in ("feature", "frequency", "count", "group")
}


def saved(folder, **settings):
    matcher, corpus = small_matcher(**settings)
    matcher.save_pretrained(folder)
    return matcher, corpus


@pytest.mark.parametrize("settings", ALL, ids=str)
@pytest.mark.parametrize("open_", [LexicalMatcher.from_pretrained, open_matcher])
def test_a_loaded_matcher_has_the_same_scores(tmp_path, settings, open_):
    matcher, corpus = saved(tmp_path, **settings)
    assert [path.suffix for path in tmp_path.iterdir() if path.name.startswith("model")] == [".safetensors"]
    again = open_(tmp_path)
    assert isinstance(again, LexicalMatcher)
    assert again.config.to_diff_dict() == matcher.config.to_diff_dict()
    texts = new_texts(matcher, corpus)
    assert np.array_equal(scores_by_forward(again, *texts), scores_by_forward(matcher, *texts))
    assert np.array_equal(scores_by_vectors(again, *texts), scores_by_vectors(matcher, *texts))
    for name, value in matcher.state_dict().items():
        assert torch.equal(again.state_dict()[name], value), name


def test_the_vocabulary_is_loaded(tmp_path):
    matcher, corpus = saved(tmp_path)
    vocabulary = LexicalMatcher.from_pretrained(tmp_path).vocabulary
    assert np.array_equal(vocabulary.hashes, corpus.vocabulary.hashes)
    assert np.array_equal(vocabulary.frequencies, corpus.vocabulary.frequencies)
    assert vocabulary.n_texts == matcher.config.num_texts == corpus.vocabulary.n_texts
    assert corpus.vocabulary.hashes.min() < -(2**53) and corpus.vocabulary.hashes.max() > 2**53


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_another_dtype_applies_to_weights_and_never_to_hashes(tmp_path, dtype):
    matcher, corpus = saved(tmp_path)
    again = LexicalMatcher.from_pretrained(tmp_path, dtype=dtype)
    buffers = dict(again.named_buffers())
    assert buffers.keys() == INTEGERS
    for name, value in matcher.named_buffers():
        assert torch.equal(buffers[name], value), name
        assert buffers[name].dtype == value.dtype
        assert not value.dtype.is_floating_point
    assert {parameter.dtype for parameter in again.parameters()} == {dtype}
    texts = new_texts(matcher, corpus)
    tolerance = 50 * torch.finfo(dtype).eps + 1e-5
    for scores in (scores_by_forward, scores_by_vectors):
        assert np.allclose(scores(again, *texts), scores(matcher, *texts), atol=tolerance)


def refusal(folder):
    with pytest.raises(ProofmatchError) as refused:
        open_matcher(folder)
    assert "\n" not in str(refused.value)
    assert str(folder) in str(refused.value)
    return str(refused.value)


@pytest.mark.parametrize(
    "name", ["num_features", "num_weights", "num_rows", "num_background_entries", "n_background", "rank"]
)
def test_other_sizes_in_the_configuration_are_refused(tmp_path, name):
    saved(tmp_path)
    path = tmp_path / "config.json"
    config = json.loads(path.read_text())
    path.write_text(json.dumps(config | {name: config[name] - 1}))
    assert "do not fit its configuration (mismatched keys: " in refusal(tmp_path)


@pytest.mark.parametrize("change", ["missing", "unexpected", "mismatched"])
@pytest.mark.parametrize("name", ["hashes", "tables.1", "background_feature"])
def test_weights_of_another_configuration_are_refused(tmp_path, change, name):
    saved(tmp_path)
    weights = load_file(tmp_path / "model.safetensors")
    if change == "missing":
        del weights[name]
    elif change == "unexpected":
        weights[f"{name}.more"] = weights[name].clone()
    else:
        weights[name] = weights[name][:-1].clone()
    save_file(weights, tmp_path / "model.safetensors", {"format": "pt"})
    told = refusal(tmp_path)
    assert f"do not fit its configuration ({change} keys: " in told
    assert name in told


def test_a_configuration_that_does_not_work_is_refused(tmp_path):
    saved(tmp_path)
    path = tmp_path / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"groups": ["words"]}))
    assert "does not work: unknown group 'words' in groups" in refusal(tmp_path)


@pytest.mark.parametrize("other", [ProofMatcher, JointMatcher])
def test_other_kinds_of_matchers_refuse_to_load_it(tmp_path, other):
    saved(tmp_path)
    with pytest.raises(ProofmatchError, match="is a model of the kind lexical-matcher, not "):
        other.from_pretrained(tmp_path)
