"""A BEIR folder is one split, complete in itself, with the same judgements as the task."""

import json

import pytest

from proofmatch.builder.release.release import open_release
from proofmatch.cli import main
from proofmatch.evaluation.evaluator import evaluate
from proofmatch.evaluation.task import load_task

from .tasks import write_lines


@pytest.mark.parametrize(("split", "by_article"), [("test", False), ("validation", True)])
def test_a_folder_has_the_texts_and_judgements_of_one_split(split, by_article, release, tmp_path):
    out = tmp_path / "beir"
    options = ["--split", split, *(["--by-article"] if by_article else [])]
    assert main(["export", str(release), "--format", "beir", "--out", str(out), *options]) == 0
    corpus, queries = (
        [json.loads(line) for line in (out / name).read_text().splitlines()]
        for name in ("corpus.jsonl", "queries.jsonl")
    )
    header, *judgements = (out / "qrels" / f"{split}.tsv").read_text().splitlines()
    task = load_task(open_release(release), split, by_article=by_article)
    assert header.split("\t") == ["query-id", "corpus-id", "score"]
    assert [row["_id"] for row in corpus] == task.proof_ids
    assert [row["_id"] for row in queries] == task.statement_ids
    assert all(set(row) == {"_id", "title", "text"} and row["title"] == "" for row in corpus)
    assert all(set(row) == {"_id", "text"} and row["text"] for row in queries)
    assert [line.split("\t") for line in judgements] == [
        [statement, task.proof_ids[gold], "1"]
        for statement, gold in zip(task.statement_ids, task.gold, strict=True)
    ]
    assert {path.name for path in tmp_path.iterdir()} == {"beir"}


def test_a_ranking_made_from_the_judgements_is_perfect(release, tmp_path):
    assert main(["export", str(release), "--out", str(tmp_path / "beir")]) == 0
    judgements = (tmp_path / "beir" / "qrels" / "test.tsv").read_text().splitlines()[1:]
    pairs = [line.split("\t") for line in judgements]
    rows = [{"statement_id": statement, "proof_ids": [proof]} for statement, proof, _ in pairs]
    assert evaluate(write_lines(tmp_path / "x.jsonl", rows), release).measures.mrr == 1.0


def test_a_folder_with_something_in_it_is_left_alone(release, tmp_path, capsys):
    (tmp_path / "notes.txt").write_text("mine")
    assert main(["export", str(release), "--out", str(tmp_path)]) == 2
    assert "not an empty folder" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_a_split_that_is_not_there_leaves_nothing(release, tmp_path, capsys):
    with pytest.raises(SystemExit) as exit_:
        main(["export", str(release), "--out", str(tmp_path / "x"), "--split", "*"])
    assert exit_.value.code == 2
    assert "choose from" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
