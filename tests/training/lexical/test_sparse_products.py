"""The sparse product: that of dense matrices, whichever way features are multiplied, and so its gradients."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from proofmatch.training.lexical import sparse_products
from proofmatch.training.lexical.sparse_products import SparseRows, multiply

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
    monkeypatch.setattr(sparse_products, "_PAIRS_OF_A_FREQUENT_FEATURE", THRESHOLDS[request.param])


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
        patch.setattr(sparse_products, "_PAIRS_OF_A_FREQUENT_FEATURE", limit)
        assert torch.allclose(multiply(*sides), dense(sides[0]) @ dense(sides[1]).T)


@pytest.mark.usefixtures("threshold")
def test_gradients_are_those_of_small_differences():
    chance = np.random.default_rng(1)
    left, right = random_rows(chance, 3, 0.5), random_rows(chance, 4, 0.5)

    def product(left_values, right_values):
        return multiply(
            SparseRows(left.features, left.rows, left_values, 3),
            SparseRows(right.features, right.rows, right_values, 4),
        )

    assert torch.autograd.gradcheck(product, (left.values, right.values))


@pytest.mark.usefixtures("threshold")
def test_without_a_shared_feature_all_is_zero_and_so_are_gradients():
    chance = np.random.default_rng(2)
    sides = [random_rows(chance, 3, 1.0, FEATURES[:3]), random_rows(chance, 2, 1.0, FEATURES[3:])]
    product = multiply(*sides)
    assert torch.equal(product, torch.zeros(3, 2, dtype=torch.float64))
    product.sum().backward()
    assert all(not side.values.grad.any() for side in sides)


def test_by_default_features_of_both_kinds_are_right():
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
