"""Normalized scores equal the dense formulas, whatever the blocks, and keep the best matching."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from scipy.special import logsumexp

from proofmatch.errors import ProofmatchError
from proofmatch.evaluation.decode import decode
from proofmatch.evaluation.decoding import (
    DenseScores,
    OffsetScores,
    ProductScores,
    match_exactly,
    normalized_scores,
    verify_certificate,
)
from proofmatch.evaluation.decoding.normalization import METHODS
from tests.evaluation.decoding.problems import KINDS, best_total, make, score_matrices, total_of

TEMPERATURES = st.sampled_from([0.05, 0.5, 1.0, 7.0])


def whole(source) -> np.ndarray:
    return source.block(0, source.shape[0])


def dual_softmax(scores: np.ndarray, temperature: float) -> np.ndarray:
    logits = scores.astype(np.float64) / temperature
    of_rows = logits - logsumexp(logits, axis=1, keepdims=True)
    return of_rows + logits - logsumexp(logits, axis=0, keepdims=True)


def sinkhorn(scores: np.ndarray, temperature: float, rounds: int) -> np.ndarray:
    logits = scores.astype(np.float64) / temperature
    for _ in range(rounds):
        logits = logits - logsumexp(logits, axis=1, keepdims=True)
        logits = logits - logsumexp(logits, axis=0, keepdims=True) + np.log(len(logits) / logits.shape[1])
    return logits


def normalized(method: str, scores: np.ndarray, temperature: float, rounds: int) -> np.ndarray:
    return (
        sinkhorn(scores, temperature, rounds) if method == "sinkhorn" else dual_softmax(scores, temperature)
    )


def test_two_by_two_worked_by_hand():
    # exp(scores) is (1, 3), (1, 1). Rows to 1: (1/4, 3/4), (1/2, 1/2); columns add up to 3/4 and 5/4.
    scores = np.log([[1.0, 3.0], [1.0, 1.0]])
    found = np.exp(whole(normalized_scores(DenseScores(scores), "sinkhorn", rounds=1)))
    assert found == pytest.approx(np.array([[1 / 3, 3 / 5], [2 / 3, 2 / 5]]))
    # Shares in rows times shares in columns, which add up to 2 and 4.
    found = np.exp(whole(normalized_scores(DenseScores(scores), "dual-softmax")))
    assert found == pytest.approx(np.array([[1 / 4 * 1 / 2, 3 / 4 * 3 / 4], [1 / 2 * 1 / 2, 1 / 2 * 1 / 4]]))


@given(score_matrices(), TEMPERATURES, st.integers(1, 6), st.sampled_from(METHODS))
def test_both_methods_equal_the_dense_formulas(scores, temperature, rounds, method):
    found = whole(normalized_scores(DenseScores(scores), method, temperature, rounds))
    assert found.shape == scores.shape
    if scores.size:
        assert found == pytest.approx(normalized(method, scores, temperature, rounds), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("temperature", [0.01, 1.0])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_extreme_scores_neither_overflow_nor_vanish(method, temperature, dtype):
    generator = np.random.default_rng(0)
    scores = generator.choice([1e4, -1e4, 0.0, 1.0], size=(30, 20)).astype(dtype)
    scores[3], scores[:, 4] = -1e4, 1e4
    scores[:, 5] = -1e4  # a column that vanishes beside all others
    found = whole(normalized_scores(DenseScores(scores), method, temperature, 5))
    assert np.isfinite(found).all()
    assert found == pytest.approx(normalized(method, scores, temperature, 5), rel=1e-9, abs=1e-6)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("shape", [(37, 37), (20, 53), (53, 20)])
def test_equal_scores_stay_exactly_equal(method, shape, monkeypatch):
    monkeypatch.setattr("proofmatch.evaluation.decoding.normalization._SCORES_PER_BLOCK", 7 * shape[1])
    found = whole(normalized_scores(DenseScores(np.full(shape, 0.3)), method, 0.05))
    assert len(np.unique(found)) == 1
    # Proofs that are the same for every statement are so afterwards.
    scores = np.random.default_rng(0).standard_normal(shape)
    scores[:, -3:] = scores[:, :3]
    found = whole(normalized_scores(DenseScores(scores), method, 0.05))
    assert np.array_equal(found[:, -3:], found[:, :3])


@pytest.mark.parametrize("shape", [(40, 40), (25, 40), (40, 25)])
def test_after_many_rounds_all_rows_and_all_columns_add_up_to_the_same(shape):
    scores = np.random.default_rng(0).standard_normal(shape)
    found = np.exp(whole(normalized_scores(DenseScores(scores), "sinkhorn", 0.5, 500)))
    assert found.sum(axis=1) == pytest.approx(np.ones(shape[0]), abs=1e-9)
    assert found.sum(axis=0) == pytest.approx(np.full(shape[1], shape[0] / shape[1]), abs=1e-9)


@given(score_matrices(), TEMPERATURES, st.sampled_from(METHODS))
def test_normalization_adds_one_offset_per_row_and_per_column(scores, temperature, method):
    source = normalized_scores(DenseScores(scores), method, temperature)
    divided_by = temperature if method == "sinkhorn" else temperature / 2
    added = whole(source) - scores / np.float64(divided_by)
    if added.size:
        assert added - added[:1] - added[:, :1] + added[0, 0] == pytest.approx(
            np.zeros(scores.shape), abs=1e-9
        )


@given(score_matrices(square=True), TEMPERATURES, st.sampled_from(METHODS))
def test_the_best_matching_of_normalized_scores_is_one_of_the_scores_themselves(scores, temperature, method):
    # By SciPy: some of these scores become equal but for roundings, and by these ours refuses to choose.
    found = whole(normalized_scores(DenseScores(scores), method, temperature))
    _, columns = linear_sum_assignment(found, maximize=True)
    assert total_of(scores, columns) == pytest.approx(best_total(scores), abs=1e-8)


@pytest.mark.parametrize("method", METHODS)
def test_exact_matching_is_unchanged_and_ranking_improves(method):
    generator = np.random.default_rng(0)
    meaning = generator.standard_normal((300, 32), dtype=np.float32)
    left, right = (meaning + generator.standard_normal((300, 32), dtype=np.float32) for _ in range(2))
    right *= np.exp(0.3 * generator.standard_normal((300, 1), dtype=np.float32))
    plain = ProductScores(left, right)
    source = normalized_scores(plain, method, 4.0)
    before, after = decode(plain, "exact"), decode(source, "exact")
    assert np.array_equal(before.lists.columns, after.lists.columns)
    verify_certificate(source, match_exactly(source))
    right_firsts = [
        int((decode(scores).lists.first(1).columns == np.arange(300)).sum()) for scores in (plain, source)
    ]
    assert right_firsts[1] > right_firsts[0]


@pytest.mark.parametrize("method", METHODS)
def test_with_more_proofs_than_statements_the_best_matching_may_be_another(method):
    # Proofs that stay free do not bring in their offsets.
    scores = np.random.default_rng(0).standard_normal((10, 30))
    found = whole(normalized_scores(DenseScores(scores), method))
    before, after = (linear_sum_assignment(matrix, maximize=True)[1] for matrix in (scores, found))
    assert before.tolist() != after.tolist()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rows_per_block", [1, 7, 1000])
def test_many_blocks_give_what_one_gives(method, kind, rows_per_block, monkeypatch):
    scores = make(kind, 50, 40, np.random.default_rng(0))
    expected = normalized(method, scores, 0.1, 20)
    monkeypatch.setattr(
        "proofmatch.evaluation.decoding.normalization._SCORES_PER_BLOCK", rows_per_block * scores.shape[1]
    )
    assert whole(normalized_scores(DenseScores(scores), method, 0.1)) == pytest.approx(expected, abs=1e-9)


def test_every_round_reads_every_block_once(monkeypatch):
    monkeypatch.setattr("proofmatch.evaluation.decoding.normalization._SCORES_PER_BLOCK", 40)

    class Counting(DenseScores):
        asked: list[tuple[int, int]] = []  # noqa: RUF012 - shared on purpose

        def block(self, start, stop):
            self.asked.append((start, stop))
            return super().block(start, stop)

    source = Counting(np.random.default_rng(0).random((10, 10)))
    normalized_scores(source, "sinkhorn", rounds=3)
    assert sorted(source.asked) == sorted(3 * [(0, 4), (4, 8), (8, 10)])


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("method", METHODS)
def test_nan_and_infinity_are_refused_with_their_position(method, value):
    scores = np.zeros((4, 4))
    scores[2, 3] = value
    with pytest.raises(ProofmatchError, match="row 2 and column 3"):
        normalized_scores(DenseScores(scores), method)


@pytest.mark.parametrize("method", METHODS)
def test_a_temperature_too_small_is_refused_without_warnings(method, recwarn):
    with pytest.raises(ProofmatchError, match="give a greater one"):
        normalized_scores(DenseScores(np.full((3, 3), 1e300)), method, 1e-10)
    mixed = np.full((3, 3), -1e300)
    np.fill_diagonal(mixed, 0)
    with pytest.raises(ProofmatchError, match="finite"):
        decode(normalized_scores(DenseScores(mixed), method, 1e-10))
    assert not recwarn.list


@pytest.mark.parametrize(
    ("method", "temperature", "rounds", "told"),
    [
        ("softmax", 1.0, 20, "dual-softmax, sinkhorn"),
        ("none", 1.0, 20, "dual-softmax, sinkhorn"),
        ("sinkhorn", 0.0, 20, "positive"),
        ("sinkhorn", -1.0, 20, "positive"),
        ("dual-softmax", np.nan, 20, "positive"),
        ("dual-softmax", np.inf, 20, "positive"),
        ("sinkhorn", 1.0, 0, "at least one round"),
    ],
)
def test_invalid_settings_are_refused(method, temperature, rounds, told):
    with pytest.raises(ProofmatchError, match=told):
        normalized_scores(DenseScores(np.zeros((2, 2))), method, temperature, rounds)


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0)])
@pytest.mark.parametrize("method", METHODS)
def test_empty_scores_stay_empty(method, shape):
    assert whole(normalized_scores(DenseScores(np.zeros(shape)), method)).shape == shape


def test_offsets_do_not_modify_the_scores_and_must_fit():
    scores = np.arange(6.0).reshape(2, 3)
    source = OffsetScores(DenseScores(scores), 0.5, np.array([1.0, 2.0]), np.array([0.0, 10.0, 20.0]))
    assert source.block(1, 2).tolist() == [[8.0, 20.0, 32.0]]
    assert scores.tolist() == [[0, 1, 2], [3, 4, 5]]
    with pytest.raises(ProofmatchError, match="do not fit"):
        OffsetScores(DenseScores(scores), 1.0, np.zeros(3), np.zeros(2))


def test_progress_counts_rounds(capsys):
    normalized_scores(DenseScores(np.eye(3)), "sinkhorn", rounds=4)
    assert "in round 4" in capsys.readouterr().err
