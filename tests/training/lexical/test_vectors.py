"""Vectors of a lexical matcher: their products are its scores, less what a proof is near to everything."""

import numpy as np
import pytest
import torch

from proofmatch.training.lexical import matcher as matching
from proofmatch.training.vectors import scores_of
from tests.training.lexical.corpora import PAIRS, as_list, random_texts, small_matcher
from tests.training.lexical.test_matcher import kinds

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
def test_without_hubs_products_are_what_forward_computes(settings):
    matcher, corpus = small_matcher(hub_weight=0, **settings)
    texts = new_texts(matcher, corpus)
    scores = scores_by_vectors(matcher, *texts)
    assert scores.shape == (N_STATEMENTS, N_PROOFS)
    assert np.allclose(scores, scores_by_forward(matcher, *texts), atol=1e-5)
    assert matcher.config.n_background == len(matcher.background) == 0


@kinds
@pytest.mark.parametrize("hub_weight", [0.5, 2])
def test_the_nearness_to_training_statements_is_taken_away(settings, hub_weight):
    matcher, corpus = small_matcher(hub_weight=hub_weight, **settings)
    statements, proofs = new_texts(matcher, corpus)
    near = scores_by_forward(matcher, matcher.background, proofs)
    assert near.shape == (PAIRS, N_PROOFS)
    hubs = np.sort(near, axis=0)[-3:].mean(axis=0)
    expected = scores_by_forward(matcher, statements, proofs) - hub_weight * hubs
    assert np.allclose(scores_by_vectors(matcher, statements, proofs), expected, atol=1e-5)


def test_the_background_is_kept_as_training_read_it():
    matcher, corpus = small_matcher()
    assert np.array_equal(matcher.background.values, corpus.pairs[0].values)
    assert np.array_equal(matcher.background.starts, corpus.pairs[0].starts)
    assert matcher.background.values.dtype == corpus.pairs[0].values.dtype


@pytest.mark.parametrize("hub_weight", [0, 0.5])
def test_a_proofs_own_score_does_not_depend_on_other_proofs_or_statements(hub_weight):
    matcher, corpus = small_matcher(hub_weight=hub_weight)
    statements, many = new_texts(matcher, corpus, n_proofs=40)
    scores = scores_by_vectors(matcher, statements, many)
    for number in (0, 2, 17, 39):
        alone = many.take(np.array([number]))
        assert np.allclose(scores_by_vectors(matcher, statements, alone)[:, 0], scores[:, number], atol=1e-5)
        one = statements.take(np.array([number % N_STATEMENTS]))
        assert np.allclose(scores_by_vectors(matcher, one, many), scores[number % N_STATEMENTS], atol=1e-5)


@pytest.mark.parametrize("size", [1, 4, 5])
def test_vectors_are_the_same_however_many_texts_are_encoded_at_once(monkeypatch, size):
    matcher, corpus = small_matcher()
    statements, proofs = new_texts(matcher, corpus)
    expected = scores_by_vectors(matcher, statements, proofs)
    monkeypatch.setattr(matching, "_TEXTS", size)
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
