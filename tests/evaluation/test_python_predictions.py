"""Predictions as Python objects are scored like the file with the same rows, and checked as strictly."""

import json

import numpy as np
import pandas as pd
import pytest

import proofmatch
from proofmatch.builder.release.release import open_release
from proofmatch.errors import ProofmatchError
from proofmatch.evaluation.task import load_task


@pytest.fixture(scope="module")
def task(release):
    return load_task(open_release(release), "test")


@pytest.fixture(scope="module")
def scores(task):
    """Scores with ties, from few numbers."""
    return (
        np.random.default_rng(7).integers(0, 5, (len(task.statement_ids), len(task.proof_ids))).astype(float)
    )


@pytest.fixture(scope="module")
def from_file(task, scores, release, tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "x.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for statement, row in zip(task.statement_ids, scores, strict=True):
            order = np.argsort(-row, kind="stable")
            proofs = [task.proof_ids[at] for at in order]
            file.write(
                json.dumps({"statement_id": statement, "proof_ids": proofs, "scores": row[order].tolist()})
            )
            file.write("\n")
    return proofmatch.evaluate(path, release)


def as_dict(task, scores):
    return {
        statement: dict(zip(task.proof_ids, row, strict=True))
        for statement, row in zip(task.statement_ids, scores, strict=True)
    }


def as_long_frame(task, scores):
    pairs = [
        (s, p, scores[i, j]) for i, s in enumerate(task.statement_ids) for j, p in enumerate(task.proof_ids)
    ]
    return pd.DataFrame(pairs, columns=["statement_id", "proof_id", "score"])


def as_wide_frame(task, scores):
    order = np.argsort(-scores, axis=1, kind="stable")
    return pd.DataFrame(
        {
            "statement_id": task.statement_ids,
            "proof_ids": [[task.proof_ids[at] for at in row] for row in order],
            "scores": list(np.take_along_axis(scores, order, axis=1)),
        }
    )


@pytest.mark.parametrize("form", [as_dict, as_long_frame, as_wide_frame])
def test_every_form_is_scored_like_the_file_with_its_rows(form, task, scores, release, from_file):
    found = proofmatch.evaluate(form(task, scores), release, name="x")
    assert found.as_dict() == from_file.as_dict()  # the hash of the predictions included


def test_a_score_matrix_is_scored_like_the_file_with_its_rows(task, scores, release, from_file):
    ids = {"statement_ids": task.statement_ids, "proof_ids": task.proof_ids}
    found = proofmatch.evaluate(scores, open_release(release), name="x", **ids)
    assert found.as_dict() == from_file.as_dict()
    order = np.random.default_rng(1).permutation(len(task.statement_ids))
    ids["statement_ids"] = [task.statement_ids[at] for at in order]
    shuffled = proofmatch.evaluate(scores[order].astype(np.float32), release, **ids)
    assert shuffled.scores == from_file.scores


def test_lists_and_ranks_are_read_best_first(task, release):
    gold = [task.proof_ids[at] for at in task.required_gold]
    lists = {statement: (proof,) for statement, proof in zip(task.statement_ids, gold, strict=True)}
    assert proofmatch.evaluate(lists, release).scores["mrr"] == 1
    others = list(reversed(gold))
    pairs = [(s, o, 2) for s, o, g in zip(task.statement_ids, others, gold, strict=True) if o != g]
    pairs += [(s, g, 1) for s, g in zip(task.statement_ids, gold, strict=True)]
    ranks = pd.DataFrame(pairs, columns=["statement_id", "proof_id", "rank"])
    assert proofmatch.evaluate(ranks, release).scores["accuracy"] == 1


def test_results_are_tables(from_file):
    table = from_file.to_pandas()
    assert table.loc["mrr", "score"] == from_file.scores["mrr"] == from_file.measures.mrr
    assert (table["ci95_low"] <= table["score"]).all()
    assert (table["score"] <= table["ci95_high"]).all()
    html = from_file._repr_html_()
    assert f"{100 * from_file.measures.mrr:.2f}" in html
    assert "<table>" in html


def refusal(release, predictions, **options) -> str:
    with pytest.raises(ValueError, match=r".") as caught:
        proofmatch.evaluate(predictions, release, **options)
    assert isinstance(caught.value, ProofmatchError)
    return str(caught.value)


def test_faults_of_a_dict_are_listed(task, scores, release):
    predictions: dict = as_dict(task, scores)
    first, second, third, fourth = task.statement_ids[:4]
    predictions[first] = {task.proof_ids[0]: float("nan")}
    predictions[second] = "p-1"
    predictions[third] = [task.proof_ids[0], task.proof_ids[0]]
    del predictions[fourth]
    predictions[7] = [task.proof_ids[0]]
    said = refusal(release, predictions)
    assert "the dict has" in said
    for part in (
        "not finite",
        "proof_ids is a string",
        "listed more than once",
        fourth,
        "statement_id is a number",
    ):
        assert part in said


def test_tables_and_matrices_of_another_form_are_refused(task, scores, release):
    frame = as_long_frame(task, scores)
    assert "columns statement_id, proof_id;" in refusal(release, frame.drop(columns="score"))
    assert "author" in refusal(release, frame.assign(author="me"))
    assert "distinct numbers" in refusal(release, frame.rename(columns={"score": "rank"}))
    repeated = refusal(release, pd.concat([frame, frame.head(1)]))
    assert "listed more than once" in repeated
    ids = {"statement_ids": task.statement_ids, "proof_ids": task.proof_ids}
    assert "statement_ids" in refusal(release, scores)
    assert f"{len(task.proof_ids):,} proof_ids" in refusal(release, scores[:, :2], **ids)
    assert "not a matrix of numbers" in refusal(release, [["a"]], **ids)
    wrong = scores.copy()
    wrong[3, 1] = np.nan
    assert f"row 4 ({task.statement_ids[3]})" in refusal(release, wrong, **ids)
    assert "must be ids" in refusal(release, scores, **{**ids, "proof_ids": list(range(len(task.proof_ids)))})
    assert "not int" in refusal(release, 7)


def test_predictions_for_another_split_are_recognized(release):
    opened = open_release(release)
    validation = load_task(opened, "validation")
    lists = dict.fromkeys(validation.statement_ids, validation.proof_ids[:1])
    said = refusal(release, lists, split="test")
    n = len(lists)
    assert f"none of its {n} statements is in test" in said
    assert said.endswith("all are in validation: use --split validation")
    assert said.count("\n") == 0
    assert "none of its splits" in refusal(release, {"s-other": ["p-other"]})


def test_what_is_not_there_is_not_found(release, tmp_path):
    with pytest.raises(FileNotFoundError):
        proofmatch.evaluate(tmp_path / "none.jsonl", release)
    with pytest.raises(FileNotFoundError):
        proofmatch.load_release(tmp_path / "none")
