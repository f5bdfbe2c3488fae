import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofmatch.evaluation.decoding import Candidates, DenseScores, best_candidates, match_candidates
from tests.evaluation.decoding.problems import best_total, largest_and_best, score_matrices, total_of


def test_a_row_gives_way_where_another_has_no_choice():
    candidates = Candidates.from_lists([[0, 1], [0]], [[9.0, 1.0], [2.0]], 2)
    matching = match_candidates(candidates)
    assert matching.columns.tolist() == [1, 0]
    assert (matching.total, matching.n_unmatched) == (3.0, 0)


def test_more_pairs_are_better_than_better_pairs():
    # 0-0 alone is worth more than 0-1 and 1-0 together.
    candidates = Candidates.from_lists([[0, 1], [0]], [[100.0, -50.0], [-50.0]], 2)
    assert match_candidates(candidates).columns.tolist() == [1, 0]


def test_a_row_that_cannot_be_served_gets_none_and_is_counted():
    candidates = Candidates.from_lists([[0], [0], [0, 1]], [[1.0], [2.0], [9.0, 0.0]], 3)
    matching = match_candidates(candidates)
    assert matching.columns.tolist() == [-1, 0, 1]
    assert (matching.total, matching.n_unmatched) == (2.0, 1)


def test_no_candidates_at_all_match_nothing():
    matching = match_candidates(Candidates.from_lists([[], []], [[], []], 3))
    assert matching.columns.tolist() == [-1, -1]
    assert matching.total == 0.0


def test_scores_of_zero_are_scores():
    candidates = Candidates.from_arrays(np.array([[0, 1], [0, 1]]), np.zeros((2, 2)), 2)
    assert sorted(match_candidates(candidates).columns.tolist()) == [0, 1]


@settings(max_examples=300)
@given(scores=score_matrices(), share=st.sampled_from([0.0, 0.2, 0.5, 0.8, 0.95]), seed=st.integers(0, 1000))
def test_the_matching_is_the_largest_and_of_those_the_best(scores, share, seed):
    allowed = np.random.default_rng(seed).random(scores.shape) >= share
    lists = [np.flatnonzero(row) for row in allowed]
    listed = [row[columns] for row, columns in zip(scores, lists, strict=True)]
    matching = match_candidates(Candidates.from_lists(lists, listed, scores.shape[1]))
    matched = np.flatnonzero(matching.columns >= 0)
    assert allowed[matched, matching.columns[matched]].all()
    size, total = largest_and_best(scores, allowed)
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
