"""Every difference between a result and its predictions is found, and named in one line."""

import gzip
import json
import shutil

import pytest

from proofmatch.builder import build_release
from proofmatch.cli import main
from proofmatch.errors import CheckFailed
from proofmatch.evaluation.leaderboard import check_results
from tests.evaluation.leaderboard.editing import copied, edit, put, understate


def faults(folder, release) -> list[str]:
    with pytest.raises(CheckFailed) as refused:
        check_results(folder, release)
    head, *lines = str(refused.value).split("\n  ")
    assert head == f"{len(lines)} fault{'s' * (len(lines) > 1)}:"
    return lines


def test_honest_results_pass(results, release):
    assert check_results(results, release) == 6
    assert check_results(results, [release]) == 6


@pytest.mark.parametrize(
    ("place", "change"),
    [
        (("scores", "mrr"), lambda value: value - 0.01),
        (("scores", "accuracy"), lambda value: value + 0.01),
        (("scores", "recall@10"), lambda value: value - 1e-6),
        (("scores", "ndcg@10"), lambda value: value - 1e-6),
        (("scores", "one_to_one"), lambda value: not value),
        (("scores", "ci95", "mrr"), lambda value: [value[0] + 0.01, value[1]]),
        (("by_category", "math.NT", "mrr"), lambda value: value / 2),
        (("by_category", "math.NT", "n"), lambda value: value + 1),
        (("by_category",), lambda _: {}),
        (("assignment_counts",), lambda _: {"1": 18}),
        (("n_statements",), lambda value: value + 1),
        (("n_proofs",), lambda value: value + 1),
        (("predictions_sha256",), lambda _: "0" * 64),
        (("system", "name"), lambda _: "ours"),
        (("system", "input"), lambda _: "math"),
        (("system", "url"), lambda _: "https://example.org"),
        (("system", "decoding"), lambda _: "exact"),
        (("evaluator", "version"), lambda _: "0.0.1"),
        (("evaluator", "tie_rule"), lambda _: "the gold proof ranks first"),
        (("evaluator", "bootstrap", "seed"), lambda _: 7),
        (("dataset", "id"), lambda _: "other"),
    ],
)
def test_any_field_that_was_changed_is_named(one, release, place, change):
    def spoil(content):
        target = content
        for key in place[:-1]:
            target = target[key]
        target[place[-1]] = change(target.get(place[-1]))

    edit(one / "tfidf-local.result.json", spoil)
    lines = faults(one, release)
    assert all(line.startswith(f"tfidf-local.result.json: {'.'.join(place)}") for line in lines), lines


def test_an_older_result_may_lack_ndcg(one, release):
    def age(content):
        del content["scores"]["ndcg@10"], content["scores"]["ci95"]["ndcg@10"]

    edit(one / "tfidf-local.result.json", age)
    assert check_results(one, release)


def test_several_mismatches_of_several_files_are_all_named(results, release):
    edit(results / "tfidf-local.result.json", understate)
    edit(results / "dice-local.result.json", put("n_proofs", value=7))
    (results / "sinkhorn.jsonl").unlink()
    lines = faults(results, release)
    assert [line.partition(":")[0] for line in lines] == [
        "dice-local.result.json",
        "sinkhorn.result.json",
        "tfidf-local.result.json",
    ]
    assert "predictions are missing" in lines[1]


def test_changed_predictions_are_found(one, release):
    predictions = one / "tfidf-local.jsonl"
    rows = [json.loads(line) for line in predictions.read_text().splitlines()]
    rows[0]["proof_ids"].reverse()
    rows[0]["scores"] = rows[0]["scores"][::-1]
    rows[0].pop("scores")
    for row in rows[1:]:
        row.pop("scores")
    predictions.write_text("".join(json.dumps(row) + "\n" for row in rows))
    lines = faults(one, release)
    assert any("predictions_sha256" in line for line in lines)
    assert any("scores.mrr" in line for line in lines)


def test_predictions_of_another_system_are_found(results, release):
    shutil.copy(results / "dice-local.jsonl", results / "tfidf-local.jsonl")
    lines = faults(results, release)
    assert any("predictions_sha256" in line for line in lines)
    assert all(line.startswith("tfidf-local.result.json") for line in lines)


