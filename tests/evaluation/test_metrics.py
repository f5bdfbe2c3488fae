"""Ties count against the gold proof; measures agree with trec_eval; intervals are repeatable and cover."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from proofmatch.errors import ProofmatchError
from proofmatch.evaluation import metrics
from proofmatch.evaluation.metrics import (
    Bootstrap,
    compare,
    count_assignments,
    cumulative_assignments,
    interval95,
    is_one_to_one,
    measure,
    measure_by_category,
    rank_of_gold,
    rank_of_gold_in_block,
    reciprocal_ranks,
    resampled_means,
)
from proofmatch.ragged import Ragged


def test_a_block_worked_by_hand():
    scores = np.array([[3.0, 2.0, 1.0], [3.0, 3.0, 1.0], [1.0, 2.0, 3.0]])
    assert rank_of_gold_in_block(scores, np.array([0, 1, 0])).tolist() == [1, 2, 3]


def test_lists_worked_by_hand():
    starts, gold = np.array([0, 2, 5, 6]), np.array([7, 8, 9])
    columns = np.array([7, 1, 8, 2, 3, 4])
    scores = np.array([0.9, 0.1, 0.5, 0.5, 0.4, 1.0])
    assert rank_of_gold(Ragged(columns, starts), scores, gold).tolist() == [1, 2, 0]
    assert rank_of_gold(Ragged(columns, starts), None, gold).tolist() == [1, 1, 0]


def test_a_gold_proof_that_is_not_listed_has_reciprocal_rank_0():
    assert reciprocal_ranks(np.array([0, 1, 4])).tolist() == [0.0, 1.0, 0.25]


@pytest.mark.parametrize("n", [1, 2, 50])
def test_a_constant_scorer_has_the_mrr_of_the_last_rank(n):
    gold = np.random.default_rng(0).permutation(n)
    assert measure(rank_of_gold_in_block(np.zeros((n, n)), gold)).mrr == pytest.approx(1 / n)
    listed = rank_of_gold(Ragged(np.tile(np.arange(n), n), np.arange(n + 1) * n), np.zeros(n * n), gold)
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
        Ragged(orders.ravel(), np.arange(n_rows + 1) * n_columns),
        np.take_along_axis(scores, orders, axis=1).ravel(),
        gold,
    )
    assert listed.tolist() == rank_of_gold_in_block(scores, gold).tolist()


def test_ranks_worked_by_hand():
    measures = measure(np.array([1, 2, 0, 20]))
    assert measures.as_dict() == {
        "mrr": pytest.approx((1 + 1 / 2 + 1 / 20) / 4),
        "accuracy": 0.25,
        "recall@10": 0.5,
        "recall@100": 0.75,
        "ndcg@10": pytest.approx((1 + 1 / np.log2(3)) / 4),
    }


@pytest.mark.parametrize("seed", range(5))
def test_measures_equal_those_of_trec_eval(seed):
    ir_measures = pytest.importorskip("ir_measures")
    from ir_measures import MRR, R, Success, nDCG

    generator = np.random.default_rng(seed)
    n, k = 120, 105
    gold = generator.permutation(n)
    columns = np.stack([generator.permutation(n)[:k] for _ in range(n)])
    # Distinct in single precision, too, which is what trec_eval computes in.
    scores = -np.sort(-generator.permutation(n * k).reshape(n, k).astype(np.float64), axis=1)
    ranks = rank_of_gold(Ragged(columns.ravel(), np.arange(n + 1) * k), scores.ravel(), gold)
    qrels = [ir_measures.Qrel(f"s{row}", f"p{gold[row]}", 1) for row in range(n)]
    run = [
        ir_measures.ScoredDoc(f"s{row}", f"p{columns[row, at]}", scores[row, at])
        for row in range(n)
        for at in range(k)
    ]
    names = [MRR, Success @ 1, R @ 10, R @ 100, nDCG @ 10]
    theirs = ir_measures.calc_aggregate(names, qrels, run)
    assert list(measure(ranks).as_dict().values()) == pytest.approx([theirs[name] for name in names])


def test_categories_come_largest_first_and_none_is_unknown():
    found = measure_by_category(np.array([1, 2, 1, 0]), ["math.NT", None, "math.NT", "math.AG"])
    assert {name: scores.n for name, scores in found.items()} == {"math.NT": 2, "math.AG": 1, "unknown": 1}
    assert next(iter(found)) == "math.NT"
    assert (found["math.NT"].mrr, found["unknown"].mrr, found["math.AG"].accuracy) == (1.0, 0.5, 0.0)


def test_assignments_worked_by_hand():
    # Proof 0 is the first choice of three statements, proof 2 of one, proofs 1 and 3 of none.
    counts = count_assignments(np.array([0, 0, 2, 0]), 4)
    assert counts == {0: 2, 1: 1, 3: 1}
    assert dict(cumulative_assignments(counts)) == {
        "≥ 20": 0,
        "≥ 10": 0,
        "≥ 5": 0,
        "≥ 2": 1,
        "= 1": 1,
        "< 1": 2,
    }
    assert not is_one_to_one(np.array([0, 0, 2, 0]))
    assert is_one_to_one(np.array([3, 1, 0]))


def test_equal_seeds_give_equal_intervals():
    values = np.random.default_rng(0).random((40, 2))
    first, second, other = (interval95(resampled_means(values, Bootstrap(500, seed))) for seed in (3, 3, 4))
    assert first == second != other


def test_intervals_do_not_depend_on_the_size_of_blocks_beyond_the_draws(monkeypatch):
    values = np.random.default_rng(0).random((40, 1))
    whole = resampled_means(values, Bootstrap(300))
    monkeypatch.setattr(metrics, "_DRAWS_PER_BLOCK", 100)
    assert resampled_means(values, Bootstrap(300)) == pytest.approx(whole)


def test_intervals_agree_with_scipy():
    values = np.random.default_rng(1).random(200) ** 3
    theirs = stats.bootstrap((values,), np.mean, n_resamples=5000, method="percentile", rng=0)
    (ours,) = interval95(resampled_means(values[:, None], Bootstrap(5000)))
    assert ours == pytest.approx(tuple(theirs.confidence_interval), abs=0.004)


def test_intervals_cover_the_truth_about_as_often_as_they_claim():
    generator = np.random.default_rng(2)
    covered = 0
    for _ in range(200):
        sample = (generator.random(100) < 0.6).astype(np.float64)
        ((low, high),) = interval95(resampled_means(sample[:, None], Bootstrap(400)))
        covered += low <= 0.6 <= high
    assert 0.89 <= covered / 200 <= 0.99


def test_a_comparison_of_a_system_with_itself_finds_nothing():
    ranks = np.array([1, 2, 0, 5, 1])
    found = compare(ranks, ranks)["mrr"]
    assert (found.difference, found.ci95, found.not_better) == (0.0, (0.0, 0.0), 1.0)


def test_a_comparison_sees_a_small_difference_that_separate_intervals_hide():
    worse = np.random.default_rng(0).integers(1, 30, 400)
    better = np.where(np.arange(400) % 10 == 0, np.maximum(worse - 1, 1), worse)
    found = compare(better, worse)["mrr"]
    assert found.difference > 0
    assert found.ci95[0] > 0
    assert found.not_better < 0.01
    assert compare(worse, better)["mrr"].difference == pytest.approx(-found.difference)


def test_a_comparison_of_different_statements_is_refused():
    with pytest.raises(ProofmatchError, match="same statements"):
        compare(np.array([1, 2]), np.array([1]))
