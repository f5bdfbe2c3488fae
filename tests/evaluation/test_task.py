"""The task of a split, and of all splits together."""

from pathlib import Path

import pytest

from proofmatch.builder.release.release import open_release
from proofmatch.builder.release.schema import ALL, SPLITS
from proofmatch.cli import main
from proofmatch.evaluation import evaluate
from proofmatch.evaluation.task import load_task, load_tokens


@pytest.mark.parametrize("by_article", [False, True])
def test_all_takes_every_pair_as_one_candidate_set(release: Path, by_article: bool) -> None:
    opened = open_release(release)
    parts = [load_task(opened, split, by_article=by_article) for split in SPLITS]
    whole = load_task(opened, ALL, by_article=by_article)
    for name in ("statement_ids", "proof_ids"):
        assert getattr(whole, name) == sorted(one for part in parts for one in getattr(part, name))
    gold = {
        statement: (part.proof_ids[proof], category)
        for part in parts
        for statement, proof, category in zip(
            part.statement_ids, part.required_gold, part.categories, strict=True
        )
    }
    for number, statement in enumerate(whole.statement_ids):
        assert (whole.proof_ids[whole.required_gold[number]], whole.categories[number]) == gold[statement]


def test_tokens_of_all_are_in_the_order_of_the_ids(release: Path) -> None:
    opened = open_release(release)
    tokens = load_tokens(opened, "proof", ALL).to_pylist()
    of_id = {
        row["proof_id"]: row["tokens"]
        for split in SPLITS
        for row in opened.table("proofs", split, ["proof_id", "tokens"]).to_pylist()
    }
    assert tokens == [of_id[name] for name in load_task(opened, ALL).proof_ids]


def test_a_baseline_on_all_is_scored_and_reported(release: Path, tmp_path: Path) -> None:
    predictions, options = tmp_path / "dice.jsonl", ["--data", str(release), "--split", "all"]
    assert main(["baseline", "dice", *options, "--out", str(predictions)]) == 0
    assert main(["evaluate", str(predictions), *options, "--out", str(tmp_path / "result.json")]) == 0
    assert main(["report", str(predictions), *options, "--out", str(tmp_path / "report.html")]) == 0
    assert main(["export", str(release), "--split", "all", "--out", str(tmp_path / "beir")]) == 0
    result = evaluate(predictions, release, "all")
    pairs = sum(open_release(release).table("pairs", split).num_rows for split in SPLITS)
    assert result.n_statements == result.n_proofs == pairs
    assert result.dataset.split == "all"
    assert 0.2 < result.measures.mrr <= 1
    assert len((tmp_path / "beir" / "qrels" / "all.tsv").read_text().splitlines()) == pairs + 1


@pytest.mark.parametrize(("made_for", "used_for"), [("test", "all"), ("all", "test"), ("test", "validation")])
def test_predictions_for_another_split_are_refused_with_a_hint(release, tmp_path, capsys, made_for, used_for):
    predictions = str(tmp_path / "dice.jsonl")
    assert main(["baseline", "dice", "--data", str(release), "--split", made_for, "--out", predictions]) == 0
    capsys.readouterr()
    assert main(["evaluate", predictions, "--data", str(release), "--split", used_for]) == 2
    assert "--split" in capsys.readouterr().err.splitlines()[-1]
