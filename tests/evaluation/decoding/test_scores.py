"""Score sources: products and sums equal those of dense matrices, whatever the blocks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array, random_array

from proofmatch.errors import ProofmatchError
from proofmatch.evaluation.decoding.scores import DenseScores, ProductScores, SparseProductScores, SumScores


def parts(chance, n_rows=6, n_columns=8):
    sizes = (n_rows, n_columns)
    sparse = (random_array((size, 9), density=0.3, format="csr", random_state=chance) for size in sizes)
    return (
        DenseScores(chance.standard_normal((n_rows, n_columns))),
        ProductScores(chance.standard_normal((n_rows, 3)), chance.standard_normal((n_columns, 3))),
        SparseProductScores(*sparse),
    )


@given(seed=st.integers(0, 1000), count=st.integers(1, 3), cut=st.integers(0, 6))
def test_a_sum_is_that_of_its_parts(seed, count, cut):
    chosen = parts(np.random.default_rng(seed))[:count]
    total = SumScores(chosen)
    assert total.shape == (6, 8)
    expected = sum(np.asarray(part.block(0, 6), dtype=np.float64) for part in chosen)
    assert np.allclose(total.block(0, 6), expected, atol=1e-5)
    assert np.allclose(np.vstack([total.block(0, cut), total.block(cut, 6)]), expected, atol=1e-5)


def test_a_block_ends_where_the_statements_do():
    total = SumScores(parts(np.random.default_rng(0)))
    assert np.allclose(total.block(4, 100), total.block(4, 6))


def test_a_sum_leaves_its_parts_as_they_are_and_repeats_itself():
    chosen = parts(np.random.default_rng(0))
    before = chosen[0].matrix.copy()
    total = SumScores(chosen)
    assert np.array_equal(total.block(1, 4), total.block(1, 4))
    assert np.array_equal(chosen[0].matrix, before)


@pytest.mark.parametrize("shapes", [[(2, 3), (3, 2)], [(2, 3), (2, 3), (2, 4)], []])
def test_parts_of_different_shapes_are_refused(shapes):
    with pytest.raises(ProofmatchError, match="scores to be combined have different shapes") as refused:
        SumScores(tuple(DenseScores(np.zeros(shape)) for shape in shapes))
    assert "\n" not in str(refused.value)


def test_factors_that_do_not_fit_are_refused():
    with pytest.raises(ProofmatchError, match="do not fit"):
        ProductScores(np.zeros((2, 3)), np.zeros((2, 4)))


@given(seed=st.integers(0, 1000), share=st.sampled_from([0.0, 0.02, 0.3, 1.0]))
def test_sparse_and_dense_products_agree(seed, share):
    generator = np.random.default_rng(seed)
    left, right = (
        np.where(generator.random((rows, 40)) < share * generator.random(40) ** 2, 1.0, 0.0)
        * generator.random((rows, 40))
        for rows in (12, 9)
    )
    source = SparseProductScores(csr_array(left), csr_array(right))
    assert source.shape == (12, 9)
    assert source.block(2, 11) == pytest.approx(ProductScores(left, right).block(2, 11), abs=1e-5)
