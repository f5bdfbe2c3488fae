"""Exports have the texts and judgements of the task, in the form that each tool reads."""

import json
import zipfile
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from datasets import get_dataset_config_names, load_dataset

from proofmatch.builder.release.release import open_release
from proofmatch.builder.release.schema import config_name
from proofmatch.cli import main
from proofmatch.evaluation.baselines import baseline_scores
from proofmatch.evaluation.evaluator import evaluate
from proofmatch.evaluation.export import export_triplets, mine_triplets
from proofmatch.evaluation.task import load_task
from tests.builder.checks.planting import EditedRelease

from .tasks import write_lines

VERSION_1 = Path(__file__).parents[1] / "builder" / "release" / "version_1.zip"


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


def pairs_of(release, split, by_article=False):
    return open_release(release).table(config_name("pairs", by_article), split).to_pylist()


@pytest.fixture(scope="module")
def triplets(release, tmp_path_factory):
    out = tmp_path_factory.mktemp("export") / "triplets"
    assert main(["export", str(release), "--format", "triplets", "--out", str(out)]) == 0
    return out


def test_triplets_are_training_pairs_with_a_wrong_proof(release, triplets):
    rows, provenance = load_dataset(str(triplets), split="train"), load_dataset(str(triplets), "provenance")
    assert rows.column_names == ["anchor", "positive", "negative"]
    pair_of = {row["statement_id"]: row for row in pairs_of(release, "train")}
    proof_of = {row["proof_id"]: row for row in pair_of.values()}
    kinds = Counter()
    for row, known in zip(rows, provenance["train"], strict=True):
        right, wrong = pair_of[known["statement_id"]], proof_of[known["negative_id"]]
        assert row == {"anchor": right["statement"], "positive": right["proof"], "negative": wrong["proof"]}
        assert wrong["proof"] != right["proof"]
        kinds[known["statement_id"], known["negative_chosen_by"]] += 1
        if known["negative_chosen_by"] == "article":
            assert wrong["article_id"] == right["article_id"]
    several = Counter(row["article_id"] for row in pair_of.values())
    for identifier, pair in pair_of.items():
        in_article = int(several[pair["article_id"]] > 1)
        assert (kinds[identifier, "article"], kinds[identifier, "bm25"]) == (in_article, 3 - in_article)


def test_the_negatives_of_bm25_are_the_best_wrong_proofs(release, tmp_path):
    opened = open_release(release)
    export_triplets(opened, tmp_path / "out", negatives=1, ngrams=2)
    task = load_task(opened, "train")
    scores = baseline_scores("bm25", task, ngrams=2).block(0, len(task.statement_ids))
    scores[np.arange(len(scores)), task.gold] = -1
    best = dict(zip(task.statement_ids, scores.max(axis=1), strict=True))
    rows, columns = (
        {name: place for place, name in enumerate(ids)} for ids in (task.statement_ids, task.proof_ids)
    )
    provenance = load_dataset(str(tmp_path / "out"), "provenance", split="train")
    assert len(provenance) == len(best)
    for row in provenance:
        score = scores[rows[row["statement_id"]], columns[row["negative_id"]]]
        assert score == pytest.approx(best[row["statement_id"]], abs=1e-4)


@pytest.mark.parametrize("by_article", [False, True])
def test_no_text_of_another_split_is_in_a_triplet(release, tmp_path, by_article):
    # A proof of validation and a statement of test are copied into the training split.
    copied = EditedRelease(release, tmp_path / "release")
    pairs = config_name("pairs", by_article)
    held_out = [copied.rows(pairs, split)[0] for split in ("validation", "test")]

    def copy(rows):
        rows[0]["proof"], rows[1]["statement"] = held_out[0]["proof"], held_out[1]["statement"]

    copied.edit_rows(pairs, "train", copy)
    copied.seal()
    out = tmp_path / "out"
    export_triplets(open_release(copied.folder), out, by_article=by_article, negatives=20, ngrams=1)
    texts = {text for row in load_dataset(str(out), split="train") for text in row.values()}
    for split in ("validation", "test"):
        for row in pairs_of(release, split, by_article):
            assert row["statement"] not in texts
            assert row["proof"] not in texts


