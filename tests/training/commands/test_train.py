"""`proofmatch train`: the files that it writes, and its output on the screen."""

import json
import re

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from transformers import AutoTokenizer

from proofmatch.builder.release.release import open_release
from proofmatch.evaluation.task import load_task
from proofmatch.training import train_tokenizer
from proofmatch.training.pairs import read_task
from proofmatch.training.prediction import load_matcher
from proofmatch.training.trainer.trainer import validate
from tests.training.conftest import TINY
from tests.training.trainer.running import assert_same_weights, history, run, weights

SETTINGS = [*TINY, "num_train_epochs=4", "max_words=42", "learning_rate=0.03", "save_total_limit=1"]
PICKLES = ("*.bin", "*.pt", "*.pth", "*.pkl", "*.pickle")


def command(release, out, *more):
    options = [part for setting in SETTINGS for part in ("--set", setting)]
    return ["train", "--data", str(release), "--preset", "quick", "--out", str(out), *options, *more]


@pytest.fixture(scope="module")
def trained(release, tmp_path_factory):
    """A trained model, and what was said."""
    folder = tmp_path_factory.mktemp("trained")
    code, said = run(folder / "said", *command(release, folder / "model"))
    assert code == 0, said
    return folder / "model", said


def measure(model, release, by_article=False):
    opened = load_matcher(model)
    task = load_task(open_release(release), "validation", by_article=by_article)
    return validate(opened.matcher, read_task(task, opened.reader))


def test_the_folder_has_the_expected_files(trained):
    model, _ = trained
    files = {path.name for path in model.iterdir() if path.is_file()}
    assert files == {
        "README.md",
        "config.json",
        "history.json",
        "learning-curve.svg",
        "model.safetensors",
        "run.json",
        "tokenizer.json",
        "tokenizer_config.json",
        "training_args.json",
        "training_data.json",
        "training_data.npy",
    }
    assert not [name for name in files if "unfinished" in name]
    assert len({(model / name).stat().st_mode for name in files}) == 1


def test_there_is_no_pickle_outside_checkpoints(trained):
    model, _ = trained
    found = [path.relative_to(model) for pattern in PICKLES for path in model.rglob(pattern)]
    assert {path.parts[0].split("-")[0] for path in found} == {"checkpoint"}


def test_settings_are_kept_as_json_without_private_things(trained, release):
    model, _ = trained
    settings = json.loads((model / "training_args.json").read_text())
    assert settings["num_train_epochs"] == 4
    assert settings["chunk_size"] is None
    run_ = json.loads((model / "run.json").read_text())
    assert run_["preset"] == "quick"
    assert run_["input"] == "both"
    assert run_["data"]["id"] == "release"
    assert run_["training"]["num_train_epochs"] == 4
    shared = [path for path in model.iterdir() if path.is_file()]
    assert not [path for path in shared if str(release.parent).encode() in path.read_bytes()]


def test_autotokenizer_opens_the_tokenizer(trained):
    model, _ = trained
    tokenizer = AutoTokenizer.from_pretrained(model)
    words = tokenizer.convert_ids_to_tokens(tokenizer("t:Let m:x")["input_ids"])
    assert words == ["[START]", "t:Let", "m:x", "[END]"]


def test_tensorboard_has_the_curves(trained):
    model, _ = trained
    (events,) = (model / "runs").rglob("events.out.tfevents*")
    curves = EventAccumulator(str(events)).Reload()
    logged = [entry for entry in history(model) if "loss" in entry]
    losses = {event.step: event.value for event in curves.Scalars("train/loss")}
    assert losses == pytest.approx({entry["step"]: entry["loss"] for entry in logged})
    assert [event.value for event in curves.Scalars("eval/mrr")] == pytest.approx(
        [entry["eval_mrr"] for entry in history(model) if "eval_mrr" in entry]
    )


