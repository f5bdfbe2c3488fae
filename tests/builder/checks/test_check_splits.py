"""Orders of rows that reveal each other: the same, reversed, shifted or correlated, not random ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofmatch.builder.checks.check_splits import is_improbable, revealing_order, standard_errors

sizes = st.integers(0, 300)
seeds = st.integers(0, 2**32 - 1)


def shuffled(seed: int, size: int) -> np.ndarray:
    return np.random.default_rng(seed).permutation(size)


@given(st.integers(11, 300), seeds, st.booleans())
def test_the_same_or_the_reversed_order_is_noticed(size, seed, is_reversed):
    one = shuffled(seed, size)
    other = size - 1 - one if is_reversed else one
    assert revealing_order(one, other)


@given(st.integers(20, 300), seeds, st.data())
def test_a_shifted_order_is_noticed(size, seed, data):
    one = shuffled(seed, size)
    assert revealing_order(one, (one + data.draw(st.integers(0, size - 1))) % size)


@given(st.integers(1000, 3000), seeds)
def test_a_trend_is_noticed(size, seed):
    one = shuffled(seed, size)
    noise = np.random.default_rng(seed).normal(0, size, size)
    assert revealing_order(one, np.argsort(np.argsort(one + noise)))


@given(sizes, seeds)
def test_random_orders_are_not_reported(size, seed):
    random = np.random.default_rng(seed)
    one, other = random.permutation(size), random.permutation(size)
    assert revealing_order(one, other) is None


@pytest.mark.parametrize("size", [2, 4, 10])
def test_few_rows_in_the_same_order_are_chance(size):
    assert revealing_order(np.arange(size), np.arange(size)) is None


def test_standard_errors_are_those_of_spearmans_coefficient():
    rank = pytest.importorskip("scipy.stats").spearmanr
    one, other = shuffled(1, 50), shuffled(2, 50)
    assert standard_errors(one, other) == pytest.approx(rank(one, other).statistic * 7)


def test_improbable_is_less_than_once_in_a_million():
    poisson = pytest.importorskip("scipy.stats").poisson
    for mean in (0.01, 0.5, 1.0, 3.0, 40.0, 2000.0):
        improbable = next(count for count in range(10_000) if is_improbable(count, mean))
        assert poisson.sf(improbable - 1, mean) < 1e-6
