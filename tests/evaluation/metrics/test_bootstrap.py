"""Pinned here: intervals are repeatable, agree with SciPy's, and cover as often as they claim."""

import numpy as np
import pytest
from scipy import stats

from proofmatch.errors import ProofmatchError
from proofmatch.evaluation.metrics import Bootstrap, bootstrap, compare, interval95, resampled_means


def test_equal_seeds_give_equal_intervals():
    values = np.random.default_rng(0).random((40, 2))
    first, second, other = (interval95(resampled_means(values, Bootstrap(500, seed))) for seed in (3, 3, 4))
    assert first == second != other


def test_intervals_do_not_depend_on_the_size_of_blocks_beyond_the_draws(monkeypatch):
    values = np.random.default_rng(0).random((40, 1))
    whole = resampled_means(values, Bootstrap(300))
    monkeypatch.setattr(bootstrap, "_DRAWS_PER_BLOCK", 100)
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