def test_what_may_be_right_is_never_a_negative():
    def pair(statement, proof, article):
        return {
            "statement": statement,
            "proof": proof,
            "article_id": article,
            "statement_tokens": [f"t:{word}" for word in statement.split()],
            "proof_tokens": [f"t:{word}" for word in proof.split()],
        }

    pairs = pa.Table.from_pylist(
        [
            pair("every ring", "the ring is one", "a"),
            pair("every field", "the ring is one", "a"),  # the same proof
            pair("every ring", "another proof of every ring", "a"),  # the same statement
            pair("no module", "by every lemma", "b"),
        ]
    )
    found = mine_triplets(pairs, 3, 1, np.random.default_rng(0))
    wrong = {row: set(found.negatives[found.pairs == row].tolist()) for row in range(4)}
    assert wrong[0] == {3}
    assert wrong[1] == {2, 3}
    assert wrong[2] == {1, 3}
    assert wrong[3] in ({0, 2}, {1, 2})  # one of two equal proofs is enough


def test_equal_seeds_give_equal_triplets(release, triplets, tmp_path):
    def file(seed):
        out = tmp_path / str(seed)
        export_triplets(open_release(release), out, seed=seed)
        (path,) = (out / "data" / "triplets").iterdir()
        return path.read_bytes()

    (first,) = (triplets / "data" / "triplets").iterdir()
    assert file(0) == first.read_bytes()
    assert file(1) != first.read_bytes()


def test_sentence_transformers_trains_on_triplets_as_they_are(triplets, tmp_path):
    sentence_transformers = pytest.importorskip("sentence_transformers")
    from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    rows = load_dataset(str(triplets), split="train")
    words = dict.fromkeys(word for row in rows for text in row.values() for word in text.split())
    vocabulary = {word: number for number, word in enumerate(["[UNK]", *words])}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))  # noqa: S106
    tokenizer.pre_tokenizer = Whitespace()
    model = sentence_transformers.SentenceTransformer(
        modules=[StaticEmbedding(tokenizer, embedding_dim=8)], device="cpu"
    )
    before = model[0].embedding.weight.detach().clone()
    trainer = sentence_transformers.SentenceTransformerTrainer(
        model,
        sentence_transformers.SentenceTransformerTrainingArguments(
            output_dir=str(tmp_path), max_steps=1, report_to="none", use_cpu=True, disable_tqdm=True
        ),
        train_dataset=rows,
        loss=MultipleNegativesRankingLoss(model),
    )
    assert np.isfinite(trainer.train().training_loss)
    assert not (model[0].embedding.weight == before).all()


def test_sources_are_beside_the_answers_and_never_beside_a_text(release, triplets, top_ranked, tmp_path):
    assert main(["export", str(release), "--format", "beir", "--out", str(tmp_path / "beir")]) == 0
    pairs = {row["statement_id"]: row for row in pairs_of(release, "test")}
    lines = (tmp_path / "beir" / "sources.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == [
        {"_id": name, "source": pairs[name]["source"], "license": pairs[name]["license"]}
        for name in sorted(pairs)
    ]
    known = {row["source"] for split in ("validation", "test") for row in pairs_of(release, split)}
    for name in ("corpus.jsonl", "queries.jsonl"):
        text = (tmp_path / "beir" / name).read_text(encoding="utf-8")
        assert not any(source in text for source in known)
    for split in ("validation", "test"):
        expected = {row["statement_id"]: row["source"] for row in pairs_of(release, split, by_article=True)}
        rows = load_dataset(str(top_ranked), "sources", split=split)
        assert dict(zip(rows["_id"], rows["source"], strict=True)) == expected
    source_of = {row["proof_id"]: row["source"] for row in pairs_of(release, "train")}
    for row in load_dataset(str(triplets), "provenance", split="train"):
        assert row["source"] == source_of[row["proof_id"]]
        assert row["negative_source"] == source_of[row["negative_id"]]


def test_releases_without_sources_are_exported_without(tmp_path):
    with zipfile.ZipFile(VERSION_1) as packed:
        packed.extractall(tmp_path / "old")
    (manifest,) = (tmp_path / "old").rglob("manifest.json")
    old = manifest.parent
    for format, options in (("beir", ["--split", "train"]), ("triplets", ["--ngrams", "1"])):
        command = ["export", str(old), "--format", format, "--out", str(tmp_path / format), *options]
        assert main(command) == 0
    assert not (tmp_path / "beir" / "sources.jsonl").exists()
    assert "source" not in load_dataset(str(tmp_path / "triplets"), "provenance", split="train").column_names


