"""Careless and malicious use: nothing is overwritten by mistake, and no release is mistaken for another."""

import json
import os
import shutil

import pyarrow.parquet as pq
import pytest

from proofmatch.builder.release.release import open_release
from proofmatch.cli import main
from proofmatch.errors import ProofmatchError
from proofmatch.evaluation.system import read_system
from proofmatch.evaluation.task import load_task
from proofmatch.storage import atomic_file


@pytest.fixture
def predictions(release, tmp_path):
    path = tmp_path / "x.jsonl"
    assert main(["baseline", "tfidf", "--data", str(release), "--out", str(path)]) == 0
    return path


def one_sentence(capsys, *arguments) -> str:
    capsys.readouterr()
    assert main([*map(str, arguments)]) == 2
    error = capsys.readouterr().err
    assert error.count("proofmatch") == 1
    return error


def test_predictions_are_not_overwritten_by_results_however_they_are_spelled(
    predictions, release, capsys, monkeypatch
):
    before = predictions.read_bytes()
    monkeypatch.chdir(predictions.parent)
    error = one_sentence(
        capsys, "evaluate", "x.jsonl", "--data", release, "--out", predictions.parent / "." / "x.jsonl"
    )
    assert "give --out another name" in error
    assert "give --out another name" in one_sentence(capsys, "match", "x.jsonl", "--out", predictions)
    assert predictions.read_bytes() == before


def test_formats_of_one_stem_have_sidecars_of_their_own(predictions):
    assert main(["match", str(predictions), "--out", str(predictions.with_suffix(".parquet"))]) == 0
    assert read_system(predictions).decoding == "local"
    assert read_system(predictions.with_suffix(".parquet")).decoding == "global"


def test_what_is_not_a_file_is_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with (
        pytest.raises(ProofmatchError, match="not a regular file"),
        atomic_file(tmp_path / "pipe"),
    ):
        pass
    assert (tmp_path / "pipe").is_fifo()


@pytest.mark.parametrize("name", ["x.jsonl/below.json", f"{'n' * 240}.json", f"{'n' * 300}.json"])
def test_impossible_names_are_one_sentence(predictions, release, capsys, name):
    out = predictions.parent / name
    assert "cannot be written" in one_sentence(
        capsys, "evaluate", predictions, "--data", release, "--out", out
    )


@pytest.mark.parametrize(
    "text", ['{"seconds": 1e999}', '{"notes": "\\ud800"}', '{"\\ud800": 1}', '{"name": NaN}']
)
def test_sidecars_that_cannot_be_written_again_are_refused(predictions, release, capsys, text):
    predictions.with_name("x.jsonl.system.json").write_text(text)
    error = one_sentence(
        capsys, "evaluate", predictions, "--data", release, "--out", predictions.parent / "r.json"
    )
    assert "x.jsonl.system.json" in error


def test_a_release_whose_tables_have_changed_does_not_pass_for_the_original(release, tmp_path):
    shutil.copytree(release, tmp_path / "easier")
    path = tmp_path / "easier/data/pairs/test-00000-of-00001.parquet"
    pq.write_table(pq.read_table(path).slice(0, 5), path)
    with pytest.raises(ProofmatchError, match=r"not as manifest\.json describes it"):
        load_task(open_release(tmp_path / "easier"), "test")


@pytest.mark.parametrize("split", ["*", "t*", "dev", "../test"])
def test_a_split_is_a_name_and_not_a_pattern(release, split):
    with pytest.raises(ProofmatchError, match="there is no split"):
        load_task(open_release(release), split)


@pytest.mark.parametrize("top_k", ["0", "-1", "many"])
def test_the_number_of_candidates_must_be_one(release, tmp_path, top_k):
    with pytest.raises(SystemExit) as exit_:
        main(
            [
                "baseline",
                "tfidf",
                "--data",
                str(release),
                "--out",
                str(tmp_path / "x.jsonl"),
                f"--top-k={top_k}",
            ]
        )
    assert exit_.value.code == 2


def test_an_unknown_format_is_refused_before_the_work(release, tmp_path, capsys):
    error = one_sentence(capsys, "baseline", "tfidf", "--data", release, "--out", tmp_path / "x.csv")
    assert ".csv" in error or "suffix" in error
    assert "ranking" not in error


def test_matching_forgets_what_the_sidecar_said_of_an_earlier_decoding(predictions, tmp_path):
    assert main(["match", str(predictions), "--out", str(tmp_path / "y.jsonl")]) == 0
    sidecar = json.loads((tmp_path / "y.jsonl.system.json").read_text())
    assert "details" not in sidecar
    assert sidecar["matching"]["left_over"] == 0


def test_another_kind_of_file_is_never_replaced(predictions, release, tmp_path, capsys):
    manifest, table = release / "manifest.json", release / "data" / "pairs" / "test-00000-of-00001.parquet"
    notes, gold = tmp_path / "notes.json", tmp_path / "gold.jsonl"
    notes.write_text('["mine"]')
    gold.write_text('{"statement_id": "s-1", "proof_id": "p-1"}\n')
    data = ["--data", str(release)]
    for command, out in (
        (["evaluate", str(predictions), *data], manifest),
        (["evaluate", str(predictions), *data], notes),
        (["evaluate", str(predictions), *data], release),
        (["baseline", "tfidf", *data], table),
        (["baseline", "tfidf", *data], gold),
        (["match", str(predictions)], gold),
        (["report", str(predictions), *data], notes),
        (["report", str(predictions), *data], release),
    ):
        before = out.read_bytes() if out.is_file() else sorted(out.rglob("*"))
        error = one_sentence(capsys, *command, "--out", out)
        assert str(out) in error
        assert "give another name" in error
        assert before == (out.read_bytes() if out.is_file() else sorted(out.rglob("*")))


def test_a_file_of_the_same_kind_is_replaced(predictions, release, tmp_path):
    data = ["--data", str(release)]
    for command, name in (
        (["evaluate", str(predictions), *data], "result.json"),
        (["baseline", "dice", *data], "y.jsonl"),
        (["baseline", "dice", *data], "y.trec.gz"),
        (["baseline", "dice", *data], "y.parquet"),
        (["report", str(predictions), *data], "report.html"),
    ):
        for _ in range(2):
            assert main([*command, "--out", str(tmp_path / name)]) == 0


def test_scores_by_the_rule_of_trec_eval_are_printed_and_not_stored(release, tmp_path, capsys):
    task = load_task(open_release(release), "test")
    rows = [
        {"statement_id": one, "proof_ids": task.proof_ids, "scores": [0] * len(task.proof_ids)}
        for one in task.statement_ids
    ]
    path = tmp_path / "constant.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    arguments = ["evaluate", str(path), "--data", str(release), "--out", str(tmp_path / "result.json")]
    assert main([*arguments, "--ties", "trec"]) == 0
    shown = capsys.readouterr().out
    ours, theirs = (part.split("mrr")[1].split()[0] for part in shown.split("with the tie rule"))
    n = len(task.statement_ids)
    assert float(ours) == pytest.approx(100 / n, abs=0.01)
    # By id, each gold proof has another rank: 1/1, 1/2, …
    assert float(theirs) == pytest.approx(100 / n * sum(1 / rank for rank in range(1, n + 1)), abs=0.01)
    assert json.loads((tmp_path / "result.json").read_text())["scores"]["mrr"] == pytest.approx(1 / n)
