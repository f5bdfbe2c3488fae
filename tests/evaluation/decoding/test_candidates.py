import numpy as np
import pytest

from proofmatch.errors import ProofmatchError
from proofmatch.evaluation.decoding import (
    Candidates,
    DenseScores,
    best_candidates,
    match_locally,
)
from proofmatch.evaluation.decoding.candidates import best_columns
from tests.evaluation.decoding.problems import KINDS, make


def test_lists_of_any_length_keep_their_order():
    candidates = Candidates.from_lists([[2, 0], [], [1]], [[0.5, 0.1], [], [3]], 4)
    assert candidates.starts.tolist() == [0, 2, 2, 3]
    assert candidates.columns.tolist() == [2, 0, 1]
    assert candidates.rows.tolist() == [0, 0, 2]
    assert candidates.first(1).columns.tolist() == [2, 1]


@pytest.mark.parametrize(
    ("columns", "scores", "named"),
    [
        ([[0], [1, 1]], [[1.0], [1.0, 2.0]], "row 1 lists column 1 more than once"),
        ([[0], [3]], [[1.0], [1.0]], "row 1 lists column 3"),
        ([[0], [-1]], [[1.0], [1.0]], "row 1 lists column -1"),
        ([[0], [1]], [[1.0], [np.nan]], "row 1 and column 1 is nan"),
        ([[0], [1]], [[-np.inf], [0.0]], "row 0 and column 0 is -inf"),
        ([[0], [1]], [[1.0], [1.0, 2.0]], "row 1 has 1 columns and 2 scores"),
        ([[0], [1]], [[1.0]], "2 lists of columns and 1 lists of scores"),
    ],
)
def test_a_bad_list_is_refused_with_its_row(columns, scores, named):
    with pytest.raises(ProofmatchError, match=named):
        Candidates.from_lists(columns, scores, 3)


def test_columns_that_are_not_integers_are_refused():
    with pytest.raises(ProofmatchError, match="integers"):
        Candidates.from_lists(np.zeros((2, 1)), np.zeros((2, 1)), 5)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("k", [1, 7, 100, 1199, 1200, 5000])
def test_the_best_columns_come_best_first_and_of_equals_the_lower_first(kind, dtype, k):
    scores = make(kind, 30, 1200, np.random.default_rng(0)).astype(dtype)
    expected = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    found = best_candidates(DenseScores(scores), k)
    assert np.array_equal(found.columns.reshape(expected.shape), expected)
    assert np.array_equal(found.scores.reshape(expected.shape), np.take_along_axis(scores, expected, axis=1))


def test_ascending_scores_do_not_mislead_the_sample():
    scores = np.sort(np.random.default_rng(0).random((5, 4000), dtype=np.float32), axis=1)
    assert best_columns(scores, 20).tolist() == [list(range(3999, 3979, -1))] * 5


def test_minus_zero_is_zero():
    scores = np.full((2, 1000), -1, dtype=np.float32)
    scores[:, [3, 500]] = [-0.0, 0.0]
    assert best_columns(scores, 2).tolist() == [[3, 500]] * 2


def test_many_blocks_give_what_one_gives(monkeypatch):
    scores = np.random.default_rng(0).standard_normal((50, 400))
    expected = best_candidates(DenseScores(scores), 10)
    monkeypatch.setattr("proofmatch.evaluation.decoding.scores._SCORES_PER_BLOCK", 3 * 400)
    found = best_candidates(DenseScores(scores), 10)
    assert np.array_equal(found.columns, expected.columns)
    assert np.array_equal(match_locally(DenseScores(scores)), scores.argmax(axis=1))


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0)])
def test_without_rows_or_columns_there_are_no_candidates(shape):
    found = best_candidates(DenseScores(np.zeros(shape)))
    assert (found.n_rows, found.n_columns, len(found.columns)) == (*shape, 0)


def test_fewer_than_one_candidate_is_refused():
    with pytest.raises(ProofmatchError, match="at least one"):
        best_candidates(DenseScores(np.zeros((2, 2))), 0)


def test_a_nan_is_refused_with_its_position(monkeypatch):
    monkeypatch.setattr("proofmatch.evaluation.decoding.scores._SCORES_PER_BLOCK", 8)
    scores = np.zeros((9, 4))
    scores[7, 1] = np.nan
    with pytest.raises(ProofmatchError, match="row 7 and column 1"):
        best_candidates(DenseScores(scores), 2)
