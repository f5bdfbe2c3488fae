"""Training on the answers of a test split: the other family, a variant, another build, a further training."""

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from proofmatch.builder import build_release, seal_release
from proofmatch.builder.release.release import open_release
from proofmatch.builder.variants.variant import make_variant
from proofmatch.cli import main
from proofmatch.errors import ProofmatchError
from proofmatch.evaluation import evaluate
from proofmatch.evaluation.evaluator import evaluate_file
from proofmatch.evaluation.leaderboard.boards import Row
from proofmatch.evaluation.leaderboard.site import Leaderboard, make_leaderboard
from proofmatch.evaluation.system import System, read_system, sidecar_of
from proofmatch.evaluation.task import load_task
from proofmatch.evaluation.training_data import RECORD, STATEMENTS, TrainingData
from proofmatch.training import MatchingArguments, MatchingTrainer
from proofmatch.training.joint import JointMatcher
from proofmatch.training.matcher import Matcher
from proofmatch.training.pairs import TrainingPairs, read_pairs, read_task
from proofmatch.training.prediction import load_matcher
from proofmatch.training.run import train_matcher
from proofmatch.training.settings import load_settings
from tests.training.conftest import TINY_FAST
from tests.training.tiny_encoder import save_tiny_encoder


@pytest.fixture(scope="session")
def by_article_model(release, tmp_path_factory):
    """A model whose training and validation pairs include most answers of the mixed test split."""
    out = tmp_path_factory.mktemp("models") / "by-article"
    settings = load_settings("fast", [*TINY_FAST, "num_train_epochs=1"])
    return train_matcher(open_release(release), settings, out, by_article=True)


@pytest.fixture(scope="session")
def variant(release, tmp_path_factory):
    return make_variant(release, tmp_path_factory.mktemp("variants") / "full", symbols="full", workers=1)


@pytest.fixture(scope="session")
def rebuilt(articles, tmp_path_factory):
    """The same articles with other splits, and without the titles of the statements."""
    out = tmp_path_factory.mktemp("rebuilt") / "release"
    return build_release(articles, out, seed=7, titles="drop", workers=1)


@pytest.fixture(scope="session")
def sealed(release, tmp_path_factory):
    """The mixed test split without its answers, and the answers."""
    folder = tmp_path_factory.mktemp("sealed")
    seal_release(release, folder / "public", folder / "gold.jsonl", workers=1)
    return folder / "public", folder / "gold.jsonl"


def shared_statements(trained: Path, by_article: bool, tested: Path, tested_by_article: bool) -> int:
    """Count by hand how many statements of a test split are among those trained and selected on."""

    def statements(release: Path, split: str, by_article: bool) -> list[str]:
        config = "pairs_by_article" if by_article else "pairs"
        return open_release(release).table(config, split, ["statement"]).column(0).to_pylist()

    seen = {text for split in ("train", "validation") for text in statements(trained, split, by_article)}
    return sum(text in seen for text in statements(tested, "test", tested_by_article))


def predict(model: Path, data: Path, out: Path, *more: str) -> int:
    return main(["predict", str(model), "--data", str(data), "--out", str(out), *more])


def sidecar(predictions: Path) -> dict:
    return json.loads(sidecar_of(predictions).read_text(encoding="utf-8"))


def assert_refused(model: Path, data: Path, out: Path, capsys, *more: str) -> str:
    capsys.readouterr()
    assert predict(model, data, out, *more) == 2
    assert not out.exists()
    said = capsys.readouterr().err
    assert "--allow-seen" in said
    assert "Traceback" not in said
    return said


@pytest.mark.parametrize("by_article", [False, True])
def test_the_other_family_is_refused_with_the_number_of_answers_seen(
    release, lexical_model, by_article_model, by_article, tmp_path, capsys
):
    trained_by_article = not by_article
    model = by_article_model if trained_by_article else lexical_model
    option = ["--by-article"] if by_article else []
    said = assert_refused(model, release, tmp_path / "x.jsonl", capsys, *option)
    n = shared_statements(release, trained_by_article, release, by_article)
    assert f"has seen {n} of the 18 answers" in said
    assert ("leave out --by-article" if by_article else "give --by-article") in said


