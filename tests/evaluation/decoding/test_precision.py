from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from proofmatch.errors import ProofmatchError
from proofmatch.evaluation.decoding import Candidates, CertificateError, DenseScores, match_exactly
from proofmatch.evaluation.decoding import verify_certificate as verify
from proofmatch.evaluation.decoding.exact.duals import find_duals
from tests.evaluation.decoding.problems import make, score_matrices

EPSILON = float(np.finfo(np.float64).eps)


def uneven(kind: str, shape: tuple[int, int], generator: np.random.Generator) -> np.ndarray:
    """Scores whose differences are small compared with a few huge ones or with a common offset."""
    scores = generator.random(shape)
    if kind == "bad column":
        scores[:, 0] = -1e9
    elif kind == "mask":
        scores[generator.random(shape) < 0.9] = -1e9
    elif kind == "bad row":
        scores[0] = -1e9
        scores[0, 1] = 1e9
    elif kind == "good columns":
        scores[:, : shape[1] // 2] += 1e9
    elif kind == "offset":
        scores = 1000 + 1e-6 * scores
    elif kind == "many sizes":
        scores *= 10.0 ** generator.integers(-8, 9, shape)
    return scores


def loss(scores: np.ndarray, columns: np.ndarray) -> float:
    """How much more SciPy's matching is worth, in roundings of the total."""
    rows = np.flatnonzero(columns >= 0)
    own = scores[rows, columns[rows]].astype(np.float64)
    best = scores[linear_sum_assignment(scores.astype(np.float64), maximize=True)].astype(np.float64)
    difference = sum(map(Fraction, best.tolist())) - sum(map(Fraction, own.tolist()))
    return float(difference / Fraction(max(EPSILON * float(np.abs(own).sum()), 5e-324)))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shape", [(200, 200), (150, 200), (200, 150)])
@pytest.mark.parametrize("kind", ["bad column", "mask", "bad row", "good columns", "offset", "many sizes"])
def test_huge_scores_do_not_hide_small_differences(kind, shape, dtype):
    scores = uneven(kind, shape, np.random.default_rng(2)).astype(dtype)
    for start in (1, 5, 100):
        matching = match_exactly(DenseScores(scores), start=start)
        assert loss(scores, matching.columns) <= 16
        assert matching.certificate.gap >= 0
        verify(DenseScores(scores), matching)


@settings(max_examples=300)
@given(
    scores=score_matrices(),
    exponent=st.sampled_from([-300, -30, 0, 30, 280]),
    huge=st.sampled_from([0.0, -1e6, 1e9, -1e12]),
    seed=st.integers(0, 1000),
)
def test_scores_of_all_magnitudes_are_solved_to_optimality(scores, exponent, huge, seed):
    generator = np.random.default_rng(seed)
    scores = scores.astype(np.float64)
    scores[generator.random(scores.shape) < generator.random() * (huge != 0)] = huge
    scores *= 10.0**exponent
    matching = match_exactly(DenseScores(scores), start=1)
    assert loss(scores, matching.columns) <= 16
    assert matching.certificate.gap >= 0


def test_scores_without_a_finite_sum_are_refused():
    with pytest.raises(ProofmatchError, match="infinite"):
        match_exactly(DenseScores(np.full((3, 3), 1e308)))
    with pytest.raises(ProofmatchError, match="infinite"):
        match_exactly(DenseScores(np.array([[1.7e308, -1.7e308], [1.7e308, -1.7e308]])), start=1)


def test_differences_in_the_last_digits_of_single_precision_count():
    generator = np.random.default_rng(0)
    scores = (1 + generator.integers(0, 8, (60, 60)) * 2.0**-23).astype(np.float32)
    assert loss(scores, match_exactly(DenseScores(scores), start=2).columns) <= 0


def test_dual_ascent_improves_a_suboptimal_matching():
    scores = make("normal", 40, 40, np.random.default_rng(0))
    everything = Candidates.from_lists(np.tile(np.arange(40), (40, 1)), scores, 40)
    columns = find_duals(everything, np.arange(40)).columns
    assert columns.tolist() == linear_sum_assignment(scores, maximize=True)[1].tolist()


def test_dual_ascent_augments_along_paths_to_free_columns():
    scores = make("normal", 20, 40, np.random.default_rng(0))
    everything = Candidates.from_lists(np.tile(np.arange(40), (20, 1)), scores, 40)
    columns = find_duals(everything, np.arange(20)).columns
    assert columns.tolist() == linear_sum_assignment(scores, maximize=True)[1].tolist()


@pytest.mark.parametrize("start", [1, 100])
def test_an_offset_that_hides_what_scores_differ_by_is_refused_or_does_not_matter(start):
    scores = 1e9 + 1e-6 * np.random.default_rng(0).random((100, 100))
    try:
        columns = match_exactly(DenseScores(scores), start=start).columns
    except CertificateError as error:
        assert "offset" in str(error)
        assert start == 1
    else:
        best = linear_sum_assignment(scores, maximize=True)
        difference = (scores[best] - 1e9).sum() - (scores[np.arange(100), columns] - 1e9).sum()
        assert difference <= 0.01 * 100 * 1e-6


@pytest.mark.parametrize("shape", [(400, 400), (300, 400), (400, 300)])
def test_rank_one_scores_are_solved_as_a_complete_problem(shape):
    generator = np.random.default_rng(0)
    scores = generator.random((shape[0], 1)) * generator.random((1, shape[1]))
    rounds = []
    matching = match_exactly(DenseScores(scores), start=20, on_round=rounds.append)
    assert loss(scores, matching.columns) <= 16
    bounds = [one.bound for one in rounds]
    assert bounds == sorted(bounds, reverse=True)
    if shape[0] == shape[1]:
        assert matching.n_pairs == scores.size
