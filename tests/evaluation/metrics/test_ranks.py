"""Pinned here: ties count against the gold proof, in whatever order and form the scores come."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofmatch.errors import ProofmatchError
from proofmatch.evaluation.metrics.measures import measure
from proofmatch.evaluation.metrics.ranks import rank_of_gold, rank_of_gold_in_block, reciprocal_ranks


def test_a_block_worked_by_hand():
    scores = np.array([[3.0, 2.0, 1.0], [3.0, 3.0, 1.0], [1.0, 2.0, 3.0]])
    assert rank_of_gold_in_block(scores, np.array([0, 1, 0])).tolist() == [1, 2, 3]


def test_lists_worked_by_hand():
    starts, gold = np.array([0, 2, 5, 6]), np.array([7, 8, 9])
    columns = np.array([7, 1, 8, 2, 3, 4])
    scores = np.array([0.9, 0.1, 0.5, 0.5, 0.4, 1.0])
    assert rank_of_gold(starts, columns, scores, gold).tolist() == [1, 2, 0]
    assert rank_of_gold(starts, columns, None, gold).tolist() == [1, 1, 0]


def test_a_gold_proof_that_is_not_listed_has_reciprocal_rank_0():
    assert reciprocal_ranks(np.array([0, 1, 4])).tolist() == [0.0, 1.0, 0.25]


@pytest.mark.parametrize("n", [1, 2, 50])
def test_a_constant_scorer_has_the_mrr_of_the_last_rank(n):
    gold = np.random.default_rng(0).permutation(n)
    assert measure(rank_of_gold_in_block(np.zeros((n, n)), gold)).mrr == pytest.approx(1 / n)
    listed = rank_of_gold(np.arange(n + 1) * n, np.tile(np.arange(n), n), np.zeros(n * n), gold)
    assert measure(listed).mrr == pytest.approx(1 / n)


def test_nan_is_refused_because_it_would_flatter():
    with pytest.raises(ProofmatchError, match="NaN"):
        rank_of_gold_in_block(np.array([[1.0, np.nan]]), np.array([0]))


@given(st.data())
def test_lists_in_any_order_and_the_block_agree(data):
    n_rows, n_columns = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 6))
    few_scores = st.integers(-2, 2)
    flat = data.draw(st.lists(few_scores, min_size=n_rows * n_columns, max_size=n_rows * n_columns))
    scores = np.array(flat, dtype=np.float64).reshape(n_rows, n_columns)
    gold = np.array(data.draw(st.lists(st.integers(0, n_columns - 1), min_size=n_rows, max_size=n_rows)))
    orders = np.array([data.draw(st.permutations(range(n_columns))) for _ in range(n_rows)])
    listed = rank_of_gold(
        np.arange(n_rows + 1) * n_columns,
        orders.ravel(),
        np.take_along_axis(scores, orders, axis=1).ravel(),
        gold,
    )
    assert listed.tolist() == rank_of_gold_in_block(scores, gold).tolist()