@pytest.mark.parametrize("kind", ["tiny_model", "lexical_model", "joint_model", "best_model"])
def test_the_split_kept_apart_is_predicted_and_evaluated(request, kind, release, variant, tmp_path):
    model = request.getfixturevalue(kind)
    for data in (release, variant):
        out = tmp_path / f"{data.name}.jsonl"
        assert predict(model, data, out) == 0
        said = sidecar(out)
        assert said["seen_answers"] == 0
        assert "allow_seen" not in said
        [entry] = [one for one in said["trained_on"] if "manifest_sha256" in one]  # besides a pretraining
        assert entry["manifest_sha256"] == open_release(release).manifest_sha256
        assert (entry["family"], entry["splits"]) == ("mixed", ["train", "validation"])
        result = tmp_path / "result.json"
        assert main(["evaluate", str(out), "--data", str(data), "--out", str(result)]) == 0
        assert "allow_seen" not in json.loads(result.read_text())


def test_a_variant_does_not_hide_the_other_family(release, variant, by_article_model, tmp_path, capsys):
    said = assert_refused(by_article_model, variant, tmp_path / "x.jsonl", capsys)
    assert f"has seen {shared_statements(release, True, release, False)} of the 18 answers" in said


def test_training_on_a_variant_does_not_either(release, variant, tmp_path, capsys):
    settings = load_settings("fast", [*TINY_FAST, "num_train_epochs=1"])
    model = train_matcher(open_release(variant), settings, tmp_path / "model", by_article=True)
    assert_refused(model, release, tmp_path / "x.jsonl", capsys)
    assert predict(model, release, tmp_path / "x.jsonl", "--by-article") == 0


def test_another_build_of_the_same_articles_is_refused(rebuilt, lexical_model, tmp_path, capsys):
    said = assert_refused(lexical_model, rebuilt, tmp_path / "x.jsonl", capsys)
    n, of = (int(word) for word in said.replace(" of the ", " ").split() if word.isdecimal())
    assert 0 < n <= of
    assert "choose a release that it was not trained on" in said


def test_a_sealed_release_counts_as_the_release_it_was_made_from(
    sealed, lexical_model, by_article_model, tmp_path, capsys
):
    public, gold = sealed
    assert_refused(by_article_model, public, tmp_path / "x.jsonl", capsys)
    # The same split of both is kept apart from the training split of the open one.
    assert predict(lexical_model, public, tmp_path / "x.jsonl") == 0
    command = ["evaluate", str(tmp_path / "x.jsonl"), "--data", str(public), "--gold", str(gold)]
    assert main(command) == 0


def test_pairs_of_a_sealed_release_have_no_sealed_answers(sealed, release, tmp_path):
    public, gold = sealed
    settings = load_settings("fast", [*TINY_FAST, "num_train_epochs=1"])
    model = train_matcher(open_release(public), settings, tmp_path / "model", by_article=True)
    for data, more in ((public, ["--gold", str(gold)]), (release, [])):
        out = tmp_path / f"{data.name}.jsonl"
        assert predict(model, data, out) == 0
        assert sidecar(out)["seen_answers"] == 0
        assert main(["evaluate", str(out), "--data", str(data), *more]) == 0


def test_all_splits_together_are_refused_and_those_of_training_are_only_recorded(
    release, lexical_model, tmp_path, capsys
):
    assert_refused(lexical_model, release, tmp_path / "x.jsonl", capsys, "--split", "all")
    for split in ("train", "validation"):
        out = tmp_path / f"{split}.jsonl"
        assert predict(lexical_model, release, out, "--split", split) == 0
        assert sidecar(out)["seen_answers"] == len(load_task(open_release(release), split).statement_ids)
        assert main(["evaluate", str(out), "--data", str(release), "--split", split]) == 0


def trained_further(model: Path, release: Path, out: Path, pairs: TrainingPairs | None = None) -> Path:
    """Open a model, train it a little on the splits by article, and save it, as Python users do."""
    start = load_matcher(model)
    opened = open_release(release)
    task = load_task(opened, "validation", by_article=True)
    arguments = MatchingArguments(
        output_dir=str(out), max_steps=1, per_device_train_batch_size=16, report_to=[], learning_rate=1e-4
    )
    pairs = pairs or read_pairs(opened, "train", start.reader, by_article=True, is_for_training=True)
    trainer = MatchingTrainer(start.matcher, arguments, pairs, read_task(task, start.reader), start.tokenizer)
    trainer.train()
    trainer.save_model(str(out))
    return out


