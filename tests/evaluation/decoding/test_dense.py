import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofmatch.errors import ProofmatchError
from proofmatch.evaluation.decoding import match_globally, match_locally
from tests.evaluation.decoding.problems import best_total, largest_and_best, score_matrices, total_of

# Both first rows like column 0 best; 9 + 1 + 5 < 6 + 8 + 5.
WORKED = np.array([[9.0, 6.0, 0.0], [8.0, 1.0, 0.0], [0.0, 0.0, 5.0]])


def test_the_total_counts_not_the_single_row():
    assert match_globally(WORKED).tolist() == [1, 0, 2]
    assert match_locally(WORKED).tolist() == [0, 0, 2]


def test_columns_come_as_64_bit_integers_whatever_the_scores_are():
    for scores in (WORKED, WORKED.astype("f4"), WORKED.astype(int), WORKED.tolist()):
        columns = match_globally(scores)
        assert columns.dtype == np.int64
        assert columns.tolist() == [1, 0, 2]


def test_local_decoding_takes_the_lowest_of_equal_columns():
    assert match_locally(np.array([[1.0, 2.0, 2.0], [0.0, 0.0, 0.0]])).tolist() == [1, 0]


def test_with_more_rows_than_columns_the_least_useful_rows_get_none():
    assert match_globally([[1.0], [3.0], [2.0]]).tolist() == [-1, 0, -1]


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0)])
def test_an_empty_matrix_matches_nothing(shape):
    assert match_globally(np.zeros(shape)).tolist() == [-1] * shape[0]
    assert match_locally(np.zeros(shape)).tolist() == [-1] * shape[0]


def test_a_single_pair_is_matched():
    assert match_globally([[-7.0]]).tolist() == [0]


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_not_a_score_is_named(value):
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


def test_scores_of_any_size_are_told_apart():
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
def test_with_forbidden_pairs_as_many_as_possible_are_matched_as_well_as_possible(scores, seed, share):
    allowed = np.random.default_rng(seed).random(scores.shape) > share
    columns = match_globally(np.where(allowed, scores, -np.inf))
    matched = np.flatnonzero(columns >= 0)
    assert allowed[matched, columns[matched]].all()
    size, total = largest_and_best(scores, allowed)
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
