"""The same predictions give the same page, and faulty ones none."""

import json
import re

import pytest

from proofmatch.builder.release.release import open_release
from proofmatch.cli import main
from proofmatch.evaluation import evaluate
from proofmatch.evaluation.prediction_formats import SUFFIXES
from proofmatch.evaluation.predictions import write_predictions
from proofmatch.evaluation.report.matches import unpacked
from proofmatch.evaluation.report.page import write_report
from proofmatch.evaluation.system import System
from proofmatch.evaluation.task import load_task
from tests.evaluation.tasks import read_with_ids
from tests.evaluation.test_evaluator import EXAMPLE
from tests.hub.releases import REPOSITORY

from .releases import Pair, predict, write_release


def _report(*arguments):
    return main(["report", *map(str, arguments)])


def _data(page):
    return re.findall(r'octet-stream" id="[^"]*">([^<]*)<', page.read_text())


def test_the_page_is_the_same_every_time(many, report_of_many, tmp_path):
    release, predictions = many
    write_report(predictions, release, out=tmp_path / "again.html")
    assert (tmp_path / "again.html").read_bytes() == report_of_many.read_bytes()


def test_the_command_says_what_it_wrote(release, tmp_path, capsys):
    page = tmp_path / "new folder" / "report.html"
    assert _report(EXAMPLE, "--data", release, "--out", page) == 0
    shown = capsys.readouterr().out
    n_wrong = int((1 - evaluate(EXAMPLE, release).measures.accuracy) * 18 + 0.5)
    assert f"{n_wrong} wrong match" in shown
    assert str(page) in shown


def test_the_scores_are_those_of_the_evaluator(release, tmp_path):
    write_report(EXAMPLE, release, out=tmp_path / "x.html")
    result, page = evaluate(EXAMPLE, release), (tmp_path / "x.html").read_text()
    for value in result.measures.as_dict().values():
        assert f"<dd>{100 * value:.1f} %</dd>" in page
    for low, high in result.ci95.values():
        assert f"{100 * low:.1f}–{100 * high:.1f}" in page
    assert result.predictions_sha256 in page
    assert result.dataset.manifest_sha256 in page
    assert "TF-IDF, three candidates" in page


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_format_gives_the_same_matches(suffix, release, tmp_path):
    path = tmp_path / f"x{suffix}"
    write_predictions(path, read_with_ids(EXAMPLE, load_task(open_release(release), "test")), System("x"))
    write_report(path, release, out=tmp_path / "x.html")
    write_report(EXAMPLE, release, out=tmp_path / "y.html")
    assert _data(tmp_path / "x.html") == _data(tmp_path / "y.html")


def test_the_predictions_are_not_overwritten(release, tmp_path, capsys):
    path = tmp_path / "x.jsonl"
    path.write_bytes(EXAMPLE.read_bytes())
    (tmp_path / "link").symlink_to(path)
    for out in (path, tmp_path / "." / "x.jsonl", tmp_path / "link"):
        assert _report(path, "--data", release, "--out", out) == 2
        assert "another name" in capsys.readouterr().err
    assert path.read_bytes() == EXAMPLE.read_bytes()


def test_all_faults_of_a_file_are_listed_and_nothing_is_written(release, tmp_path, capsys):
    rows = EXAMPLE.read_text().splitlines()
    rows[2] = json.dumps({**json.loads(rows[2]), "proof_ids": ["p-nowhere"], "scores": [1.0]})
    path, page = tmp_path / "x.jsonl", tmp_path / "report.html"
    assert _report(EXAMPLE, "--data", release, "--out", page) == 0
    before = page.read_bytes()
    path.write_text("\n".join([*rows[1:], "{"]))
    assert _report(path, "--data", release, "--out", page) == 2
    told = capsys.readouterr().err
    assert "p-nowhere" in told
    assert "line 18" in told
    assert json.loads(rows[0])["statement_id"] in told  # is missing
    assert page.read_bytes() == before
    assert sorted(file.name for file in tmp_path.iterdir()) == ["report.html", "x.jsonl"]


@pytest.mark.parametrize("most", ["0", "-1", "nan", "x"])
def test_a_size_that_is_none_is_refused(most, release, tmp_path, capsys):
    with pytest.raises(SystemExit):
        _report(EXAMPLE, "--data", release, "--out", tmp_path / "x.html", "--max-mb", most)
    assert "--max-mb" in capsys.readouterr().err


def test_the_split_by_article_is_another_page(release, tmp_path):
    task = load_task(open_release(release), "test", by_article=True)
    n = len(task.proof_ids)
    lists = {
        statement: [task.proof_ids[(gold + 1) % n], task.proof_ids[gold]]
        for statement, gold in zip(task.statement_ids, task.gold.tolist(), strict=True)
    }
    path = tmp_path / "x.jsonl"
    rows = [{"statement_id": statement, "proof_ids": listed} for statement, listed in lists.items()]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert _report(path, "--data", release, "--by-article", "--out", tmp_path / "x.html") == 0
    page = (tmp_path / "x.html").read_text()
    assert "split by article" in page
    assert "no one-to-one matching to compare with: the file has no scores" in page
    assert "surest mistakes" not in page
    index = unpacked(_data(tmp_path / "x.html")[0])
    assert {name: tuple(proofs) for name, proofs in zip(index["id"], index["proofs"], strict=True)} == {
        name: (gold, rival) for name, (rival, gold) in lists.items()
    }


def test_who_has_all_right_has_no_list(tmp_path, visit):
    release = write_release(tmp_path / "toys", [Pair("A", "B"), Pair("C", "D")])
    path = predict(tmp_path / "x.jsonl", {0: {0: 1.0, 1: 0.0}, 1: {1: 1.0, 0: 0.0}})
    wrong = write_report(path, release, out=tmp_path / "x.html")
    assert (wrong.listed, wrong.total) == (0, 0)
    seen = visit(tmp_path / "x.html")
    assert "There are none" in seen.page.inner_text("main")


def test_who_lists_no_right_proof_has_a_page_all_the_same(tmp_path, visit):
    release = write_release(tmp_path / "toys", [Pair("A", "B"), Pair("C", "D")])
    write_report(predict(tmp_path / "x.jsonl", {0: [1], 1: [0]}), release, out=tmp_path / "x.html")
    seen = visit(tmp_path / "x.html")
    seen.page.wait_for_selector("#match .rival")
    assert seen.page.inner_text("#match .badge") == "right proof not listed"


@pytest.mark.usefixtures("hub")
def test_a_release_on_the_hub_is_named_with_its_revision(owner, release, tmp_path):
    assert owner.proofmatch("push", str(release), REPOSITORY).returncode == 0
    page = tmp_path / "report.html"
    done = owner.proofmatch("report", str(EXAMPLE), "--data", REPOSITORY, "--out", str(page))
    assert done.returncode == 0, done.stderr
    assert f" on {REPOSITORY}, test split</h1>" in page.read_text()
    assert re.search(r"revision <code>[0-9a-f]{40}</code>", page.read_text())
