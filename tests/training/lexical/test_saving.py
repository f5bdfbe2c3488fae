"""Saved lexical matchers: what comes back is what was saved, and what does not fit is refused."""

import json

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from proofmatch.errors import ProofmatchError
from proofmatch.training import ProofMatcher
from proofmatch.training.joint import JointMatcher
from proofmatch.training.lexical.matcher import LexicalMatcher
from proofmatch.training.prediction import open_matcher
from tests.training.lexical.corpora import small_matcher
from tests.training.lexical.test_matcher import KINDS
from tests.training.lexical.test_vectors import new_texts, scores_by_forward, scores_by_vectors

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
def test_what_comes_back_has_the_same_scores(tmp_path, settings, open_):
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


def test_the_vocabulary_comes_back(tmp_path):
    matcher, corpus = saved(tmp_path)
    vocabulary = LexicalMatcher.from_pretrained(tmp_path).vocabulary
    assert np.array_equal(vocabulary.hashes, corpus.vocabulary.hashes)
    assert np.array_equal(vocabulary.frequencies, corpus.vocabulary.frequencies)
    assert vocabulary.n_texts == matcher.config.num_texts == corpus.vocabulary.n_texts
    assert corpus.vocabulary.hashes.min() < -(2**53) and corpus.vocabulary.hashes.max() > 2**53


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_another_precision_is_one_of_weights_and_never_of_hashes(tmp_path, dtype):
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
    assert "are not those of its configuration (mismatched keys: " in refusal(tmp_path)


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
    assert f"are not those of its configuration ({change} keys: " in told
    assert name in told


def test_a_configuration_that_does_not_work_is_refused(tmp_path):
    saved(tmp_path)
    path = tmp_path / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"groups": ["words"]}))
    assert "does not work: there are no features 'words' for groups" in refusal(tmp_path)


@pytest.mark.parametrize("other", [ProofMatcher, JointMatcher])
def test_it_is_not_taken_for_a_matcher_of_another_kind(tmp_path, other):
    saved(tmp_path)
    with pytest.raises(ProofmatchError, match="is a model of the kind lexical-matcher, not "):
        other.from_pretrained(tmp_path)