@pytest.fixture(scope="module")
def top_ranked(release, tmp_path_factory):
    out = tmp_path_factory.mktemp("export") / "top_ranked"
    assert main(["export", str(release), "--format", "top_ranked", "--by-article", "--out", str(out)]) == 0
    return out


@pytest.mark.parametrize("split", ["validation", "test"])
def test_top_ranked_has_what_bm25_ranks_best(release, top_ranked, tmp_path, split):
    ranked, corpus, queries, qrels = (
        load_dataset(str(top_ranked), config, split=split)
        for config in ("top_ranked", "corpus", "queries", "qrels")
    )
    assert ranked.column_names == ["query-id", "corpus-ids"]
    assert corpus.column_names == ["_id", "title", "text"]
    assert queries.column_names == ["_id", "text"]
    assert qrels.column_names == ["query-id", "corpus-id", "score"]
    task = load_task(open_release(release), split, by_article=True)
    assert (queries["_id"][:], corpus["_id"][:]) == (task.statement_ids, task.proof_ids)
    assert ranked["query-id"][:] == task.statement_ids
    gold = [task.proof_ids[number] for number in task.gold]
    assert qrels["query-id"][:] == task.statement_ids
    assert qrels["corpus-id"][:] == gold
    predictions = tmp_path / "bm25.jsonl"
    command = ["baseline", "bm25", "--data", str(release), "--split", split, "--by-article", "--top-k", "100"]
    assert main([*command, "--out", str(predictions)]) == 0
    rows = [json.loads(line) for line in predictions.read_text().splitlines()]
    assert ranked["corpus-ids"][:] == [row["proof_ids"] for row in rows]


def test_mteb_reads_top_ranked(top_ranked):
    pytest.importorskip("mteb", reason="mteb is not installed")
    from mteb.abstasks.retrieval_dataset_loaders import RetrievalDatasetLoader

    data = RetrievalDatasetLoader(str(top_ranked), revision=None, split="test").load()
    assert set(data["top_ranked"]) == set(data["relevant_docs"]) == set(data["queries"]["id"])
    assert {proof for proofs in data["top_ranked"].values() for proof in proofs} <= set(data["corpus"]["id"])


def test_exports_of_a_sealed_release_have_none_of_its_answers(release, tmp_path, capsys):
    public, gold, out = (tmp_path / name for name in ("public", "gold.jsonl", "out"))
    assert main(["seal", str(release), "--out", str(public), "--gold", str(gold)]) == 0
    assert main(["export", str(public), "--format", "beir", "--out", str(out)]) == 2
    assert "sealed" in capsys.readouterr().err
    assert main(["export", str(public), "--format", "top_ranked", "--out", str(out)]) == 0
    assert get_dataset_config_names(str(out)) == ["top_ranked", "corpus", "queries"]
    ranked = load_dataset(str(out), "top_ranked", split="test")
    answers = [json.loads(line) for line in gold.read_text().splitlines()]
    assert set(ranked["query-id"]) == {answer["statement_id"] for answer in answers}
    for by_article in ([], ["--by-article"]):
        triplets = tmp_path / f"triplets{len(by_article)}"
        assert main(["export", str(public), "--format", "triplets", "--out", str(triplets), *by_article]) == 0
        held_out = {row["statement"] for row in pairs_of(release, "test")}
        rows = load_dataset(str(triplets), split="train", cache_dir=str(tmp_path / "cache"))
        assert held_out.isdisjoint(rows["anchor"])


@pytest.mark.parametrize(
    ("format", "option"),
    [
        ("triplets", ["--split", "test"]),
        ("top_ranked", ["--split", "test"]),
        ("beir", ["--negatives", "2"]),
        ("top_ranked", ["--seed", "2"]),
        ("beir", ["--ngrams", "2"]),
    ],
)
def test_options_without_effect_are_refused(release, tmp_path, capsys, format, option):
    assert main(["export", str(release), "--format", format, "--out", str(tmp_path / "x"), *option]) == 2
    assert option[0] in capsys.readouterr().err
    assert not (tmp_path / "x").exists()
