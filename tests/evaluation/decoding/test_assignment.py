import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from proofmatch.evaluation.decoding import (
    Candidates,
    DenseScores,
    best_candidates,
    match_candidates,
    match_exactly,
)
from proofmatch.evaluation.decoding.assignment import maximum_matching
from tests.evaluation.decoding.problems import best_total


def closeness(n_rows: int, n_columns: int) -> np.ndarray:
    """Neighbours on a line: SciPy's `maximum_bipartite_matching` takes exponential time on their graph."""
    generator = np.random.default_rng(5)
    return -np.abs(generator.random((n_rows, 1)) - generator.random((1, n_columns)))


@settings(max_examples=300)
@given(
    shape=st.tuples(st.integers(0, 20), st.integers(0, 20)),
    share=st.sampled_from([0.02, 0.1, 0.2, 0.5, 1.0]),
    seed=st.integers(0, 2**32),
)
def test_the_matching_is_maximum(shape, share, seed):
    allowed = np.random.default_rng(seed).random(shape) < share
    lists = [np.flatnonzero(row) for row in allowed]
    candidates = Candidates.from_lists(lists, [np.zeros(len(row)) for row in lists], shape[1])
    columns = maximum_matching(candidates)
    rows = np.flatnonzero(columns >= 0)
    assert allowed[rows, columns[rows]].all()
    assert len(set(columns[rows])) == len(rows)
    assert len(rows) == allowed[linear_sum_assignment(allowed, maximize=True)].sum()
    assert maximum_matching(candidates).tolist() == columns.tolist()


def test_one_long_path_is_found():
    # Row i may have columns i and i + 1, the last one only its own: with row 0 anywhere else, all must move.
    lists = [[i + 1, i] for i in range(999)] + [[999]]
    candidates = Candidates.from_lists(lists, [[0.0] * len(row) for row in lists], 1000)
    assert maximum_matching(candidates).tolist() == list(range(1000))


def test_rows_with_equal_lists_share_them():
    candidates = Candidates.from_lists([range(500)] * 1000, [[0.0] * 500] * 1000, 600)
    assert np.count_nonzero(maximum_matching(candidates) >= 0) == 500


def test_neighbours_on_a_line_do_not_take_exponential_time():
    scores = closeness(3000, 3000)
    candidates = best_candidates(DenseScores(scores), 100)
    assert np.count_nonzero(maximum_matching(candidates) < 0) == 7
    assert match_candidates(candidates).n_unmatched == 7


@pytest.mark.parametrize("shape", [(1000, 1000), (2000, 2020), (2020, 2000)])
def test_neighbours_on_a_line_are_matched_exactly(shape):
    scores = closeness(*shape)
    matching = match_exactly(DenseScores(scores))
    assert matching.total == pytest.approx(best_total(scores), rel=1e-12)
