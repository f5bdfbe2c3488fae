"""`proofmatch predict`: scores are the model's, and it is not evaluated on its training data."""

import json
import shutil

import numpy as np
import pytest
import torch

from proofmatch.builder.release.release import open_release
from proofmatch.cli import main
from proofmatch.evaluation.system import read_system
from proofmatch.evaluation.task import load_task
from proofmatch.training.pairs import read_task
from proofmatch.training.prediction import load_matcher


def predict(model, release, out, *options) -> int:
    return main(["predict", str(model), "--data", str(release), "--out", str(out), *options])


def rows_of(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_scores_are_those_of_the_matcher_and_every_proof_is_ranked(tiny_model, release, tmp_path):
    assert predict(tiny_model, release, tmp_path / "x.jsonl") == 0
    model, task = load_matcher(tiny_model), load_task(open_release(release), "test")
    texts = read_task(task, model.reader)
    with torch.inference_mode():
        expected = model.matcher.eval()(
            [texts.statements[number] for number in range(len(texts.statements))],
            [texts.proofs[number] for number in range(len(texts.proofs))],
        ).numpy()
    rows = rows_of(tmp_path / "x.jsonl")
    assert [row["statement_id"] for row in rows] == task.statement_ids
    for row, scores in zip(rows, expected, strict=True):
        by_id = dict(zip(task.proof_ids, scores, strict=True))
        assert sorted(row["proof_ids"]) == sorted(task.proof_ids)
        assert np.allclose(row["scores"], [by_id[proof] for proof in row["proof_ids"]], atol=1e-4)
        assert row["scores"] == sorted(row["scores"], reverse=True)


@pytest.mark.parametrize("decoding", ["local", "global", "exact"])
def test_predictions_of_every_decoding_are_evaluated(tiny_model, release, tmp_path, decoding):
    out, result = tmp_path / "x.parquet", tmp_path / "result.json"
    assert predict(tiny_model, release, out, "--decode", decoding) == 0
    assert main(["evaluate", str(out), "--data", str(release), "--out", str(result)]) == 0
    found = json.loads(result.read_text())
    assert found["system"]["name"] == "tiny"
    assert found["system"]["input"] == "both"
    assert found["system"]["decoding"] == decoding
    assert ("certificate" if decoding == "exact" else "top_k") in found["system"]["details"]
    if decoding != "local":
        assert found["scores"]["one_to_one"] is True


def test_the_last_line_is_the_next_command(tiny_model, release, tmp_path, capsys):
    predict(tiny_model, release, tmp_path / "x.jsonl", "--split", "validation")
    last = capsys.readouterr().out.strip().splitlines()[-1].split()
    assert last[:2] == ["proofmatch", "evaluate"]
    assert main(last[1:]) == 0


@pytest.mark.parametrize("given", [["--name", "ours"], []])
def test_the_system_has_the_name_of_the_model_or_the_one_it_is_given(
    tiny_model, release, tmp_path, monkeypatch, given
):
    monkeypatch.chdir(tiny_model)
    assert predict(".", release, tmp_path / "x.jsonl", *given) == 0
    assert read_system(tmp_path / "x.jsonl").name == ("ours" if given else "tiny")


def test_the_other_splits_of_the_same_release_are_refused(tiny_model, release, tmp_path, capsys):
    assert predict(tiny_model, release, tmp_path / "x.jsonl", "--by-article") == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "leave out --by-article" in error
    assert not list(tmp_path.iterdir())


RECORDS = ("checkpoint-*", "training_data.*")


def test_an_old_model_trained_by_article_is_told_to_predict_by_article(tiny_model, release, tmp_path, capsys):
    shutil.copytree(tiny_model, tmp_path / "model", ignore=shutil.ignore_patterns(*RECORDS))
    run = tmp_path / "model" / "run.json"
    run.write_text(json.dumps(json.loads(run.read_text()) | {"config": "pairs_by_article"}))
    assert predict(tmp_path / "model", release, tmp_path / "x.jsonl") == 2
    assert "give --by-article" in capsys.readouterr().err
    assert predict(tmp_path / "model", release, tmp_path / "x.jsonl", "--by-article") == 0


@pytest.mark.parametrize("content", [None, "?", "[]", "{}", '{"data": null, "config": "pairs"}'])
def test_a_model_that_does_not_say_what_it_was_trained_on_is_not_refused(
    tiny_model, release, tmp_path, content
):
    shutil.copytree(tiny_model, tmp_path / "model", ignore=shutil.ignore_patterns(*RECORDS, "run.json"))
    if content is not None:
        (tmp_path / "model" / "run.json").write_text(content)
    assert predict(tmp_path / "model", release, tmp_path / "x.jsonl", "--by-article") == 0


@pytest.mark.parametrize(
    ("model", "out", "told"),
    [("tiny", "x.csv", "x.csv"), ("nowhere", "x.jsonl", "neither a folder with a matcher")],
)
def test_what_cannot_work_is_refused_in_one_sentence(tiny_model, release, tmp_path, capsys, model, out, told):
    assert predict(tiny_model.parent / model, release, tmp_path / out) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert told in error
    assert not list(tmp_path.iterdir())
