"""Local and global decoding: optimal against SciPy, one-to-one, and never a pair that is not allowed."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofmatch.errors import ProofmatchError
from proofmatch.evaluation import decoding
from proofmatch.evaluation.decoding import (
    Candidates,
    DenseScores,
    best_candidates,
    fill_unmatched,
    match_candidates,
    match_globally,
    match_locally,
)
from tests.evaluation.decoding.problems import best_total, maximum_and_best, score_matrices, total_of

# Rows 0 and 1 have the same best column; 9 + 1 + 5 < 6 + 8 + 5.
WORKED = np.array([[9.0, 6.0, 0.0], [8.0, 1.0, 0.0], [0.0, 0.0, 5.0]])


def test_global_decoding_maximizes_the_total():
    assert match_globally(WORKED).tolist() == [1, 0, 2]
    assert match_locally(WORKED).tolist() == [0, 0, 2]


def test_columns_are_int64_whatever_the_dtype_of_the_scores():
    for scores in (WORKED, WORKED.astype("f4"), WORKED.astype(int), WORKED.tolist()):
        columns = match_globally(scores)
        assert columns.dtype == np.int64
        assert columns.tolist() == [1, 0, 2]


def test_local_decoding_takes_the_lowest_of_equal_columns():
    assert match_locally(np.array([[1.0, 2.0, 2.0], [0.0, 0.0, 0.0]])).tolist() == [1, 0]


def test_with_more_rows_than_columns_the_worst_rows_stay_unmatched():
    assert match_globally([[1.0], [3.0], [2.0]]).tolist() == [-1, 0, -1]


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0)])
def test_an_empty_matrix_matches_nothing(shape):
    assert match_globally(np.zeros(shape)).tolist() == [-1] * shape[0]
    assert match_locally(np.zeros(shape)).tolist() == [-1] * shape[0]


def test_a_single_pair_is_matched():
    assert match_globally([[-7.0]]).tolist() == [0]


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_nan_and_infinity_are_refused_with_their_position(value):
    scores = np.zeros((3, 4))
    scores[1, 2] = value
    with pytest.raises(ProofmatchError, match="row 1 and column 2"):
        match_globally(scores)


def test_a_vector_is_refused():
    with pytest.raises(ProofmatchError, match="matrix"):
        match_globally([1.0, 2.0])


def test_a_forbidden_pair_is_never_used_however_good_the_rest():
    forbidden = -np.inf
    assert match_globally([[forbidden, 1.0], [100.0, 50.0]]).tolist() == [1, 0]
    assert match_globally([[forbidden, 1.0], [forbidden, 50.0]]).tolist() == [-1, 1]
    assert match_globally([[forbidden, forbidden], [3.0, 1.0]]).tolist() == [-1, 0]
    assert match_globally(np.full((2, 3), forbidden)).tolist() == [-1, -1]


def test_scores_of_any_magnitude_are_matched():
    for factor in (1e-300, 1e-12, 1e12, 1e307):
        assert match_globally(WORKED * factor).tolist() == [1, 0, 2]


@settings(max_examples=300)
@given(scores=score_matrices())
def test_the_total_is_the_optimum(scores):
    columns = match_globally(scores)
    assert np.count_nonzero(columns >= 0) == min(scores.shape)
    assert total_of(scores, columns) == pytest.approx(best_total(scores), abs=1e-9)


@settings(max_examples=200)
@given(scores=score_matrices(), seed=st.integers(0, 1000), share=st.sampled_from([0.1, 0.5, 0.8]))
def test_with_forbidden_pairs_the_matching_is_maximum_and_optimal(scores, seed, share):
    allowed = np.random.default_rng(seed).random(scores.shape) > share
    columns = match_globally(np.where(allowed, scores, -np.inf))
    matched = np.flatnonzero(columns >= 0)
    assert allowed[matched, columns[matched]].all()
    size, total = maximum_and_best(scores, allowed)
    assert len(matched) == size
    assert total_of(scores, columns) == pytest.approx(total, abs=1e-6)


@given(scores=score_matrices(), seed=st.integers(0, 1000))
def test_the_order_of_columns_does_not_change_the_total(scores, seed):
    shuffled = scores[:, np.random.default_rng(seed).permutation(scores.shape[1])]
    assert total_of(shuffled, match_globally(shuffled)) == pytest.approx(best_total(scores), abs=1e-9)


@given(size=st.integers(1, 12), seed=st.integers(0, 1000))
def test_the_order_of_columns_does_not_change_a_unique_matching(size, seed):
    generator = np.random.default_rng(seed)
    scores, order = generator.standard_normal((size, size)), generator.permutation(size)
    assert order[match_globally(scores[:, order])].tolist() == match_globally(scores).tolist()


def test_a_row_with_alternatives_yields_to_one_without():
    candidates = Candidates.from_lists([[0, 1], [0]], [[9.0, 1.0], [2.0]], 2)
    matching = match_candidates(candidates)
    assert matching.columns.tolist() == [1, 0]
    assert (matching.total, matching.n_unmatched) == (3.0, 0)


def test_cardinality_comes_before_the_total():
    # 0-0 alone is worth more than 0-1 and 1-0 together.
    candidates = Candidates.from_lists([[0, 1], [0]], [[100.0, -50.0], [-50.0]], 2)
    assert match_candidates(candidates).columns.tolist() == [1, 0]


def test_unmatched_rows_are_counted():
    candidates = Candidates.from_lists([[0], [0], [0, 1]], [[1.0], [2.0], [9.0, 0.0]], 3)
    matching = match_candidates(candidates)
    assert matching.columns.tolist() == [-1, 0, 1]
    assert (matching.total, matching.n_unmatched) == (2.0, 1)


def test_no_candidates_at_all_match_nothing():
    matching = match_candidates(Candidates.from_lists([[], []], [[], []], 3))
    assert matching.columns.tolist() == [-1, -1]
    assert matching.total == 0.0


def test_scores_of_zero_are_scores():
    candidates = Candidates.from_lists(np.array([[0, 1], [0, 1]]), np.zeros((2, 2)), 2)
    assert sorted(match_candidates(candidates).columns.tolist()) == [0, 1]


@settings(max_examples=300)
@given(scores=score_matrices(), share=st.sampled_from([0.0, 0.2, 0.5, 0.8, 0.95]), seed=st.integers(0, 1000))
def test_the_matching_is_maximum_and_optimal(scores, share, seed):
    allowed = np.random.default_rng(seed).random(scores.shape) >= share
    lists = [np.flatnonzero(row) for row in allowed]
    listed = [row[columns] for row, columns in zip(scores, lists, strict=True)]
    matching = match_candidates(Candidates.from_lists(lists, listed, scores.shape[1]))
    matched = np.flatnonzero(matching.columns >= 0)
    assert allowed[matched, matching.columns[matched]].all()
    size, total = maximum_and_best(scores, allowed)
    assert len(matched) == size
    assert matching.total == pytest.approx(total, abs=1e-6)
    assert total_of(scores, matching.columns) == pytest.approx(matching.total, abs=1e-6)


@given(scores=score_matrices())
def test_with_all_candidates_the_total_is_the_optimum(scores):
    matching = match_candidates(best_candidates(DenseScores(scores), 100))
    assert matching.total == pytest.approx(best_total(scores), abs=1e-9)


@given(scores=score_matrices(), k=st.integers(1, 5), seed=st.integers(0, 1000))
def test_the_order_of_a_list_does_not_matter(scores, k, seed):
    candidates = best_candidates(DenseScores(scores), k)
    generator = np.random.default_rng(seed)
    order = np.lexsort((generator.random(len(candidates.columns)), candidates.rows))
    shuffled = Candidates(
        candidates.starts, candidates.columns[order], candidates.scores[order], candidates.n_columns
    )
    assert match_candidates(shuffled).columns.tolist() == match_candidates(candidates).columns.tolist()


def test_unmatched_rows_get_their_best_candidate():
    candidates = Candidates.from_lists([[0, 1], [0], [1, 0]], [[3, 2], [3], [5, 4]], n_columns=2)
    assert fill_unmatched(np.array([0, -1, 1]), candidates).tolist() == [0, 0, 1]
    assert fill_unmatched(np.array([1, 0, -1]), candidates).tolist() == [1, 0, 1]


def test_every_public_name_is_there():
    for name in decoding.__all__:
        assert getattr(decoding, name).__name__ == name


def test_importing_decoding_does_not_import_solvers():
    code = (
        "import sys, proofmatch.evaluation.decoding.exact.solver\n"
        "print([name for name in ('scipy', 'sklearn', 'lap', 'torch') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
