"""The lexical matcher: its configuration, scores by its formula, finite gradients, and sparse products."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from proofmatch.errors import ProofmatchError
from proofmatch.training.lexical import lexical_matcher
from proofmatch.training.lexical.features import GROUPS
from proofmatch.training.lexical.lexical_config import LexicalMatcherConfig
from proofmatch.training.lexical.lexical_matcher import SparseRows, multiply
from proofmatch.training.lexical.vocabulary import BAG
from proofmatch.training.losses import two_sided_loss
from tests.training.lexical.corpora import PAIRS, as_list, bags, random_texts, small_matcher
from tests.training.lexical.plain import PlainScores, as_dict

KINDS = {
    "all": {},
    "rank 0": {"rank": 0},
    "no sparse part": {"has_sparse_part": False},
    "no own weights": {"has_own_weights": False},
    "frequent features only": {"min_frequency": 6, "min_weight_frequency": 8},
    "some groups": {"groups": ["stem", "math-2", "word"], "table_groups": ["word", "math-2", "border"]},
    "math": {"input": "math"},
}
kinds = pytest.mark.parametrize("settings", KINDS.values(), ids=KINDS)


def loss_of(matcher, statements, proofs):
    return two_sided_loss(matcher(statements, proofs))


@kinds
def test_scores_of_new_texts_are_those_of_the_formula(settings):
    matcher, corpus = small_matcher(**settings)
    counted = [as_dict(bag) for side in corpus.bags for bag in as_list(side)]
    plain = PlainScores(matcher, counted)
    tokens = random_texts(2, 5), random_texts(3, 6)
    new = [bags(side, tuple(matcher.config.groups), matcher.config.input) for side in tokens]
    scores = matcher(*(as_list(corpus.look_up(side, matcher.config)) for side in tokens))
    assert scores.shape == (5, 6)
    for row, statement in enumerate(as_list(new[0])):
        for place, proof in enumerate(as_list(new[1])):
            expected = plain.score(as_dict(statement), as_dict(proof))
            assert scores[row, place].item() == pytest.approx(expected, abs=2e-5)


@kinds
def test_training_pairs_are_scored_with_frequencies_that_exclude_them(settings):
    matcher, corpus = small_matcher(**settings)
    sides = [[as_dict(bag) for bag in as_list(side)] for side in corpus.bags]
    plain = PlainScores(matcher, [*sides[0], *sides[1]])
    scores = matcher(corpus.statements, corpus.proofs)
    for row in range(PAIRS):
        for place in range(PAIRS):
            own = [(sides[0][number], sides[1][number]) for number in (row, place)]
            expected = plain.score(sides[0][row], sides[1][place], own)
            assert scores[row, place].item() == pytest.approx(expected, abs=2e-5)


def test_unknown_features_contribute():
    matcher, corpus = small_matcher(is_random=False)
    statement = ["m:℘", "t:Grothendieck"]
    proofs = [["m:℘", "t:Grothendieck"], ["m:℘", "t:Noether"], ["m:ℵ", "t:Noether"]]
    found = corpus.look_up([statement, *proofs], matcher.config)
    assert (found.values["feature"] < 0).all()
    both, one, none = matcher([found[0]], as_list(found)[1:])[0].tolist()
    assert both == pytest.approx(matcher.scales[0].exp().item(), rel=1e-5)
    assert both > one > none == 0


@kinds
def test_texts_without_features_have_finite_scores_and_gradients(settings):
    matcher, corpus = small_matcher(**settings)
    nothing = np.empty(0, dtype=BAG)
    scores = matcher([nothing, *corpus.statements], [*corpus.proofs, nothing])
    assert torch.isfinite(scores).all()
    assert not scores[0].any() and not scores[:, -1].any()
    loss_of(matcher, [nothing, *corpus.statements], [*corpus.proofs, nothing]).backward()
    for name, parameter in matcher.named_parameters():
        assert parameter.grad is None or torch.isfinite(parameter.grad).all(), name


@kinds
def test_empty_texts_and_empty_batches(settings):
    matcher, corpus = small_matcher(**settings)
    nothing = np.empty(0, dtype=BAG)
    assert not matcher([nothing] * 3, [nothing] * 2).any()
    loss_of(matcher, [nothing] * 2, [nothing] * 2).backward()
    assert all(p.grad is None or torch.isfinite(p.grad).all() for p in matcher.parameters())
    assert matcher([], corpus.proofs).shape == (0, PAIRS)
    assert matcher([], []).shape == (0, 0)


def test_a_matcher_with_an_empty_vocabulary_still_scores_shared_features():
    matcher, corpus = small_matcher(min_frequency=1000)
    config = matcher.config
    assert (config.num_features, config.num_weights, config.num_rows) == (0, 0, 0)
    scores = matcher(corpus.statements, corpus.statements)
    lengths = corpus.pairs[0].lengths
    assert (scores.diagonal().detach().numpy() > 0).tolist() == (lengths > 0).tolist()
    loss_of(matcher, corpus.statements, corpus.proofs).backward()
    assert torch.isfinite(matcher.frequency_weights.grad).all()


def test_with_rank_0_there_are_no_tables():
    matcher, corpus = small_matcher(rank=0)
    assert len(matcher.tables) == matcher.config.num_rows == 0
    loss_of(matcher, corpus.statements, corpus.proofs).backward()
    assert matcher.sparse_weights.grad.any()


def test_without_own_weights_only_group_and_frequency_matter():
    matcher, corpus = small_matcher(has_own_weights=False)
    assert matcher.config.num_weights == 0
    assert matcher.sparse_weights.shape == (2, 1)
    before = matcher(corpus.statements, corpus.proofs)
    with torch.no_grad():
        matcher.sparse_weights += 0.7  # of all features of a side together, of which a cosine sees nothing
    assert torch.allclose(matcher(corpus.statements, corpus.proofs), before, atol=1e-5)


@pytest.mark.parametrize("max_rows", [1, 4, 17, 10**6])
def test_the_most_frequent_features_have_rows(max_rows):
    matcher, corpus = small_matcher(max_rows=max_rows)
    frequencies, has_row = corpus.vocabulary.frequencies, matcher.row_places.numpy() > 0
    may_have = (frequencies >= 3) & np.isin(
        corpus.vocabulary.groups,
        [place for place, name in enumerate(matcher.config.groups) if name in matcher.config.table_groups],
    )
    assert has_row.sum() == matcher.config.num_rows == min(max_rows, may_have.sum())
    assert not has_row[~may_have].any()
    assert frequencies[has_row].min() >= frequencies[may_have & ~has_row].max(initial=0)
    assert sorted(matcher.row_places[has_row].tolist()) == list(range(1, has_row.sum() + 1))
    assert matcher.tables[0].shape == (1 + has_row.sum(), 5)


def test_the_most_frequent_features_have_weights_whatever_their_group():
    matcher, corpus = small_matcher(table_groups=["word"])
    has_weight = corpus.vocabulary.frequencies >= 3
    assert np.array_equal(matcher.weight_places.numpy() > 0, has_weight)
    assert matcher.sparse_weights.shape == (2, 1 + has_weight.sum())
    assert len(set(corpus.vocabulary.groups[has_weight])) > 3
    assert set(corpus.vocabulary.groups[matcher.row_places.numpy() > 0]) == {GROUPS.index("word")}


def test_it_starts_with_equal_tables_and_no_weights():
    matcher, corpus = small_matcher(is_random=False)
    assert torch.equal(matcher.tables[0], matcher.tables[1])
    assert matcher.tables[0].std().item() == pytest.approx(5**-0.5, rel=0.2)
    assert matcher.tables[0].data_ptr() != matcher.tables[1].data_ptr()
    for name in ("saturations", "frequency_weights", "sparse_weights", "dense_weights"):
        assert not getattr(matcher, name).any()
    assert matcher.scales.tolist() == [3.0, 1.0]
    # So that a text is at first its own best match.
    texts = [text for text in corpus.statements if len(text)]
    assert matcher(texts, texts).argmax(dim=1).tolist() == list(range(len(texts)))


def test_the_first_row_is_not_used():
    matcher, corpus = small_matcher(max_rows=5)
    loss_of(matcher, corpus.statements, corpus.proofs).backward()
    for table in matcher.tables:
        assert not table.grad[0].any()
        assert table.grad[1:].any(dim=1).all()
    assert not matcher.dense_weights.grad[:, 0].any()
    before = matcher(corpus.statements, corpus.proofs)
    with torch.no_grad():
        matcher.dense_weights[:, 0] = 100.0
        for table in matcher.tables:
            table[0] = 100.0
    assert torch.equal(matcher(corpus.statements, corpus.proofs), before)


def test_features_without_their_own_weight_share_one():
    matcher, corpus = small_matcher()
    loss_of(matcher, corpus.statements, corpus.proofs).backward()
    assert matcher.sparse_weights.grad[:, 0].all()
    matcher, corpus = small_matcher(min_frequency=1, min_weight_frequency=1)  # where all have their own
    loss_of(matcher, corpus.statements, corpus.proofs).backward()
    assert not matcher.sparse_weights.grad[:, 0].any()
    assert matcher.sparse_weights.grad[:, 1:].any(dim=0).all()


def test_reordering_texts_reorders_scores():
    matcher, corpus = small_matcher()
    order = np.random.default_rng(0).permutation(PAIRS)
    scores = matcher(corpus.statements, corpus.proofs)
    turned = matcher([corpus.statements[one] for one in order], [corpus.proofs[one] for one in order])
    assert torch.allclose(turned, scores[order][:, order], atol=1e-5)


def test_autocast_does_not_change_scores():
    matcher, corpus = small_matcher()
    expected = matcher(corpus.statements, corpus.proofs)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert torch.equal(matcher(corpus.statements, corpus.proofs), expected)


def test_backward_adds_the_gradients_of_the_loss():
    matcher, corpus = small_matcher()
    value = loss_of(matcher, corpus.statements, corpus.proofs)
    value.backward()
    expected = {name: parameter.grad.clone() for name, parameter in matcher.named_parameters()}
    matcher.zero_grad()
    told = matcher.backward(corpus.statements, corpus.proofs, two_sided_loss, 3, lambda vectors: vectors)
    assert told.item() == pytest.approx(value.item())
    assert not told.requires_grad
    for name, parameter in matcher.named_parameters():
        assert torch.allclose(parameter.grad, expected[name]), name


def test_every_parameter_is_in_one_group():
    for settings in KINDS.values():
        matcher, _ = small_matcher(**settings)
        groups = [id(one) for group in matcher.parameter_groups() for one in group.parameters]
        assert sorted(groups) == sorted(map(id, matcher.parameters()))


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"rank": -1}, "rank must be an integer of at least 0, not -1"),
        ({"rank": 2.5}, "rank must be an integer of at least 0, not 2.5"),
        ({"min_frequency": 0}, "min_frequency must be an integer of at least 1, not 0"),
        ({"min_weight_frequency": 0}, "min_weight_frequency must be an integer of at least 1, not 0"),
        ({"max_rows": 0}, "max_rows must be an integer of at least 1, not 0"),
        ({"n_background": -1}, "n_background must be an integer of at least 0, not -1"),
        ({"n_nearest": 0}, "n_nearest must be an integer of at least 1, not 0"),
        ({"groups": []}, "groups must have at least one of math-1, "),
        (
            {"groups": ["word", "words"]},
            "unknown group 'words' in groups; the groups",
        ),
        ({"table_groups": ["stem-3"]}, "unknown group 'stem-3' in table_groups"),
        ({"hub_weight": -0.5}, "hub_weight must be at least 0, not -0.5"),
        ({"hub_weight": "x"}, "hub_weight must be at least 0, not 'x'"),
        ({"rank": 0, "has_sparse_part": False}, "there is nothing to score by"),
        ({"input": "words"}, "input must be one of both, text, math, not 'words'"),
    ],
)
def test_invalid_settings_are_refused_in_one_sentence(settings, told):
    with pytest.raises(ProofmatchError) as refused:
        LexicalMatcherConfig(**settings)
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


def test_table_groups_may_be_empty_or_not_in_groups():
    assert LexicalMatcherConfig(table_groups=[]).table_groups == []
    assert LexicalMatcherConfig(groups=["word"]).table_groups != []


def test_by_default_features_see_the_names_of_variables():
    config = LexicalMatcherConfig()
    assert config.groups == [group for group in GROUPS if not group.startswith("shape")]
    assert set(config.table_groups) < set(GROUPS)


def test_a_configuration_can_be_saved_and_loaded(tmp_path):
    config = LexicalMatcherConfig(groups=["word", "math-2"], rank=0, hub_weight=0.25, num_texts=7)
    config.save_pretrained(tmp_path)
    again = LexicalMatcherConfig.from_pretrained(tmp_path)
    assert again.to_dict() == config.to_dict()


def test_features_of_another_version_are_refused():
    with pytest.raises(ProofmatchError, match="features are of version 99"):
        LexicalMatcherConfig(features_version=99)


# From how many pairs on a feature is frequent: all are, some are, none is.
THRESHOLDS = {"frequent": 0, "mixed": 3, "rare": 10**9}
FEATURES = np.array([-(2**63), -5, 0, 7, 2**40, 2**63 - 1])


def random_rows(chance, n_rows, density, features=FEATURES, dtype=torch.float64):
    there = chance.random((n_rows, len(features))) < density
    rows, columns = np.nonzero(there)
    order = chance.permutation(len(rows))  # entries need no order
    values = torch.tensor(chance.standard_normal(len(rows)), dtype=dtype, requires_grad=True)
    return SparseRows(features[columns[order]], rows[order], values, n_rows)


def dense(side, features=FEATURES):
    matrix = torch.zeros(side.n_rows, len(features), dtype=side.values.dtype)
    places = np.searchsorted(features, side.features)
    return matrix.index_put((torch.from_numpy(side.rows), torch.from_numpy(places)), side.values)


def gradients(product, sides):
    weights = torch.arange(product.numel(), dtype=product.dtype).view(product.shape).sin()
    return torch.autograd.grad((product * weights).sum(), [side.values for side in sides], allow_unused=True)


@pytest.fixture(params=THRESHOLDS)
def threshold(request, monkeypatch):
    monkeypatch.setattr(lexical_matcher, "_PAIRS_OF_A_FREQUENT_FEATURE", THRESHOLDS[request.param])


@pytest.mark.usefixtures("threshold")
@pytest.mark.parametrize("density", [0.0, 0.2, 0.6, 1.0])
@pytest.mark.parametrize("shape", [(4, 6), (1, 1), (7, 2), (0, 3), (3, 0), (0, 0)])
def test_product_and_gradients_are_those_of_dense_matrices(shape, density):
    chance = np.random.default_rng(7)
    sides = [random_rows(chance, n_rows, density) for n_rows in shape]
    product, expected = multiply(*sides), dense(sides[0]) @ dense(sides[1]).T
    assert product.shape == shape
    assert torch.allclose(product, expected)
    for ours, theirs in zip(gradients(product, sides), gradients(expected, sides), strict=True):
        assert torch.allclose(ours, theirs)


@given(
    shape=st.tuples(st.integers(0, 6), st.integers(0, 6)),
    density=st.floats(0, 1),
    seed=st.integers(0, 1000),
    limit=st.integers(0, 40),
)
def test_no_threshold_makes_a_difference(shape, density, seed, limit):
    chance = np.random.default_rng(seed)
    sides = [random_rows(chance, n_rows, density) for n_rows in shape]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lexical_matcher, "_PAIRS_OF_A_FREQUENT_FEATURE", limit)
        assert torch.allclose(multiply(*sides), dense(sides[0]) @ dense(sides[1]).T)


@pytest.mark.usefixtures("threshold")
def test_gradients_are_those_of_finite_differences():
    chance = np.random.default_rng(1)
    left, right = random_rows(chance, 3, 0.5), random_rows(chance, 4, 0.5)

    def product(left_values, right_values):
        return multiply(
            SparseRows(left.features, left.rows, left_values, 3),
            SparseRows(right.features, right.rows, right_values, 4),
        )

    assert torch.autograd.gradcheck(product, (left.values, right.values))


@pytest.mark.usefixtures("threshold")
def test_without_shared_features_product_and_gradients_are_zero():
    chance = np.random.default_rng(2)
    sides = [random_rows(chance, 3, 1.0, FEATURES[:3]), random_rows(chance, 2, 1.0, FEATURES[3:])]
    product = multiply(*sides)
    assert torch.equal(product, torch.zeros(3, 2, dtype=torch.float64))
    product.sum().backward()
    assert all(not side.values.grad.any() for side in sides)


def test_frequent_and_rare_features_with_the_default_threshold():
    chance = np.random.default_rng(3)
    features = np.arange(100, 140)
    sides = [random_rows(chance, n_rows, 0.1, features) for n_rows in (90, 110)]
    # One feature that all texts have has 9,900 pairs, more than any other.
    sides = [
        SparseRows(
            np.append(side.features, np.full(side.n_rows, 99)),
            np.append(side.rows, np.arange(side.n_rows)),
            torch.cat([side.values.detach(), torch.ones(side.n_rows, dtype=torch.float64)]).requires_grad_(),
            side.n_rows,
        )
        for side in sides
    ]
    features = np.append(99, features)
    expected = dense(sides[0], features) @ dense(sides[1], features).T
    assert torch.allclose(multiply(*sides), expected)