def test_the_model_is_as_good_as_its_best_evaluation_and_better_than_its_last(trained, release):
    model, _ = trained
    scores = [entry["eval_mrr"] for entry in history(model) if "eval_mrr" in entry]
    assert len(scores) == 4
    assert scores[-1] < max(scores)
    assert measure(model, release)["mrr"] == pytest.approx(max(scores), abs=1e-6)


def test_progress_is_printed_in_plain_lines(trained, release):
    model, said = trained
    lines = said.splitlines()
    assert lines[0] == "training: 151 pairs in batches of 16, 36 steps"
    scores = r"MRR \d+\.\d, accuracy \d+\.\d, one-to-one \d+\.\d"
    for epoch, line in enumerate(lines[1:5], start=1):
        assert re.fullmatch(rf"training: epoch {epoch}\.00, validation: {scores}", line)
    assert re.fullmatch(r"training: epoch 4\.00, loss \d\.\d{4}, [\d.]+ pairs/s", lines[5])
    assert lines[6:] == [
        f"saved the model in {model}; match with",
        f"proofmatch predict {model} --data {release} --split test --out predictions.jsonl",
    ]


def test_the_seed_determines_the_weights(trained, release, tmp_path):
    model, _ = trained
    for name, seed in (("same", 0), ("other", 1)):
        code, said = run(tmp_path / "said", *command(release, tmp_path / name, "--set", f"seed={seed}"))
        assert code == 0, said
    assert_same_weights(tmp_path / "same", model)
    assert history(tmp_path / "same") == history(model)
    assert (tmp_path / "same" / "tokenizer.json").read_bytes() == (model / "tokenizer.json").read_bytes()
    ours, others = weights(model), weights(tmp_path / "other")
    # Biases and norms begin alike with any seed, but do not stay so.
    assert not [name for name in ours if ours[name].equal(others[name])]


def test_by_article_reads_the_pairs_by_article(trained, release, tmp_path):
    code, said = run(
        tmp_path / "said",
        *command(release, tmp_path / "model", "--by-article", "--set", "num_train_epochs=1"),
    )
    assert code == 0, said
    assert said.splitlines()[-1].endswith("--split test --by-article --out predictions.jsonl")
    table = open_release(release).table("pairs_by_article", "train", ["statement_tokens", "proof_tokens"])
    expected = train_tokenizer([table[column].combine_chunks() for column in table.column_names])
    made = AutoTokenizer.from_pretrained(tmp_path / "model").get_vocab()
    assert made == expected.get_vocab()
    assert made != AutoTokenizer.from_pretrained(trained[0]).get_vocab()
    best = max(entry["eval_mrr"] for entry in history(tmp_path / "model") if "eval_mrr" in entry)
    assert measure(tmp_path / "model", release, by_article=True)["mrr"] == pytest.approx(best, abs=1e-6)


def test_a_model_for_math_uses_math_only(release, tmp_path):
    more = ["--input", "math", "--set", "num_train_epochs=1"]
    code, said = run(tmp_path / "said", *command(release, tmp_path / "model", *more))
    assert code == 0, said
    opened = load_matcher(tmp_path / "model")
    assert opened.matcher.config.input == "math"
    task = load_task(open_release(release), "validation")
    read = read_task(task, opened.reader)
    words = opened.tokenizer.convert_ids_to_tokens(sorted(set(read.statements.values.tolist())))
    assert {word[0] for word in words if not word.startswith("[")} == {"m"}


@pytest.mark.parametrize(
    ("data", "out", "told"),
    [
        ("nowhere/at/all", "model", "is neither a release folder nor OWNER/NAME"),
        ("{release}", "said", "cannot be written"),
    ],
)
def test_what_cannot_work_is_one_sentence(release, tmp_path, data, out, told):
    code, said = run(tmp_path / "said", *command(data.format(release=release), tmp_path / out))
    assert code == 2
    assert told in said
    assert said.count("\n") == 1
