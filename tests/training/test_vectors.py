"""Vectors of texts: slices, concatenation, inner products, hubness correction."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofmatch.training import vectors
from proofmatch.training.vectors import (
    SparseVectors,
    TextVectors,
    concatenated,
    correct_hubness,
    hubness,
    scores_of,
)

# Components are any integers, such as hashes.
FEATURES = np.array([-(2**63), -1, 0, 3, 2**62])
N_BACKGROUND, N_PROOFS = 8, 11


def random_vectors(seed, n_texts, is_sparse=True, dim=3):
    chance = np.random.default_rng(seed)
    dense = chance.standard_normal((n_texts, dim)).astype(np.float32)
    if not is_sparse:
        return TextVectors(dense)
    there = chance.random((n_texts, len(FEATURES))) < 0.5
    there[1:2] = False
    rows, columns = np.nonzero(there)
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n_texts))])
    values = chance.standard_normal(len(rows)).astype(np.float32)
    return TextVectors(dense, SparseVectors(starts, FEATURES[columns], values))


def as_matrix(vectors):
    if vectors.sparse is None:
        return vectors.dense
    sparse = vectors.sparse
    matrix = np.zeros((len(sparse), len(FEATURES)), dtype=np.float32)
    for text in range(len(sparse)):
        for entry in range(sparse.starts[text], sparse.starts[text + 1]):
            matrix[text, np.searchsorted(FEATURES, sparse.features[entry])] += sparse.values[entry]
    return np.hstack([vectors.dense, matrix])


def all_scores(statements, proofs):
    return scores_of(statements, proofs).block(0, len(statements))


@given(
    shape=st.tuples(st.integers(0, 7), st.integers(0, 7)),
    seed=st.integers(0, 100),
    is_sparse=st.booleans(),
)
def test_scores_are_inner_products(shape, seed, is_sparse):
    sides = [random_vectors(seed + number, n_texts, is_sparse) for number, n_texts in enumerate(shape)]
    assert scores_of(*sides).shape == shape
    assert np.allclose(all_scores(*sides), as_matrix(sides[0]) @ as_matrix(sides[1]).T, atol=1e-5)


def test_without_sparse_components_on_one_side_the_dense_ones_count():
    statements, proofs = random_vectors(0, 3), random_vectors(1, 4, is_sparse=False)
    assert np.allclose(all_scores(statements, proofs), statements.dense @ proofs.dense.T)
    assert np.allclose(all_scores(proofs, statements), proofs.dense @ statements.dense.T)


@pytest.mark.parametrize("is_sparse", [True, False])
@given(cut=st.integers(0, 6), other=st.integers(0, 6))
def test_concatenated_slices_equal_the_whole(is_sparse, cut, other):
    whole = random_vectors(0, 6, is_sparse)
    first, last = sorted((cut, other))
    parts = [whole[:first], whole[first:last], whole[last:]]
    assert [len(part) for part in parts] == [first, last - first, 6 - last]
    again = concatenated(parts)
    assert np.array_equal(as_matrix(again), as_matrix(whole))
    assert np.array_equal(as_matrix(whole[first:last]), as_matrix(whole)[first:last])
    assert len(whole[4:100]) == 2


def test_appended_components_have_the_same_precision():
    vectors = random_vectors(0, 4)
    more = vectors.beside(np.ones((4, 2)))
    assert more.dense.dtype == np.float32
    assert np.array_equal(more.dense[:, :3], vectors.dense)
    assert more.sparse is vectors.sparse


def hubness_by_hand(background, proofs, n_nearest):
    scores = as_matrix(background).astype(np.float64) @ as_matrix(proofs).T
    return [sum(sorted(column)[-n_nearest:]) / min(n_nearest, len(column)) for column in scores.T.tolist()]


@pytest.mark.parametrize("is_sparse", [True, False])
@pytest.mark.parametrize("n_nearest", [1, 3, N_BACKGROUND, 100])
def test_hubness_is_the_mean_of_the_highest_scores(is_sparse, n_nearest):
    background = random_vectors(0, N_BACKGROUND, is_sparse)
    proofs = random_vectors(1, N_PROOFS, is_sparse)
    means = hubness(background, proofs, n_nearest)
    assert means.shape == (N_PROOFS,)
    assert np.allclose(means, hubness_by_hand(background, proofs, n_nearest), atol=1e-5)


@pytest.mark.parametrize("chunk", [1, 5, 1000])
def test_hubness_does_not_depend_on_the_number_of_proofs_at_once(monkeypatch, chunk):
    background, proofs = random_vectors(0, N_BACKGROUND), random_vectors(1, N_PROOFS)
    expected = hubness(background, proofs, 3)
    monkeypatch.setattr(vectors, "_PROOFS_AT_ONCE", chunk)
    assert np.allclose(hubness(background, proofs, 3), expected, atol=1e-6)


def test_the_hubness_of_a_proof_does_not_depend_on_other_proofs():
    background, proofs = random_vectors(0, N_BACKGROUND), random_vectors(1, N_PROOFS)
    together = hubness(background, proofs, 3)
    for number in range(N_PROOFS):
        alone = hubness(background, proofs[number : number + 1], 3)
        assert alone == pytest.approx(together[number], abs=1e-6)


def test_hubness_without_background_statements_is_zero():
    background, proofs = random_vectors(0, N_BACKGROUND), random_vectors(1, N_PROOFS)
    assert hubness(background[:0], proofs, 3).tolist() == [0] * N_PROOFS
    assert hubness(background, proofs[:0], 3).shape == (0,)


def test_the_correction_subtracts_hubness_from_every_score():
    background, statements, proofs = (random_vectors(seed, size) for seed, size in enumerate((8, 5, 11)))
    left = correct_hubness(statements, "statement", None, 0.7, 3)
    right = correct_hubness(proofs, "proof", background, 0.7, 3)
    expected = all_scores(statements, proofs) - 0.7 * np.array(hubness_by_hand(background, proofs, 3))
    assert np.allclose(all_scores(left, right), expected, atol=1e-5)
