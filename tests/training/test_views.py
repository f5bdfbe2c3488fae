"""The matcher of several views: the smooth maximum of their scores, each trained with its own loss."""

import numpy as np
import pytest
import torch

from proofmatch.builder.release.release import open_release
from proofmatch.builder.variants.variant import make_variant
from proofmatch.errors import ProofmatchError
from proofmatch.evaluation.task import load_task
from proofmatch.training.lexical.features import GROUPS
from proofmatch.training.lexical.lexical_matcher import LexicalMatcher
from proofmatch.training.losses import two_sided_loss
from proofmatch.training.pairs import RenamedPairs, read_pairs
from proofmatch.training.prediction import load_matcher, model_scores, open_matcher
from proofmatch.training.run import check_settings, start_matcher
from proofmatch.training.searching.explain import explain
from proofmatch.training.settings import load_settings
from proofmatch.training.texts import PROOF
from proofmatch.training.vectors import FUSION_TEMPERATURE, scores_of
from proofmatch.training.views import MultiViewMatcher
from tests.training.lexical.corpora import column, make_random, random_texts, small_matcher

BLIND = ("word", *(group for group in GROUPS if group.startswith("shape")))
OFFSETS = (0.0, -0.4, 0.7)


@pytest.fixture(params=[2, 3])
def views(request):
    """A matcher of several views with random weights, and texts that it has not counted."""
    named, _ = small_matcher(hub_weight=0)
    other, _ = small_matcher(seed=2, hub_weight=0)
    blind, _ = small_matcher(seed=1, groups=list(BLIND), hub_weight=0)
    parts = [named, other, blind] if request.param == 3 else [named, blind]
    matcher = MultiViewMatcher.from_views(parts, OFFSETS[-len(parts) :]).eval()
    reader = matcher.reader(None)
    return matcher, [reader.read(column(random_texts(seed, size))) for seed, size in ((2, 5), (3, 7))]


def all_of(texts):
    return [texts[number] for number in range(len(texts))]


def of_view(matcher, texts, at):
    return matcher.views[at](*([text[at] for text in all_of(side)] for side in texts))


def test_a_score_is_about_the_highest(views):
    matcher, texts = views
    n_views = len(matcher.views)
    parts = torch.stack(
        [of_view(matcher, texts, at) - offset for at, offset in enumerate(matcher.config.offsets)]
    )
    scores = matcher(*map(all_of, texts))
    highest = parts.max(0).values
    assert (scores >= highest - 1e-5).all()
    assert (scores <= highest + FUSION_TEMPERATURE * np.log(n_views) + 1e-5).all()
    expected = FUSION_TEMPERATURE * torch.log((parts / FUSION_TEMPERATURE).exp().sum(0))
    assert torch.allclose(scores, expected, atol=1e-5)


def test_scores_by_vectors_equal_forward(views):
    matcher, texts = views
    vectors = [matcher.vectors(side, name) for side, name in zip(texts, ("statement", "proof"), strict=True)]
    scores = scores_of(*vectors).block(0, len(texts[0]))
    assert np.allclose(scores, matcher(*map(all_of, texts)).detach().numpy(), atol=1e-5)


def test_each_view_follows_the_gradient_of_its_own_loss(views):
    matcher, (statements, _) = views
    texts = all_of(statements), all_of(statements)
    value = matcher.backward(*texts, two_sided_loss, None, lambda vectors: vectors)
    losses = []
    for at, view in enumerate(matcher.views):
        found = {
            key: parameter.grad.clone()
            for key, parameter in view.named_parameters()
            if parameter.grad is not None
        }
        view.zero_grad()
        loss = two_sided_loss(of_view(matcher, (statements, statements), at))
        loss.backward()
        losses.append(loss.item())
        for key, gradient in found.items():
            assert torch.allclose(gradient, dict(view.named_parameters())[key].grad, atol=1e-5), key
    assert value.item() == pytest.approx(np.mean(losses), rel=1e-5)


def test_every_parameter_is_in_one_group(views):
    matcher, _ = views
    groups = [id(one) for group in matcher.parameter_groups() for one in group.parameters]
    assert sorted(groups) == sorted(map(id, matcher.parameters()))


def test_a_saved_matcher_has_the_same_scores(views, tmp_path):
    matcher, texts = views
    make_random(matcher)
    matcher.save_pretrained(tmp_path / "model")
    assert [path.name for path in (tmp_path / "model").glob("*model*")] == ["model.safetensors"]
    again = open_matcher(tmp_path / "model").eval()
    assert isinstance(again, MultiViewMatcher)
    assert torch.equal(again(*map(all_of, texts)), matcher(*map(all_of, texts)))
    assert str(tmp_path) not in (tmp_path / "model" / "config.json").read_text()


