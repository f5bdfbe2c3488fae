"""Scores → predictions: ranked lists or one-to-one; and matching a file uses only what it lists."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from proofmatch.cli import main
from proofmatch.errors import ProofmatchError
from proofmatch.evaluation.decode import decode, match_predictions
from proofmatch.evaluation.decoding.scores import DenseScores

from .tasks import write_lines

SCORES = np.array([[0.9, 0.8, 0.1], [0.8, 0.2, 0.1], [0.3, 0.2, 0.1]])


def test_local_decoding_ranks_for_each_statement():
    decoded = decode(DenseScores(SCORES), "local", top_k=2)
    (batch,) = decoded.batches(["s-1", "s-2", "s-3"], ["p-1", "p-2", "p-3"])
    assert batch.statement_ids.to_pylist() == ["s-1", "s-2", "s-3"]
    assert batch.proof_ids.to_pylist() == [["p-1", "p-2"]] * 3
    assert batch.scores.to_pylist() == [[0.9, 0.8], [0.8, 0.2], [0.3, 0.2]]


@pytest.mark.parametrize("decoding", ["global", "exact"])
def test_one_to_one_decoding_gives_each_statement_its_own_proof(decoding):
    decoded = decode(DenseScores(SCORES), decoding)
    assert decoded.lists.columns.tolist() == [1, 0, 2]
    assert decoded.lists.scores.tolist() == [0.8, 0.8, 0.1]
    assert decoded.details["total"] == pytest.approx(1.7)


def test_exact_decoding_finds_pairs_outside_the_candidates():
    random = np.random.default_rng(0)
    scores = random.random((60, 60)) + np.linspace(0, 1, 60)  # the last proofs are hubs
    rows, columns = linear_sum_assignment(scores, maximize=True)
    decoded = decode(DenseScores(scores), "exact", top_k=3)
    assert decoded.details["total"] == pytest.approx(scores[rows, columns].sum())
    assert decoded.details["certificate"]["gap"] == pytest.approx(0, abs=1e-9)
    pruned = decode(DenseScores(scores), "global", top_k=3)
    assert pruned.details["left_over"] > 0
    assert len(pruned.lists.columns) == 60


def test_many_rows_are_split_into_batches():
    scores = np.random.default_rng(0).random((2300, 7))
    batches = list(
        decode(DenseScores(scores)).batches([f"s{i}" for i in range(2300)], [f"p{j}" for j in range(7)])
    )
    assert [len(batch) for batch in batches] == [1000, 1000, 300]
    firsts = [row[0] for batch in batches for row in batch.proof_ids.to_pylist()]
    assert firsts == [f"p{j}" for j in scores.argmax(axis=1)]


def test_an_unknown_decoding_is_refused():
    with pytest.raises(ProofmatchError, match="local, global, exact"):
        decode(DenseScores(SCORES), "greedy")


def row(statement, **scored):
    proofs = sorted(scored, key=lambda proof: -scored[proof])
    return {"statement_id": statement, "proof_ids": proofs, "scores": [scored[proof] for proof in proofs]}


def matched(path):
    return {row["statement_id"]: row["proof_ids"] for row in map(json.loads, path.read_text().splitlines())}


def test_three_statements_worked_by_hand(tmp_path):
    # Best alone: s0 and s1 both take p0. One-to-one the total 4 + 3 + 1 beats 5 + 1 + 1.
    rows = [row("s0", p0=5.0, p1=4.0), row("s1", p0=3.0, p1=1.0), row("s2", p2=1.0)]
    path = write_lines(tmp_path / "x.jsonl", rows)
    found = match_predictions(path, tmp_path / "y.jsonl")
    assert matched(tmp_path / "y.jsonl") == {"s0": ["p1"], "s1": ["p0"], "s2": ["p2"]}
    assert json.loads((tmp_path / "y.jsonl").read_text().splitlines()[0])["scores"] == [4.0]
    assert (found.n_statements, found.n_proofs, found.n_unmatched) == (3, 3, 0)


def test_an_unmatched_statement_keeps_its_best_candidate_and_is_reported(tmp_path, capsys):
    rows = [row("s0", p0=1.0), row("s1", p0=3.0), row("s2", p0=2.0, p2=1.0)]
    write_lines(tmp_path / "x.jsonl", rows)
    assert main(["match", str(tmp_path / "x.jsonl"), "--out", str(tmp_path / "y.jsonl")]) == 0
    assert "unmatched: 1" in capsys.readouterr().out
    assert matched(tmp_path / "y.jsonl") == {"s0": ["p0"], "s1": ["p0"], "s2": ["p2"]}
    sidecar = json.loads((tmp_path / "y.jsonl.system.json").read_text())
    assert sidecar == {"name": "x", "decoding": "global", "matching": {"total": 4.0, "left_over": 1}}


@given(st.data())
def test_the_order_of_rows_and_of_equal_scores_does_not_matter(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("order")
    scores = st.dictionaries(st.sampled_from(["p0", "p1", "p2", "p3"]), st.integers(0, 2), min_size=1)
    lists = [data.draw(scores) for _ in range(4)]
    found = []
    for attempt in range(2):
        rows = []
        for number in data.draw(st.permutations(range(4))):
            shuffled = data.draw(st.permutations(sorted(lists[number])))
            rows.append(row(f"s{number}", **{proof: lists[number][proof] for proof in shuffled}))
        path = write_lines(folder / f"{attempt}.jsonl", rows)
        result = match_predictions(path, folder / f"{attempt}-matched.jsonl")
        sidecar = json.loads((folder / f"{attempt}-matched.jsonl.system.json").read_text())
        one_to_one = matched(folder / f"{attempt}-matched.jsonl") if result.n_unmatched == 0 else None
        found.append((result.n_unmatched, sidecar["matching"], one_to_one))
        for statement, (proof,) in matched(folder / f"{attempt}-matched.jsonl").items():
            assert proof in lists[int(statement[1:])]
    assert found[0] == found[1]


def test_predictions_without_scores_are_refused(tmp_path):
    path = write_lines(tmp_path / "x.jsonl", [{"statement_id": "s0", "proof_ids": ["p0"]}])
    with pytest.raises(ProofmatchError, match="has no scores"):
        match_predictions(path, tmp_path / "y.jsonl")
    assert [file.name for file in tmp_path.iterdir()] == ["x.jsonl"]


@pytest.mark.parametrize(
    "content", ["", '{"statement_id": "s0", "proof_ids": ["p0", "p0"], "scores": [1, 1]}\n']
)
def test_a_faulty_file_is_refused(content, tmp_path, capsys):
    (tmp_path / "x.jsonl").write_text(content)
    assert main(["match", str(tmp_path / "x.jsonl"), "--out", str(tmp_path / "y.jsonl")]) == 2
    assert "x.jsonl has 1 fault" in capsys.readouterr().err
    assert main(["match", str(tmp_path / "x.jsonl"), "--out", str(tmp_path / "x.jsonl")]) == 2
