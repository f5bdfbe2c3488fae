"""Result files follow the schema and are the same every time, whatever the format of the predictions."""

import json
from importlib import resources
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import proofmatch.evaluation
from proofmatch.builder.release.release import open_release
from proofmatch.cli import main
from proofmatch.evaluation import evaluate
from proofmatch.evaluation.decoding.scores import DenseScores
from proofmatch.evaluation.evaluator import make_result, rank_predictions
from proofmatch.evaluation.prediction_formats import SUFFIXES
from proofmatch.evaluation.predictions import write_predictions
from proofmatch.evaluation.system import System
from proofmatch.evaluation.task import load_task
from proofmatch.storage import sha256_of

from .tasks import make_task, rank_file, read_with_ids, write_lines

EXAMPLE = Path(str(resources.files(proofmatch.evaluation))) / "examples" / "predictions.jsonl"
SCHEMA = json.loads((resources.files(proofmatch.evaluation) / "result.schema.json").read_text())


def test_three_statements_worked_by_hand(tmp_path):
    rows = [
        {"statement_id": "s2", "proof_ids": ["p0", "p1"], "scores": [2.0, 1.0]},
        {"statement_id": "s0", "proof_ids": ["p0", "p1", "p2"], "scores": [2.0, 1.0, 0.0]},
        {"statement_id": "s1", "proof_ids": ["p1", "p0"], "scores": [2.0, 2.0]},
    ]
    task = make_task()
    ranking = rank_file(write_lines(tmp_path / "x.jsonl", rows), task)
    assert ranking.ranks.tolist() == [1, 2, 0]
    assert ranking.first_choices.tolist() == [0, 1, 0]
    content = make_result(ranking, task, System("toy"), "0" * 64).as_dict()
    assert content["scores"]["mrr"] == 0.5
    assert content["scores"]["accuracy"] == pytest.approx(1 / 3)
    assert content["scores"]["recall@10"] == pytest.approx(2 / 3)
    assert content["scores"]["one_to_one"] is False
    assert content["by_category"] == {"unknown": {"n": 3, "mrr": 0.5, "accuracy": pytest.approx(1 / 3)}}
    assert content["assignment_counts"] == {"0": 1, "1": 1, "2": 1}


@given(st.data())
def test_the_order_of_equal_scores_and_of_rows_does_not_matter(tmp_path_factory, data):
    n = 4
    scores = [data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)) for _ in range(n)]
    ranks = []
    for attempt in range(2):
        rows = []
        for statement in data.draw(st.permutations(range(n))):
            shuffled = data.draw(st.permutations(range(n)))
            order = sorted(shuffled, key=lambda proof: -scores[statement][proof])
            rows.append(
                {
                    "statement_id": f"s{statement}",
                    "proof_ids": [f"p{proof}" for proof in order],
                    "scores": [scores[statement][proof] for proof in order],
                }
            )
        path = write_lines(tmp_path_factory.mktemp("order") / f"{attempt}.jsonl", rows)
        ranks.append(rank_file(path, make_task(n)).ranks.tolist())
    assert ranks[0] == ranks[1]


def test_the_example_is_valid_and_so_is_its_result(release, tmp_path):
    result = evaluate(EXAMPLE, release, out=tmp_path / "a" / "result.json")
    content = json.loads((tmp_path / "a" / "result.json").read_text())
    assert content == result.as_dict()
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(content, SCHEMA, cls=jsonschema.Draft202012Validator)
    assert content["system"]["name"] == "TF-IDF, three candidates"
    assert content["dataset"]["manifest_sha256"] == sha256_of(release / "manifest.json")
    assert content["predictions_sha256"] == sha256_of(EXAMPLE)
    assert sum(content["assignment_counts"].values()) == content["n_proofs"] == 18
    assert sum(scores["n"] for scores in content["by_category"].values()) == content["n_statements"] == 18
    evaluate(EXAMPLE, release, out=tmp_path / "b.json")
    assert (tmp_path / "b.json").read_bytes() == (tmp_path / "a" / "result.json").read_bytes()


def test_the_documentation_shows_the_example():
    text = (Path(__file__).parents[2] / "docs" / "evaluation.md").read_text(encoding="utf-8")
    assert EXAMPLE.read_text().splitlines()[0] in text


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_format_gives_the_same_result(suffix, release, tmp_path):
    task = load_task(open_release(release), "test")
    path = tmp_path / f"x{suffix}"
    write_predictions(path, read_with_ids(EXAMPLE, task), System("x"))
    found, expected = (evaluate(file, release).as_dict() for file in (path, EXAMPLE))
    for key in ("scores", "by_category", "assignment_counts"):
        assert found[key] == expected[key]


def test_the_split_by_article_is_another_task(release, tmp_path):
    task = load_task(open_release(release), "test", by_article=True)
    rows = [
        {"statement_id": statement, "proof_ids": [task.proof_ids[gold]]}
        for statement, gold in zip(task.statement_ids, task.gold.tolist(), strict=True)
    ]
    path = write_lines(tmp_path / "x.jsonl", rows)
    result = evaluate(path, release, by_article=True, name="oracle", input="text", url="https://example.org")
    assert result.dataset.config == "pairs_by_article"
    assert (result.measures.mrr, result.one_to_one, result.ci95["mrr"]) == (1.0, True, (1.0, 1.0))
    assert result.system == System("oracle", "text", url="https://example.org")


def test_the_command_prints_percent_and_the_comparison(release, tmp_path, capsys):
    matched = tmp_path / "matched.jsonl"
    assert main(["match", str(EXAMPLE), "--out", str(matched)]) == 0
    capsys.readouterr()
    out = tmp_path / "result.json"
    arguments = [str(matched), "--data", str(release), "--out", str(out), "--against", str(EXAMPLE)]
    assert main(["evaluate", *arguments]) == 0
    shown = capsys.readouterr().out
    scores = json.loads(out.read_text())["scores"]
    assert f"{100 * scores['mrr']:.2f}" in shown
    assert "resamples not better" in shown
    assert "≥ 20" in shown
    jsonschema.validate(json.loads(out.read_text()), SCHEMA)


def test_scores_of_all_pairs_rank_like_a_file_that_lists_them(tmp_path):
    scores = np.random.default_rng(0).integers(0, 3, (5, 5)).astype(np.float64)
    task = make_task(5, [3, 1, 0, 4, 2])
    rows = [
        {
            "statement_id": f"s{row}",
            "proof_ids": [f"p{proof}" for proof in np.argsort(-values, kind="stable")],
            "scores": (-np.sort(-values)).tolist(),
        }
        for row, values in enumerate(scores)
    ]
    listed = rank_file(write_lines(tmp_path / "x.jsonl", rows), task)
    ranked = rank_predictions(DenseScores(scores), task.gold)
    assert ranked.ranks.tolist() == listed.ranks.tolist()
    assert ranked.first_choices.tolist() == listed.first_choices.tolist()


def test_ranks_come_in_the_order_of_the_task(release):
    task = load_task(open_release(release), "test")
    firsts = {
        row["statement_id"]: row["proof_ids"][0] for row in map(json.loads, EXAMPLE.read_text().splitlines())
    }
    ranking = rank_file(EXAMPLE, task)
    assert [task.proof_ids[place] for place in ranking.first_choices] == [
        firsts[name] for name in task.statement_ids
    ]
    assert np.array_equal(ranking.ranks == 1, ranking.first_choices == task.gold)
