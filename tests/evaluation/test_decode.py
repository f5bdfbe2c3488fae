"""Scores → predictions: lists that are ranked, or one-to-one with everybody served."""

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from proofmatch.errors import ProofmatchError
from proofmatch.evaluation.decode import decode
from proofmatch.evaluation.decoding.candidates import Candidates
from proofmatch.evaluation.decoding.sources import DenseScores
from proofmatch.evaluation.left_over import serve_all

SCORES = np.array([[0.9, 0.8, 0.1], [0.8, 0.2, 0.1], [0.3, 0.2, 0.1]])


def test_local_decoding_ranks_for_each_statement():
    decoded = decode(DenseScores(SCORES), "local", top_k=2)
    (batch,) = decoded.batches(["s-1", "s-2", "s-3"], ["p-1", "p-2", "p-3"])
    assert batch.statement_ids.to_pylist() == ["s-1", "s-2", "s-3"]
    assert batch.proof_ids.to_pylist() == [["p-1", "p-2"]] * 3
    assert batch.scores.to_pylist() == [[0.9, 0.8], [0.8, 0.2], [0.3, 0.2]]


@pytest.mark.parametrize("decoding", ["global", "exact"])
def test_global_decoding_gives_each_statement_a_proof_of_its_own(decoding):
    decoded = decode(DenseScores(SCORES), decoding)
    assert decoded.lists.columns.tolist() == [1, 0, 2]
    assert decoded.lists.scores.tolist() == [0.8, 0.8, 0.1]
    assert decoded.details["total"] == pytest.approx(1.7)


def test_exact_decoding_sees_pairs_that_are_not_among_the_best():
    random = np.random.default_rng(0)
    scores = random.random((60, 60)) + np.linspace(0, 1, 60)  # everybody likes the same proofs
    rows, columns = linear_sum_assignment(scores, maximize=True)
    decoded = decode(DenseScores(scores), "exact", top_k=3)
    assert decoded.details["total"] == pytest.approx(scores[rows, columns].sum())
    assert decoded.details["certificate"]["gap"] == pytest.approx(0, abs=1e-9)
    pruned = decode(DenseScores(scores), "global", top_k=3)
    assert pruned.details["left_over"] > 0
    assert len(pruned.lists.columns) == 60


def test_statements_left_over_get_their_best():
    candidates = Candidates.from_lists([[0, 1], [0], [1, 0]], [[3, 2], [3], [5, 4]], n_columns=2)
    assert serve_all(np.array([0, -1, 1]), candidates).tolist() == [0, 0, 1]
    assert serve_all(np.array([1, 0, -1]), candidates).tolist() == [1, 0, 1]


def test_many_rows_come_in_batches_that_add_up():
    scores = np.random.default_rng(0).random((2300, 7))
    batches = list(
        decode(DenseScores(scores)).batches([f"s{i}" for i in range(2300)], [f"p{j}" for j in range(7)])
    )
    assert [len(batch) for batch in batches] == [1000, 1000, 300]
    firsts = [row[0] for batch in batches for row in batch.proof_ids.to_pylist()]
    assert firsts == [f"p{j}" for j in scores.argmax(axis=1)]


def test_an_unknown_decoding_is_refused():
    with pytest.raises(ProofmatchError, match="local, global, exact"):
        decode(DenseScores(SCORES), "hopeful")
