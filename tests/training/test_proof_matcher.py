"""The matcher: padding and order never change a vector, scores are bilinear, saving loses nothing."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors import safe_open

from proofmatch.training import ProofMatcher, ProofMatcherConfig
from proofmatch.training.encoder.proof_matcher import Dropout, batches_by_length, pad
from proofmatch.training.gradient_cache import backward_in_chunks
from proofmatch.training.losses import global_loss, local_loss
from tests.benchmarks.straightforward import StraightforwardMatcher

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


def test_a_step_is_that_of_a_straightforward_implementation():
    torch.manual_seed(0)
    config = ProofMatcherConfig(**SMALL, dropout=0.0)
    ours, plain = ProofMatcher(config).train(), StraightforwardMatcher(config).train()
    copies = dict(straightforward_parameters(ours))
    plain.load_state_dict(copies)
    statements, proofs = texts([3, 90, 1, 25, 200]), texts([60, 120, 7, 33, 199], seed=1)
    losses = []
    for model in (ours, plain):
        losses.append(local_loss(model(statements, proofs)))
        losses[-1].backward()
    assert losses[0].item() == pytest.approx(losses[1].item(), rel=1e-5)
    expected = {name: value.grad for name, value in plain.named_parameters()}
    for name, gradient in straightforward_parameters(ours, gradients=True):
        assert torch.allclose(gradient, expected[name], atol=1e-5, rtol=1e-4), name


def straightforward_parameters(matcher, *, gradients=False):
    """Name the parameters of a matcher, or their gradients, as the straightforward implementation does."""
    names = {
        "attention.combine": "combine",
        "attention_norm": "first_norm",
        "feed_forward_norm": "second_norm",
    }
    for name, parameter in matcher.named_parameters():
        value = parameter.grad if gradients else parameter.detach()
        name = name.removeprefix("encoder.")
        if "attention.project" in name:
            sizes = matcher.encoder.layers[0].attention.sizes
            for part, some in zip(("query", "key", "value"), value.split(sizes), strict=True):
                yield name.replace("attention.project", part), some
        elif name in ("weight", "bias"):
            yield f"similarity.{name}", value[None] if name == "weight" else value
        else:
            for old, new in names.items():
                name = name.replace(old, new)
            yield name, value


@pytest.mark.parametrize("p", [0.1, 0.5])
def test_dropout_keeps_the_expectation_and_the_share_that_it_should(p):
    torch.manual_seed(0)
    dropout, ones = Dropout(p), torch.ones(401, 1003, requires_grad=True)
    dropped = dropout(ones)
    kept = dropped > 0
    assert kept.float().mean().item() == pytest.approx(1 - p, abs=0.003)
    assert dropped.mean().item() == pytest.approx(1, abs=0.005)
    assert torch.allclose(dropped[kept], torch.tensor(1 / (1 - p)), rtol=1e-4)
    # Neighbours are drawn independently, although their bits are of one number.
    together = (kept[:, 1:] & kept[:, :-1]).float().mean().item()
    assert together == pytest.approx((1 - p) ** 2, abs=0.005)
    dropped.sum().backward()
    assert torch.equal(ones.grad, dropped.detach())
    assert torch.equal(dropout.eval()(ones), ones)


def test_dropout_repeats_itself_from_the_same_seed():
    dropout, ones = Dropout(0.3), torch.ones(7, 11)
    drawn = []
    for seed in (5, 5, 6):
        torch.manual_seed(seed)
        drawn.append(dropout(ones))
    assert torch.equal(drawn[0], drawn[1])
    assert not torch.equal(drawn[0], drawn[2])


def test_gradient_caching_repeats_its_dropout(matcher):
    matcher.train()
    statements, proofs = texts([3, 9, 1, 5]), texts([6, 2, 7, 3], seed=1)
    torch.manual_seed(1)
    plain = local_loss(matcher.score(matcher.encode(statements), matcher.encode(proofs)))
    plain.backward()
    expected = {name: value.grad.clone() for name, value in matcher.named_parameters()}
    matcher.zero_grad()
    torch.manual_seed(1)
    cached = backward_in_chunks(matcher, statements, proofs, local_loss, chunk=4)
    assert cached.item() == pytest.approx(plain.item(), rel=1e-5)
    for name, value in matcher.named_parameters():
        assert torch.allclose(value.grad, expected[name], atol=1e-5), name
