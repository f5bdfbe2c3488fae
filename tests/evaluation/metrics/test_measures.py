"""Pinned here: our measures are those of trec_eval where there are no ties."""

import numpy as np
import pytest

from proofmatch.evaluation.metrics import (
    count_assignments,
    cumulative_assignments,
    is_one_to_one,
    measure,
    measure_by_category,
    rank_of_gold,
)


def test_ranks_worked_by_hand():
    measures = measure(np.array([1, 2, 0, 20]))
    assert measures.as_dict() == {
        "mrr": pytest.approx((1 + 1 / 2 + 1 / 20) / 4),
        "accuracy": 0.25,
        "recall@10": 0.5,
        "recall@100": 0.75,
    }


@pytest.mark.parametrize("seed", range(5))
def test_measures_equal_those_of_trec_eval(seed):
    ir_measures = pytest.importorskip("ir_measures")
    from ir_measures import MRR, R, Success

    generator = np.random.default_rng(seed)
    n, k = 120, 105
    gold = generator.permutation(n)
    columns = np.stack([generator.permutation(n)[:k] for _ in range(n)])
    # Distinct in single precision, too, which is what trec_eval computes in.
    scores = -np.sort(-generator.permutation(n * k).reshape(n, k).astype(np.float64), axis=1)
    ranks = rank_of_gold(np.arange(n + 1) * k, columns.ravel(), scores.ravel(), gold)
    qrels = [ir_measures.Qrel(f"s{row}", f"p{gold[row]}", 1) for row in range(n)]
    run = [
        ir_measures.ScoredDoc(f"s{row}", f"p{columns[row, at]}", scores[row, at])
        for row in range(n)
        for at in range(k)
    ]
    theirs = ir_measures.calc_aggregate([MRR, Success @ 1, R @ 10, R @ 100], qrels, run)
    assert list(measure(ranks).as_dict().values()) == pytest.approx(
        [theirs[measure_] for measure_ in (MRR, Success @ 1, R @ 10, R @ 100)]
    )


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
