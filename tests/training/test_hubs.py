"""Hubs: the mean of a proof's highest scores for background statements, whatever else is scored."""

import numpy as np
import pytest

from proofmatch.training import hubs
from proofmatch.training.hubs import hub_scores, without_hubs
from tests.training.test_vectors import all_scores, as_matrix, random_vectors

N_BACKGROUND, N_PROOFS = 8, 11


def brute_force(background, proofs, n_nearest):
    scores = as_matrix(background).astype(np.float64) @ as_matrix(proofs).T
    return [sum(sorted(column)[-n_nearest:]) / min(n_nearest, len(column)) for column in scores.T.tolist()]


@pytest.mark.parametrize("is_sparse", [True, False])
@pytest.mark.parametrize("n_nearest", [1, 3, N_BACKGROUND, 100])
def test_means_are_those_of_the_nearest(is_sparse, n_nearest):
    background = random_vectors(0, N_BACKGROUND, is_sparse)
    proofs = random_vectors(1, N_PROOFS, is_sparse)
    means = hub_scores(background, proofs, n_nearest)
    assert means.shape == (N_PROOFS,)
    assert np.allclose(means, brute_force(background, proofs, n_nearest), atol=1e-5)


@pytest.mark.parametrize("chunk", [1, 2, 5, N_PROOFS, 1000])
def test_chunks_make_no_difference(monkeypatch, chunk):
    background, proofs = random_vectors(0, N_BACKGROUND), random_vectors(1, N_PROOFS)
    expected = hub_scores(background, proofs, 3)
    monkeypatch.setattr(hubs, "_PROOFS", chunk)
    assert np.allclose(hub_scores(background, proofs, 3), expected, atol=1e-6)


def test_a_proof_alone_is_as_near_as_among_others():
    background, proofs = random_vectors(0, N_BACKGROUND), random_vectors(1, N_PROOFS)
    together = hub_scores(background, proofs, 3)
    for number in range(N_PROOFS):
        alone = hub_scores(background, proofs[number : number + 1], 3)
        assert alone == pytest.approx(together[number], abs=1e-6)


def test_without_a_background_or_proofs_there_is_nothing_to_take():
    background, proofs = random_vectors(0, N_BACKGROUND), random_vectors(1, N_PROOFS)
    assert hub_scores(background[:0], proofs, 3).tolist() == [0] * N_PROOFS
    assert hub_scores(background, proofs[:0], 3).shape == (0,)


def test_a_dimension_takes_it_from_every_score():
    background, statements, proofs = (random_vectors(seed, size) for seed, size in enumerate((8, 5, 11)))
    left = without_hubs(statements, "statement", None, 0.7, 3)
    right = without_hubs(proofs, "proof", background, 0.7, 3)
    expected = all_scores(statements, proofs) - 0.7 * np.array(brute_force(background, proofs, 3))
    assert np.allclose(all_scores(left, right), expected, atol=1e-5)
