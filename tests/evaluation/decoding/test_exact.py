from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from proofmatch.errors import ProofmatchError
from proofmatch.evaluation.decoding import (
    CertificateError,
    DenseScores,
    ProductScores,
    SparseProductScores,
    best_candidates,
    match_exactly,
    verify_certificate,
)
from tests.evaluation.decoding.problems import KINDS, best_total, make, score_matrices, total_of

WORKED = np.array([[9.0, 6.0, 0.0], [8.0, 1.0, 0.0], [0.0, 0.0, 5.0]])


def product(n_rows: int = 300, n_columns: int = 300, dim: int = 4) -> ProductScores:
    generator = np.random.default_rng(0)
    left = generator.standard_normal((n_rows, dim)).astype(np.float32)
    return ProductScores(left, generator.standard_normal((n_columns, dim)).astype(np.float32))


def test_a_worked_example_is_proved_optimal_by_its_duals():
    matching = match_exactly(DenseScores(WORKED), start=1)
    assert matching.columns.tolist() == [1, 0, 2]
    assert matching.total == 19.0
    assert matching.certificate.dual_total == 19.0
    assert (matching.row_duals[:, None] + matching.column_duals >= WORKED).all()


@settings(max_examples=300)
@given(scores=score_matrices(), start=st.integers(1, 3))
def test_the_total_is_the_optimum_from_however_few_candidates(scores, start):
    source = DenseScores(scores)
    matching = match_exactly(source, start=start)
    assert np.count_nonzero(matching.columns >= 0) == min(scores.shape)
    assert matching.total == pytest.approx(best_total(scores), abs=1e-8)
    assert total_of(scores, matching.columns) == pytest.approx(matching.total, abs=1e-9)
    assert verify_certificate(source, matching).gap == pytest.approx(0, abs=1e-7)


@pytest.mark.parametrize("shape", [(150, 150), (100, 170), (170, 100)])
@pytest.mark.parametrize("kind", KINDS)
def test_larger_problems_are_solved_in_several_rounds(shape, kind):
    scores = make(kind, *shape, np.random.default_rng(1)).astype(np.float32)
    rounds = []
    matching = match_exactly(DenseScores(scores), start=2, on_round=rounds.append)
    assert matching.total == pytest.approx(best_total(scores), rel=1e-9)
    assert [round_.number for round_ in rounds] == list(range(1, matching.rounds + 1))
    assert all(round_.total - 1e-6 <= matching.total <= round_.bound + 1e-6 for round_ in rounds)
    verify_certificate(DenseScores(scores), matching)


def test_pairs_outside_of_the_candidates_are_found():
    source = product()
    matching = match_exactly(source, start=3)
    assert matching.rounds > 2
    assert matching.total == pytest.approx(best_total(source.block(0, 300)), rel=1e-9)
    assert matching.n_pairs < 300 * 300 / 2


def test_given_candidates_do_not_change_the_matching():
    source = product()
    given_ones = match_exactly(source, best_candidates(source, 50), start=5)
    assert given_ones.columns.tolist() == match_exactly(source, start=5).columns.tolist()


def test_many_blocks_give_what_one_gives(monkeypatch):
    source = DenseScores(product().block(0, 300))
    expected = match_exactly(source, start=3)
    monkeypatch.setattr("proofmatch.evaluation.decoding.scores._SCORES_PER_BLOCK", 7 * 300)
    assert match_exactly(source, start=3).columns.tolist() == expected.columns.tolist()
    verify_certificate(source, expected)


def test_sparse_vectors_with_empty_rows_are_matched():
    generator = np.random.default_rng(0)
    left, right = (
        np.where(generator.random((80, 60)) < 0.05, generator.random((80, 60)), 0) for _ in range(2)
    )
    left[:10], right[5:20] = 0, 0
    source = SparseProductScores(csr_array(left), csr_array(right))
    matching = match_exactly(source, start=4)
    assert matching.total == pytest.approx(best_total(left @ right.T), rel=1e-5)
    verify_certificate(source, matching)


@given(scores=score_matrices(square=True), seed=st.integers(0, 1000))
def test_the_order_of_columns_does_not_change_the_total(scores, seed):
    order = np.random.default_rng(seed).permutation(scores.shape[1])
    shuffled = match_exactly(DenseScores(scores[:, order]), start=2)
    assert shuffled.total == pytest.approx(best_total(scores), abs=1e-8)


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0)])
def test_an_empty_problem_is_proved_at_once(shape):
    source = DenseScores(np.zeros(shape))
    matching = match_exactly(source)
    assert matching.columns.tolist() == [-1] * shape[0]
    assert verify_certificate(source, matching).gap == 0


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_nan_and_infinity_are_refused_with_their_position(value):
    scores = np.zeros((4, 4))
    scores[2, 3] = value
    with pytest.raises(ProofmatchError, match="row 2 and column 3"):
        match_exactly(DenseScores(scores))


def test_candidates_of_other_scores_are_refused():
    with pytest.raises(ProofmatchError, match="candidates"):
        match_exactly(DenseScores(np.zeros((4, 4))), best_candidates(DenseScores(np.zeros((3, 4)))))


@pytest.mark.parametrize("shape", [(60, 60), (40, 60), (60, 40)])
@pytest.mark.parametrize("amount", [0.01, -0.01])
@pytest.mark.parametrize("duals", ["row_duals", "column_duals"])
def test_changed_duals_prove_nothing(shape, amount, duals):
    source = product(*shape)
    matching = match_exactly(source)
    changed = getattr(matching, duals).copy()
    changed[np.argmax(changed)] += amount
    with pytest.raises(CertificateError):
        verify_certificate(source, replace(matching, **{duals: changed}))


def test_a_worse_matching_is_not_proved_by_the_duals_of_the_best():
    source = product()
    matching = match_exactly(source)
    columns = matching.columns.copy()
    columns[[0, 1]] = columns[[1, 0]]
    with pytest.raises(CertificateError, match="more than the matched scores"):
        verify_certificate(source, replace(matching, columns=columns))


def test_an_incomplete_matching_is_not_proved():
    source = product()
    matching = match_exactly(source)
    for change, message in ((matching.columns[1], "one-to-one"), (300, "one-to-one"), (-1, "299 pairs")):
        columns = matching.columns.copy()
        columns[0] = change
        with pytest.raises(CertificateError, match=message):
            verify_certificate(source, replace(matching, columns=columns))
    with pytest.raises(CertificateError, match="belong"):
        verify_certificate(product(200), matching)


def test_negative_duals_of_the_larger_side_prove_nothing():
    # Shifting duals from columns to rows keeps every sum of two, but the free column's dual is negative.
    source = DenseScores(np.array([[5.0, 1.0]]))
    matching = match_exactly(source)
    shifted = replace(matching, row_duals=matching.row_duals + 2, column_duals=matching.column_duals - 2)
    with pytest.raises(CertificateError):
        verify_certificate(source, shifted)


def test_a_refused_certificate_is_a_failed_check_not_bad_usage():
    assert CertificateError.exit_code == 1