def test_predictions_that_cannot_be_scored_are_one_line(one, release):
    with (one / "tfidf-local.jsonl").open("a") as file:
        file.write('{"statement_id": "s-none", "proof_ids": []}\n' * 3)
    (line,) = faults(one, release)
    assert "fault" in line


def test_a_result_of_another_split_is_refused(one, release):
    edit(one / "tfidf-local.result.json", put("dataset", "split", value="validation"))
    (line,) = faults(one, release)
    assert "validation" in line
    edit(one / "tfidf-local.result.json", put("dataset", "split", value="test"))
    edit(one / "tfidf-local.result.json", put("dataset", "config", value="pairs_by_article"))
    assert faults(one, release)


def test_a_result_of_another_release_with_the_same_name_is_refused(one, articles, tmp_path):
    other = build_release(articles, tmp_path / "other" / "release", workers=1, seed=7)
    (line,) = faults(one, other)
    assert "another release of that name" in line
    edit(one / "tfidf-local.result.json", put("dataset", "id", value="elsewhere"))
    (line,) = faults(one, other)
    assert "--data" in line


def test_the_revision_may_differ_while_the_manifest_is_the_same(one, release):
    edit(one / "tfidf-local.result.json", put("dataset", "revision", value="0" * 40))
    assert check_results(one, release) == 1


def test_two_prediction_files_of_one_name_are_refused(one, release):
    with gzip.open(one / "tfidf-local.jsonl.gz", "wb") as file:
        file.write((one / "tfidf-local.jsonl").read_bytes())
    (line,) = faults(one, release)
    assert "keep the one" in line


def test_without_a_sidecar_the_options_of_evaluate_are_believed(one, release):
    (one / "tfidf-local.jsonl.system.json").unlink()
    predictions, result = one / "tfidf-local.jsonl", one / "tfidf-local.result.json"
    options = ["--name", "mine", "--input", "text", "--url", "https://example.org"]
    assert main(["evaluate", str(predictions), "--data", str(release), *options, "--out", str(result)]) == 0
    assert check_results(one, release) == 1
    edit(result, put("system", "notes", value="the best"))
    (line,) = faults(one, release)
    assert 'system.notes is "the best", but the sidecar' in line


def test_evaluate_says_that_a_leaderboard_compares_a_new_name_with_the_sidecar(one, release, capsys):
    predictions, result = one / "tfidf-local.jsonl", one / "tfidf-local.result.json"
    evaluate = ["evaluate", str(predictions), "--data", str(release), "--out", str(result)]
    assert main([*evaluate, "--name", "tfidf"]) == 0
    assert "sidecar" not in capsys.readouterr().err
    assert main([*evaluate, "--name", "mine"]) == 0
    said = capsys.readouterr().err
    assert "tfidf-local.jsonl.system.json" in said
    assert "'mine'" in said
    (line,) = faults(one, release)
    assert 'system.name is "mine"' in line


def test_the_same_system_twice_on_one_board_is_refused(results, release):
    for path in list(results.glob("tfidf-local.*")):
        shutil.copy(path, path.with_name(path.name.replace("tfidf-local", "again")))
    lines = faults(results, release)
    assert any("tfidf-local.result.json" in line and "again.result.json" in line for line in lines)


def test_unreadable_results_fail_the_check_and_the_others_are_checked_all_the_same(results, release):
    (results / "broken.result.json").write_text("{")
    edit(results / "tfidf-local.result.json", understate)
    lines = faults(results, release)
    assert any(line.startswith("broken.result.json") for line in lines)
    assert any("scores.mrr is " in line for line in lines)


def test_the_command_is_fit_for_continuous_integration(one, release, capsys):
    check = ["leaderboard", str(one), "--check", "--data", str(release)]
    assert main(check) == 0
    assert "1 result agrees" in capsys.readouterr().out
    edit(one / "tfidf-local.result.json", understate)
    assert main(check) == 1
    assert "scores.mrr is " in capsys.readouterr().err
    copied(one / "tfidf-local.result.json", "other.result.json", put("scores", "mrr", value=2))
    assert main(check) == 1
    assert main(["leaderboard", str(one), "--check", "--data", str(one)]) == 2