@pytest.fixture(scope="module")
def trained(multi_view_model):
    return load_matcher(multi_view_model)


def test_the_blind_view_gives_renamed_proofs_the_scores_of_the_originals(release, trained, tmp_path):
    renamed = open_release(make_variant(release, tmp_path / "renamed", symbols="full", workers=1))
    assert isinstance(trained.matcher, MultiViewMatcher)
    tasks = [load_task(one, "test") for one in (open_release(release), renamed)]
    blind = type(trained)(trained.matcher.views[-1], trained.tokenizer)
    by_view = []
    for model in (blind, trained):
        scores = [model_scores(model, task) for task in tasks]
        gold = [
            np.take_along_axis(one.block(0, one.shape[0]), task.required_gold[:, None], 1)
            for one, task in zip(scores, tasks, strict=True)
        ]
        by_view.append(np.abs(gold[0] - gold[1]).max())
    assert by_view[0] < 1e-4  # the sample's proofs are short enough to be renamed whole
    assert by_view[1] > 0.01  # the view that sees names is in the score


def test_an_explanation_adds_up_and_has_reasons_of_both_views(release, trained):
    row = open_release(release).table("pairs", "test").slice(0, 1).to_pylist()[0]
    tokens = row["statement_tokens"], row["proof_tokens"]
    explained = explain(trained, *tokens)
    texts = [trained.reader.read(column([side])) for side in tokens]
    vectors = [
        trained.matcher.vectors(text, side) for text, side in zip(texts, ("statement", "proof"), strict=True)
    ]
    assert explained.score == pytest.approx(float(scores_of(*vectors).block(0, 1)[0, 0]), abs=1e-3)
    groups = {reason.statement.group for reason in explained.reasons}
    assert any(group.startswith("shape") for group in groups)
    assert any(group.startswith("math") for group in groups)
    offsets = trained.matcher.config.offsets
    assert -max(offsets) <= explained.agreement <= FUSION_TEMPERATURE * np.log(len(offsets)) + 1e-9
    shared = [reason for reason in explained.reasons if reason.kind == "shared"]
    assert len(shared) == len({(one.statement.group, one.statement.surface) for one in shared})


def test_it_searches_and_says_how_sure_it_is(release, trained):
    statement, proof = (
        open_release(release).table("pairs", "train", [side])[side][0].as_py()
        for side in ("statement", "proof")
    )
    hits = trained.search(statement, release, k=5)
    assert proof in [hit.proof for hit in hits]
    assert all(0 <= hit.confidence <= 1 for hit in hits)
    assert hits[0].confidence == max(hit.confidence for hit in hits)
    score = trained.score([statement], [hits[0].proof])
    assert score.shape == (1, 1)


@pytest.mark.parametrize(("input", "kind"), [("math", MultiViewMatcher), ("text", LexicalMatcher)])
def test_without_formulas_there_is_one_view(release, input, kind):
    _, matcher = start_matcher(open_release(release), load_settings("fast", ["rank=4"]), input, False, 0)
    assert isinstance(matcher, kind)


def test_the_blind_view_can_be_left_out(release):
    settings = load_settings("fast", ["rank=4", "blind_groups=[]"])
    assert isinstance(start_matcher(open_release(release), settings, "both", False, 0)[1], LexicalMatcher)


def test_only_the_renamed_view_reads_renamed_proofs(release):
    opened = open_release(release)
    settings = load_settings("best", ["rank=4", "encoder=none"])
    tokenizer, matcher = start_matcher(opened, settings, "both", False, 0)
    assert isinstance(matcher, MultiViewMatcher)
    assert matcher.config.renamed == [False, True, False]
    pairs = read_pairs(opened, "train", matcher.reader(tokenizer), is_for_training=True)
    renamed = RenamedPairs(pairs, 1.0, "full", seed=0)
    differs = [
        [
            not np.array_equal(ours, theirs)
            for ours, theirs in zip(pairs[at][PROOF], renamed[at][PROOF], strict=True)
        ]
        for at in range(5)
    ]
    assert np.array(differs).any(0).tolist() == [False, True, False]


def test_a_renamed_view_needs_renamed_proofs(tmp_path):
    with pytest.raises(ProofmatchError, match="set rename_share"):
        check_settings(load_settings("best", ["rename_share=0"]), tmp_path, "both")
