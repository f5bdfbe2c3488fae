"""What a run leaves in its folder: all of it, the card last, and on the Hub the same."""

import json
import re
import shutil

import numpy as np
import pytest
from huggingface_hub import ModelCard
from lxml import etree

from proofmatch.builder.release.release import open_release
from proofmatch.ragged import Ragged
from proofmatch.training import ProofMatcher, load_tokenizer, run
from proofmatch.training.pairs import MatchingSet, TrainingPairs
from proofmatch.training.run import train_matcher
from proofmatch.training.settings import load_settings
from proofmatch.training.trainer.arguments import MatchingArguments
from proofmatch.training.trainer.trainer import MatchingTrainer
from tests.training.tiny_encoder import save_tiny_encoder

SETTINGS = [
    "num_train_epochs=3",
    "per_device_train_batch_size=50",
    "embedding_size=8",
    "feed_forward_size=8",
    "key_size=4",
    "value_size=4",
    "max_words=50",
    "report_to=[]",
]


def train(release, out, *overrides, **options):
    return train_matcher(
        open_release(release), load_settings("quick", [*SETTINGS, *overrides]), out, **options
    )


@pytest.fixture(scope="module")
def finished(release, tmp_path_factory):
    return train(release, tmp_path_factory.mktemp("runs") / "model")


@pytest.fixture
def model(finished, tmp_path):
    """A copy that may be changed."""
    return shutil.copytree(finished, tmp_path / "model")


def history_of(folder):
    return json.loads((folder / "history.json").read_text(encoding="utf-8"))


def test_the_curve_is_a_picture(finished):
    etree.parse(finished / "learning-curve.svg")


def test_card_and_history_agree_on_the_best_evaluation(finished):
    best = max((entry for entry in history_of(finished) if "eval_mrr" in entry), key=lambda e: e["eval_mrr"])
    card = ModelCard.load(finished / "README.md")
    scores = {result.metric_type: result.metric_value for result in card.data.eval_results}
    assert scores == {name: best[f"eval_{name}"] for name in ("mrr", "accuracy", "one_to_one_accuracy")}
    assert f"those after epoch {best['epoch']:.0f}." in card.text
    assert f"best: epoch {best['epoch']:.0f}, MRR {100 * best['eval_mrr']:.1f}" in (
        finished / "learning-curve.svg"
    ).read_text(encoding="utf-8")


def test_a_run_that_keeps_its_last_weights_shows_their_scores(release, tmp_path):
    out = train(release, tmp_path / "last", "load_best_model_at_end=false", "learning_rate=0.5")
    last = [entry for entry in history_of(out) if "eval_mrr" in entry][-1]
    card = ModelCard.load(out / "README.md")
    assert card.data.eval_results[0].metric_value == last["eval_mrr"]
    assert "those after epoch 3." in card.text


def test_a_run_killed_before_its_card_is_finished_when_resumed(release, model, finished):
    (model / "README.md").unlink()
    (model / "learning-curve.svg").unlink()
    weights = (model / "model.safetensors").read_bytes()
    (model / "model.safetensors").write_bytes(b"half")
    train(release, model, resume=True)
    assert (model / "model.safetensors").read_bytes() == weights
    curve = (finished / "learning-curve.svg").read_bytes()
    assert (model / "learning-curve.svg").read_bytes() == curve
    assert "training time since it was last resumed" in (model / "README.md").read_text(encoding="utf-8")


def test_the_card_is_written_last(release, model, monkeypatch):
    (model / "README.md").unlink()
    monkeypatch.setattr(run, "render_model_card", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        train(release, model, resume=True)
    assert not run.is_finished(model)
    assert not [*model.glob("*unfinished*"), *model.glob(".*.tmp")]


def test_the_lines_of_the_card_run(finished, release):
    assert run_lines(finished, release)["scores"].shape == (18, 18)


def test_the_lines_of_the_card_run_with_a_pretrained_encoder(release, tmp_path):
    encoder = save_tiny_encoder(tmp_path / "encoder")
    settings = load_settings("finetune", [f"encoder={encoder}", "num_train_epochs=0.5", "report_to=[]"])
    out = train_matcher(open_release(release), settings, tmp_path / "model")
    assert run_lines(out, release)["scores"].shape == (18, 18)
    assert "A pretrained encoder, encoder," in (out / "README.md").read_text(encoding="utf-8")


def run_lines(folder, release):
    """Run the Python lines of a card."""
    text = (folder / "README.md").read_text(encoding="utf-8")
    lines = re.search(r"```python\n(.+?)```", text, re.DOTALL)[1]
    names = {}
    exec(lines.replace('"MODEL"', repr(str(folder))).replace('"RELEASE"', repr(str(release))), names)  # noqa: S102
    return names


def test_a_run_that_pushes_sends_our_card_and_no_checkpoints(release, tmp_path, hub, owner):
    out = tmp_path / "model"
    settings = [*SETTINGS, "push_to_hub=true", "hub_model_id=ada/matcher"]
    options = [part for setting in settings for part in ("--set", setting)]
    done = owner.proofmatch("train", "--data", str(release), "--preset", "quick", "--out", str(out), *options)
    assert done.returncode == 0, done.stderr
    assert list(out.glob("checkpoint-*"))
    files = hub.repositories["models", "ada/matcher"].at("main").files
    assert set(files) == {".gitattributes", *(path.name for path in out.iterdir() if path.is_file())}
    assert {"run.json", "history.json", "learning-curve.svg", "training_args.json"} < set(files)
    assert files["README.md"].content == (out / "README.md").read_bytes()
    assert b"library_name: proofmatch" in files["README.md"].content


def test_a_card_is_drafted_only_where_there_is_none(model):
    texts = Ragged(np.arange(8, dtype=np.int32), np.arange(0, 9, 2))
    trainer = MatchingTrainer(
        ProofMatcher.from_pretrained(model),
        MatchingArguments(output_dir=str(model), report_to=[]),
        TrainingPairs(texts, texts),
        MatchingSet(texts, texts, np.arange(4)),
        load_tokenizer(model),
    )
    ours = (model / "README.md").read_bytes()
    trainer.create_model_card(model_name="matcher")
    assert (model / "README.md").read_bytes() == ours
    (model / "README.md").unlink()
    trainer.create_model_card(model_name="matcher")
    assert b"generated_from_trainer" in (model / "README.md").read_bytes()