def test_a_model_that_is_trained_further_keeps_what_it_has_seen(release, lexical_model, tmp_path, capsys):
    model = trained_further(lexical_model, release, tmp_path / "further")
    entries = json.loads((model / RECORD).read_text())
    assert {(entry["family"], *entry["splits"]) for entry in entries} == {
        ("mixed", "train", "validation"),
        ("by_article", "train", "validation"),
    }
    for more in ([], ["--by-article"]):
        said = assert_refused(model, release, tmp_path / "x.jsonl", capsys, *more)
        assert "choose a release that it was not trained on" in said


def test_pairs_of_unknown_origin_are_recorded_as_such(release, lexical_model, tmp_path, capsys):
    known = read_pairs(open_release(release), "train", load_matcher(lexical_model).reader, by_article=True)
    unknown = TrainingPairs(known.statements, known.proofs)
    model = trained_further(lexical_model, release, tmp_path / "further", unknown)
    assert "unknown" in {entry["release"] for entry in json.loads((model / RECORD).read_text())}
    capsys.readouterr()
    assert predict(model, release, tmp_path / "x.jsonl", "--allow-seen") == 0
    assert "does not say all that it was trained on" in capsys.readouterr().err


def test_a_resumed_training_keeps_what_its_checkpoint_has_seen(release, lexical_model, tmp_path):
    folder = shutil.copytree(lexical_model, tmp_path / "further")
    start, opened = load_matcher(lexical_model), open_release(release)
    start.matcher.training_data = None
    pairs = read_pairs(opened, "train", start.reader, by_article=True, is_for_training=True)
    task = read_task(load_task(opened, "validation", by_article=True), start.reader)
    settings = load_settings("fast", [*TINY_FAST, "num_train_epochs=3"])
    arguments = MatchingArguments(output_dir=str(folder), **settings.training)
    MatchingTrainer(start.matcher, arguments, pairs, task).train(resume_from_checkpoint=True)
    assert [entry.family for entry in start.matcher.training_data.entries] == ["mixed", "by_article"]


def test_a_pretrained_encoder_is_named_and_what_it_has_read_cannot_be_counted(release, tmp_path):
    encoder = save_tiny_encoder(tmp_path / "encoder")
    settings = load_settings("finetune", [f"encoder={encoder}", "num_train_epochs=0.5", "report_to=[]"])
    model = train_matcher(open_release(release), settings, tmp_path / "model")
    assert predict(model, release, tmp_path / "x.jsonl") == 0
    said = sidecar(tmp_path / "x.jsonl")
    assert [entry["release"] for entry in said["trained_on"]] == ["pretraining of encoder", "release"]
    assert said["seen_answers"] == 0


def test_a_joint_model_has_seen_what_its_parts_have(tiny_model, by_article_model):
    lexical, encoder = (load_matcher(model).matcher for model in (by_article_model, tiny_model))
    data = JointMatcher.from_parts(lexical, encoder).training_data
    assert {entry.family for entry in data.entries} == {"mixed", "by_article"}
    parts = [lexical.training_data.statements, encoder.training_data.statements]
    assert set(data.statements) == set(np.concatenate(parts))


def test_the_record_goes_wherever_the_model_goes(tiny_model, tmp_path):
    matcher = load_matcher(tiny_model).matcher
    matcher.save_pretrained(tmp_path / "copy")
    again = type(matcher).from_pretrained(tmp_path / "copy")
    assert again.training_data == matcher.training_data
    assert np.array_equal(again.training_data.statements, matcher.training_data.statements)
    for checkpoint in tiny_model.glob("checkpoint-*"):
        assert Matcher.training_data is None
        assert (checkpoint / RECORD).read_bytes() == (tiny_model / RECORD).read_bytes()


@pytest.mark.parametrize("setting", ["training_data=none", "trained_on=[]", "origin=none"])
def test_no_setting_removes_the_record(release, tmp_path, setting, capsys):
    options = ["train", "--data", str(release), "--out", str(tmp_path / "model"), "--set", setting]
    assert main(options) == 2
    assert "there is no setting" in capsys.readouterr().err


