"""The matcher: padding and order never change a vector, scores are bilinear, saving loses nothing."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors import safe_open

from proofmatch.training import ProofMatcher, ProofMatcherConfig
from proofmatch.training.encoder.proof_matcher import batches_by_length, pad
from proofmatch.training.gradient_cache import backward_in_chunks
from proofmatch.training.losses import global_loss, local_loss

SMALL = {
    "vocab_size": 50,
    "embedding_size": 12,
    "num_heads": 3,
    "key_size": 8,
    "value_size": 5,
    "feed_forward_size": 16,
}


@pytest.fixture
def matcher():
    torch.manual_seed(0)
    return ProofMatcher(ProofMatcherConfig(**SMALL)).eval()


def texts(lengths, seed=0):
    random = np.random.default_rng(seed)
    return [random.integers(1, 50, length) for length in lengths]


def test_padding_never_changes_a_vector(matcher):
    several = texts([3, 17, 1, 9])
    together = matcher.encoder(*pad(several, 0))
    alone = torch.cat([matcher.encoder(*pad([text], 0)) for text in several])
    assert torch.allclose(together, alone, atol=1e-6)
    wider = [torch.nn.functional.pad(part, (0, 30)) for part in pad(several, 0)]
    assert torch.allclose(matcher.encoder(*wider), alone, atol=1e-6)


def test_vectors_come_in_the_order_of_the_texts(matcher, monkeypatch):
    monkeypatch.setattr("proofmatch.training.encoder.proof_matcher.WORDS_AT_ONCE", 20)
    several = texts([3, 17, 1, 9, 9, 2])
    alone = torch.cat([matcher.encoder(*pad([text], 0)) for text in several])
    assert torch.allclose(matcher.encode(several), alone, atol=1e-6)
    assert matcher.encode([]).shape == (0, 12)


@given(st.lists(st.integers(1, 60), max_size=40), st.integers(1, 100))
def test_batches_by_length_hold_every_text_once_within_the_limit(lengths, limit):
    groups = batches_by_length(lengths, limit)
    assert sorted(number for group in groups for number in group.tolist()) == list(range(len(lengths)))
    for group in groups:
        assert len(group) == 1 or len(group) * max(lengths[number] for number in group) <= limit


def test_scores_are_the_bilinear_form(matcher):
    statements, proofs = texts([4, 6]), texts([5, 3, 8], seed=1)
    scores = matcher(statements, proofs)
    assert scores.shape == (2, 3)
    for row, statement in enumerate(statements):
        for place, proof in enumerate(proofs):
            s, p = matcher.encode([statement])[0], matcher.encode([proof])[0]
            assert scores[row, place].item() == pytest.approx(
                (s @ matcher.weight @ p + matcher.bias).item(), abs=1e-5
            )


def test_sizes_are_the_papers_by_default():
    config = ProofMatcherConfig(vocab_size=10)
    matcher = ProofMatcher(config)
    layer = matcher.encoder.layers[0]
    assert len(matcher.encoder.layers) == 2
    assert layer.attention.project.weight.shape == (4 * 3 * 128, 300)
    assert layer.expand.weight.shape == (300, 300)
    assert matcher.weight.shape == (300, 300)
    assert config.dropout == 0.1


def test_saving_and_loading_gives_the_same_scores_from_safetensors_alone(matcher, tmp_path):
    matcher.save_pretrained(tmp_path)
    assert [path.suffix for path in tmp_path.iterdir() if path.name.startswith("model")] == [".safetensors"]
    with safe_open(tmp_path / "model.safetensors", "pt") as file:
        assert "weight" in set(file.keys())
    again = ProofMatcher.from_pretrained(tmp_path).eval()
    assert torch.equal(again(texts([4, 6]), texts([5, 3])), matcher(texts([4, 6]), texts([5, 3])))


@pytest.mark.parametrize("loss", [local_loss, global_loss])
@pytest.mark.parametrize("chunk", [1, 3, 7, 100])
def test_gradient_caching_equals_the_plain_gradient(matcher, loss, chunk):
    statements, proofs = texts([3, 9, 1, 5, 8, 2, 4]), texts([6, 2, 7, 3, 3, 9, 5], seed=1)
    plain = loss(matcher(statements, proofs))
    plain.backward()
    expected = {name: value.grad.clone() for name, value in matcher.named_parameters()}
    matcher.zero_grad()
    cached = backward_in_chunks(matcher, statements, proofs, loss, chunk)
    assert cached.item() == pytest.approx(plain.item(), rel=1e-5)
    for name, value in matcher.named_parameters():
        assert torch.allclose(value.grad, expected[name], atol=1e-5), name


def test_gradient_caching_repeats_its_dropout(matcher):
    matcher.train()
    statements, proofs = texts([3, 9, 1, 5]), texts([6, 2, 7, 3], seed=1)
    torch.manual_seed(1)
    plain = local_loss(matcher(statements, proofs))
    plain.backward()
    expected = {name: value.grad.clone() for name, value in matcher.named_parameters()}
    matcher.zero_grad()
    torch.manual_seed(1)
    cached = backward_in_chunks(matcher, statements, proofs, local_loss, chunk=4)
    assert cached.item() == pytest.approx(plain.item(), rel=1e-5)
    for name, value in matcher.named_parameters():
        assert torch.allclose(value.grad, expected[name], atol=1e-5), name
