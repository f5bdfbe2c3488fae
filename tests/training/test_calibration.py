"""Calibration: probabilities that distinguish right hits from guesses."""

import numpy as np
import pytest

from proofmatch.evaluation.decoding.scores import DenseScores
from proofmatch.training.calibration import N_HITS, calibrate, confidences


def problem(n=200, signal=6.0, seed=0):
    """Scores of a matcher that is right about as often as the signal is strong."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(n, n))
    gold = rng.permutation(n)
    scores[np.arange(n), gold] += rng.uniform(0, signal, n)
    return scores, gold


def best_confidence(calibration, row):
    return float(confidences(calibration, -np.sort(-row)[:N_HITS])[0])


def test_a_proof_that_is_there_is_more_certain_than_the_best_of_wrong_ones():
    calibration = calibrate(DenseScores(problem()[0]), problem()[1])
    assert calibration is not None
    scores, gold = problem(seed=1)
    there = np.array([best_confidence(calibration, row) for row in scores])
    gone = np.array(
        [best_confidence(calibration, np.delete(row, at)) for row, at in zip(scores, gold, strict=True)]
    )
    is_right = scores.argmax(axis=1) == gold
    assert there[is_right].mean() > 0.6 > 0.4 > gone.mean()
    # A probability: of the hits that have about p, a share of about p is right.
    stated, right = np.concatenate([there, gone]), np.concatenate([is_right, np.zeros(len(gone), dtype=bool)])
    assert abs(stated.mean() - right.mean()) < 0.08


def test_a_better_hit_is_never_less_certain():
    calibration = calibrate(DenseScores(problem()[0]), problem()[1])
    assert calibration is not None
    found = confidences(calibration, np.array([5.0, 3.0, 3.0, 1.0]))
    assert (np.diff(found) <= 0).all()
    assert found[1] == found[2]


@pytest.mark.parametrize("n", [3, 12])
def test_too_little_to_learn_from_is_no_calibration(n):
    # With three statements there is too little; with a perfect matcher of few, there still are wrong hits.
    found = calibrate(DenseScores(np.eye(n) * 9), np.arange(n))
    assert (found is None) == (n == 3)