def test_what_is_allowed_is_recorded_in_sidecar_and_result(release, by_article_model, tmp_path, capsys):
    out, result = tmp_path / "x.jsonl", tmp_path / "result.json"
    assert predict(by_article_model, release, out, "--allow-seen") == 0
    n = shared_statements(release, True, release, False)
    assert sidecar(out)["allow_seen"] is True
    assert sidecar(out)["seen_answers"] == n
    capsys.readouterr()
    command = ["evaluate", str(out), "--data", str(release), "--out", str(result)]
    assert main(command) == 2
    assert f"has seen {n} of the 18 answers" in capsys.readouterr().err
    assert not result.exists()
    with pytest.raises(ProofmatchError, match="--allow-seen"):
        evaluate(out, release)
    assert main([*command, "--allow-seen"]) == 0
    assert f"has seen {n} of these answers" in capsys.readouterr().out
    found = json.loads(result.read_text())
    assert found["allow_seen"] is True
    assert found["system"]["seen_answers"] == n
    # The board shows it and gives no rank, even if the mark was deleted from the result file.
    results = tmp_path / "results"
    results.mkdir()
    for path in (out, sidecar_of(out)):
        shutil.copy(path, results)
    (results / "x.result.json").write_text(json.dumps(found))
    [row] = board_rows(make_leaderboard(results, tmp_path / "site", release))
    assert row.checked
    assert not row.ranks
    assert f"has seen {n} of 18 answers in training" in row.remarks
    assert row.training_data == "release (by article: train, validation)"
    del found["allow_seen"]
    (results / "x.result.json").write_text(json.dumps(found))
    with pytest.raises(ProofmatchError, match="allow_seen is nothing"):
        make_leaderboard(results, tmp_path / "site", release)
    # One-to-one matching is another file of the same system.
    assert main(["match", str(out), "--out", str(tmp_path / "y.jsonl")]) == 0
    assert main(["evaluate", str(tmp_path / "y.jsonl"), "--data", str(release)]) == 2


def board_rows(site: Leaderboard) -> list[Row]:
    return [row for board in site.boards if board.verified for row in board.rows]


def test_systems_that_do_not_state_their_training_data_are_shown_as_such(release, tmp_path):
    results, data = tmp_path / "results", ["--data", str(release)]
    for name in ("tfidf", "dice"):
        assert main(["baseline", name, *data, "--out", str(results / f"{name}.jsonl")]) == 0
    sidecar_of(results / "dice.jsonl").write_text('{"name": "theirs"}')
    for name in ("tfidf", "dice"):
        result = ["--out", str(results / f"{name}.result.json")]
        assert main(["evaluate", str(results / f"{name}.jsonl"), *data, *result]) == 0
    rows = board_rows(make_leaderboard(results, tmp_path / "site", release))
    assert {row.system: row.training_data for row in rows} == {"tfidf": "none", "theirs": "not stated"}
    assert "training data <bdi>not stated</bdi>" in (tmp_path / "site" / "index.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("entry", "is_seen"),
    [
        ({"release": "Wikipedia"}, False),
        ({"release": "RELEASE"}, True),
        ({"release": "x", "manifest_sha256": "MANIFEST"}, True),
        ({"release": "x", "manifest_sha256": "MANIFEST", "family": "mixed", "splits": ["train"]}, False),
        ({"release": "x", "manifest_sha256": "MANIFEST", "family": "mixed", "splits": ["all"]}, True),
        ({"release": "x", "manifest_sha256": "MANIFEST", "family": "by_article", "splits": ["train"]}, True),
        ({"release": "x", "tables_sha256": "TABLES", "family": "by_article", "splits": ["train"]}, True),
        ({"release": "RELEASE", "manifest_sha256": "0" * 64}, False),
    ],
)
def test_what_others_say_about_their_systems_counts(
    release, variant, lexical_model, tmp_path, entry, is_seen
):
    opened = open_release(release)
    names = {"RELEASE": opened.id, "MANIFEST": opened.manifest_sha256, "TABLES": opened.tables_sha256}
    stated = [
        {key: names.get(value, value) if isinstance(value, str) else value for key, value in entry.items()}
    ]
    out = tmp_path / "x.jsonl"
    assert predict(lexical_model, variant, out) == 0
    sidecar_of(out).write_text(json.dumps({"name": "theirs", "trained_on": stated}))
    if is_seen and entry["release"] == "RELEASE":
        sidecar_of(out).write_text(
            json.dumps({"name": "theirs", "trained_on": [{"release": open_release(variant).id}]})
        )
    assert main(["evaluate", str(out), "--data", str(variant)]) == (2 if is_seen else 0)
    # Whoever evaluates: the result says it.
    task = load_task(open_release(variant), "test")
    assert evaluate_file(out, task, read_system(out)).allow_seen == is_seen


@pytest.mark.parametrize(
    "stated",
    [
        "stacks",
        [["stacks"]],
        [{}],
        [{"release": "x" * 10_000}],
        [{"release": "a\nb"}],
        [{"release": "x", "notes": "y"}],
        [{"release": "x", "splits": [["train"]]}],
        [{"release": "x", "splits": ["dev"]}],
        [{"release": "x", "family": "both"}],
        [{"release": "x", "lineage": ["0" * 63]}],
        [{"release": "x"}] * 101,
    ],
)
def test_training_data_of_another_form_is_refused(stated):
    with pytest.raises(ProofmatchError, match=r"^the system's trained_on must (be|have) [^\n]*$"):
        System("x", trained_on=stated)


def test_a_model_without_a_record_is_predicted_with_a_warning(release, lexical_model, tmp_path, capsys):
    model = shutil.copytree(lexical_model, tmp_path / "old")
    for name in (RECORD, STATEMENTS):
        (model / name).unlink()
    # The settings of an older training still tell the family.
    said = assert_refused(model, release, tmp_path / "x.jsonl", capsys, "--by-article")
    assert "may have seen answers" in said
    (model / "run.json").unlink()
    assert predict(model, release, tmp_path / "x.jsonl", "--by-article") == 0
    assert "warning: old does not say what it was trained on" in capsys.readouterr().err
    assert "trained_on" not in sidecar(tmp_path / "x.jsonl")
    assert main(["evaluate", str(tmp_path / "x.jsonl"), "--data", str(release), "--by-article"]) == 0
    assert "training data: not stated" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "content"),
    [(RECORD, b"["), (RECORD, b'{"release": "x"}'), (STATEMENTS, b"x"), (STATEMENTS, b"")],
)
def test_a_damaged_record_is_one_sentence(release, lexical_model, tmp_path, capsys, name, content):
    model = shutil.copytree(lexical_model, tmp_path / "model")
    (model / name).write_bytes(content)
    capsys.readouterr()
    assert predict(model, release, tmp_path / "x.jsonl") == 2
    [line] = capsys.readouterr().err.strip().splitlines()
    assert RECORD in line


def test_keys_that_claim_more_than_their_file_has_take_no_memory(lexical_model, tmp_path, release, capsys):
    model = shutil.copytree(lexical_model, tmp_path / "model")
    header = np.lib.format.header_data_from_array_1_0(np.zeros(1, np.uint64)) | {"shape": (1 << 45,)}
    with (model / STATEMENTS).open("wb") as file:
        np.lib.format.write_array_header_1_0(file, header)
    assert predict(model, release, tmp_path / "x.jsonl") == 2
    assert "Traceback" not in capsys.readouterr().err


def test_keys_larger_than_any_corpus_are_not_read(lexical_model, tmp_path, release, capsys):
    model = shutil.copytree(lexical_model, tmp_path / "model")
    os.truncate(model / STATEMENTS, 1 << 40)  # sparse: it takes no space
    assert predict(model, release, tmp_path / "x.jsonl") == 2
    assert "is larger than 200 MB" in capsys.readouterr().err


def test_training_data_is_joined_by_release_and_family(release):
    opened = open_release(release)
    train, validation = (
        TrainingData.of(opened, split, by_article=False) for split in ("train", "validation")
    )
    both = train + validation + train
    assert [entry.splits for entry in both.entries] == [("train", "validation")]
    assert len(both.statements) == len(train.statements) + len(validation.statements)
