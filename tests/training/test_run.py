"""Training of all kinds of matchers through the same commands, and what a run leaves in its folder."""

import json
import re
import shutil

import numpy as np
import pytest
import torch
from huggingface_hub import ModelCard
from lxml import etree

from proofmatch.builder.release.release import open_release
from proofmatch.cli import main
from proofmatch.errors import ProofmatchError
from proofmatch.evaluation.task import load_task
from proofmatch.ragged import Ragged
from proofmatch.training import ProofMatcher, load_tokenizer
from proofmatch.training.joint import JointMatcher
from proofmatch.training.lexical.lexical_matcher import LexicalMatcher
from proofmatch.training.model_folder import is_finished
from proofmatch.training.pairs import MatchingSet, TrainingPairs, read_pairs, read_task
from proofmatch.training.prediction import load_matcher, model_scores
from proofmatch.training.run import start_matcher, train_matcher
from proofmatch.training.settings import load_settings
from proofmatch.training.trainer.arguments import MatchingArguments
from proofmatch.training.trainer.trainer import MatchingTrainer, validate
from tests.training.conftest import TINY, TINY_FAST, TINY_JOINT
from tests.training.tiny_encoder import save_tiny_encoder
from tests.training.trainer.running import assert_same_weights, history, run, weights

KINDS = {"quick": ProofMatcher, "fast": LexicalMatcher, "joint": JointMatcher}
SETTINGS = {"quick": TINY, "fast": TINY_FAST, "joint": TINY_JOINT}
FIXTURES = {"fast": "lexical_model", "joint": "joint_model"}


@pytest.fixture(params=FIXTURES)
def preset(request):
    return request.param


@pytest.fixture
def trained(request, preset):
    return request.getfixturevalue(FIXTURES[preset])


def train(release, out, preset, *overrides, **options):
    settings = load_settings(preset, [*SETTINGS[preset], "num_train_epochs=1", *overrides])
    return train_matcher(open_release(release), settings, out, **options)


def command(release, out, preset, *more):
    options = [part for setting in SETTINGS[preset] for part in ("--set", setting)]
    return ["train", "--data", str(release), "--preset", preset, "--out", str(out), *options, *more]


def read(model, release, split="test", by_article=False):
    return read_task(load_task(open_release(release), split, by_article=by_article), model.reader)


@pytest.mark.parametrize("preset", KINDS)
def test_settings_determine_the_kind_of_matcher(release, preset):
    settings = load_settings(preset, SETTINGS[preset])
    _, matcher = start_matcher(open_release(release), settings, "both", False, 0)
    assert type(matcher) is KINDS[preset]
    assert matcher.config.input == "both"


def test_a_matcher_starts_the_same_with_the_same_seed(release, preset):
    def start(seed):
        settings = load_settings(preset, SETTINGS[preset])
        return start_matcher(open_release(release), settings, "both", False, seed)[1].state_dict()

    one, same, other = start(0), start(0), start(1)
    assert all(torch.equal(one[name], same[name]) for name in one)
    different = {name for name in one if not torch.equal(one[name], other[name])}
    assert [name for name in different if name.endswith("tables.0")]


def test_training_writes_the_expected_files(trained, tiny_model, preset):
    files = {path.name for path in trained.iterdir() if path.is_file()}
    assert files == {path.name for path in tiny_model.iterdir() if path.is_file()}
    assert type(load_matcher(trained).matcher) is KINDS[preset]
    written = json.loads((trained / "run.json").read_text())
    assert written["preset"] == preset
    assert written["lexical"]["rank"] == 8
    assert bool(written["model"]) == (preset == "joint")


def test_the_model_is_as_good_as_its_best_evaluation(trained, release):
    model = load_matcher(trained)
    best = max(entry["eval_mrr"] for entry in history(trained) if "eval_mrr" in entry)
    assert validate(model.matcher, read(model, release, "validation"))["mrr"] == pytest.approx(best, abs=1e-6)


def test_training_changes_every_parameter_and_no_buffer(trained, release, preset):
    settings = load_settings(preset, SETTINGS[preset])
    before = start_matcher(open_release(release), settings, "both", False, 0)[1]
    after = weights(trained)
    names = [name for name, _ in before.named_parameters()]
    assert [name for name in names if torch.equal(before.state_dict()[name], after[name])] == []
    assert all(torch.equal(value, after[name]) for name, value in before.named_buffers())


def test_predictions_are_the_matchers_and_are_evaluated(trained, release, tmp_path):
    out, result = tmp_path / "x.jsonl", tmp_path / "result.json"
    assert main(["predict", str(trained), "--data", str(release), "--out", str(out)]) == 0
    model, task = load_matcher(trained), load_task(open_release(release), "test")
    scores = model_scores(model, task).block(0, len(task.statement_ids))
    for row, line in zip(scores, out.read_text(encoding="utf-8").splitlines(), strict=True):
        predicted = json.loads(line)
        by_id = dict(zip(task.proof_ids, row, strict=True))
        assert sorted(predicted["proof_ids"]) == sorted(task.proof_ids)
        assert np.allclose(predicted["scores"], [by_id[one] for one in predicted["proof_ids"]], atol=1e-4)
    assert main(["evaluate", str(out), "--data", str(release), "--out", str(result)]) == 0
    found = json.loads(result.read_text())
    assert found["system"]["input"] == "both"
    assert found["scores"]["mrr"] > 0.5


def test_the_lines_of_the_card_run(trained, release):
    assert run_lines(trained, release)["scores"].shape == (1, 2)


def test_the_seed_determines_the_weights(trained, release, tmp_path, preset):
    for name, seed in (("same", 0), ("other", 1)):
        settings = load_settings(preset, [*SETTINGS[preset], f"seed={seed}"])
        train_matcher(open_release(release), settings, tmp_path / name)
    assert_same_weights(tmp_path / "same", trained)
    assert history(tmp_path / "same") == history(trained)
    assert history(tmp_path / "other") != history(trained)


@pytest.mark.parametrize("input", ["text", "math"])
def test_a_model_uses_only_its_input(release, tmp_path, preset, input, capsys):
    out = train(release, tmp_path / "model", preset, input=input)
    model = load_matcher(out)
    assert model.matcher.config.input == input
    statements = read(model, release).statements
    bags = statements.features if preset == "joint" else statements
    lexical = model.matcher.features if preset == "joint" else model.matcher
    groups = {lexical.config.groups[number] for number in np.unique(bags.values["group"])}
    assert groups and all(group.startswith(("math", "shape")) == (input == "math") for group in groups)
    data = ["--data", str(release)]
    assert main(["predict", str(out), *data, "--out", str(tmp_path / "x.jsonl")]) == 0
    unread, told = {"math": ("no formula", "reads formulas"), "text": ("$x+y$", "reads words")}[input]
    capsys.readouterr()
    assert main(["search", str(out), *data, unread]) == 2
    assert told in capsys.readouterr().err
    assert main(["search", str(out), *data, "the sum $x+y$ of numbers"]) == 0


def test_by_article_reads_the_pairs_by_article(release, tmp_path, preset):
    out = train(release, tmp_path / "model", preset, by_article=True)
    model = load_matcher(out)
    best = max(entry["eval_mrr"] for entry in history(out) if "eval_mrr" in entry)
    task = read(model, release, "validation", by_article=True)
    assert validate(model.matcher, task)["mrr"] == pytest.approx(best, abs=1e-6)
    lexical = model.matcher.features if preset == "joint" else model.matcher
    pairs = read_pairs(open_release(release), "train", lexical.reader(model.tokenizer), by_article=True)
    assert lexical.config.num_texts == 2 * len(pairs)
    found = np.concatenate([pairs.statements.values, pairs.proofs.values])
    known = found[found["feature"] >= 0]
    assert np.array_equal(np.bincount(known["feature"]), lexical.vocabulary.frequencies)
    data = ["--data", str(release), "--out", str(tmp_path / "x.jsonl")]
    assert main(["predict", str(out), *data]) == 2
    assert main(["predict", str(out), *data, "--by-article"]) == 0


@pytest.mark.parametrize(
    ("preset", "overrides"),
    [
        ("fast", ["rank=0"]),
        ("fast", ["has_sparse_part=false"]),
        ("fast", ["has_own_weights=false"]),
        ("fast", ["hub_weight=0"]),
        ("fast", ["n_background=0"]),
        ("fast", ["min_frequency=100000"]),
        ("fast", ["optimizer=asgd", "learning_rate=0.1"]),
        ("fast", ["objective=hybrid", "gradient_accumulation_steps=2"]),
        ("fast", ["bf16=true", "use_cpu=true"]),
        ("fast", ['groups=["word", "math-1"]', "max_rows=10"]),
        ("joint", ["rank=0", "n_background=0"]),
        ("joint", ["hub_weight=0", "min_frequency=100000"]),
        ("joint", ["bf16=true", "use_cpu=true"]),
    ],
)
def test_other_settings_are_trained_and_opened(release, tmp_path, preset, overrides):
    out = train(release, tmp_path / "model", preset, *overrides)
    model = load_matcher(out)
    scores = model_scores(model, load_task(open_release(release), "test")).block(0, 18)
    assert np.isfinite(scores).all()
    assert len(np.unique(scores)) > 18


def test_the_command_prints_the_same_for_every_kind(release, tmp_path, preset):
    code, said = run(tmp_path / "said", *command(release, tmp_path / "model", preset))
    assert code == 0, said
    lines = said.splitlines()
    assert lines[0].startswith("training: 151 pairs in batches of 16, ")
    assert all(line.startswith("training: epoch ") for line in lines[1:-2])
    assert lines[-1].startswith(f"proofmatch predict {tmp_path / 'model'} --data ")
    model = tmp_path / "model"
    before = {path: path.read_bytes() for path in model.rglob("*") if path.is_file()}
    code, said = run(tmp_path / "said", *command(release, model, preset, "--set", "rank=9", "--resume"))
    assert code == 2
    assert "(lexical.rank was 8 and is 9)" in said
    assert {path: path.read_bytes() for path in model.rglob("*") if path.is_file()} == before


def test_models_of_other_kinds_are_refused(lexical_model, tmp_path):
    (tmp_path / "config.json").write_text('{"model_type": "bert"}')
    kinds = "proof-matcher, lexical-matcher, joint-matcher"
    with pytest.raises(ProofmatchError, match=f"is a model of the kind bert, not one of {kinds}"):
        load_matcher(tmp_path)
    with pytest.raises(ProofmatchError, match="is a model of the kind lexical-matcher, not proof-matcher"):
        ProofMatcher.from_pretrained(lexical_model)


QUICK = [
    "num_train_epochs=3",
    "per_device_train_batch_size=50",
    "embedding_size=8",
    "feed_forward_size=8",
    "key_size=4",
    "value_size=4",
    "max_words=50",
    "report_to=[]",
]


def train_quick(release, out, *overrides, **options):
    return train_matcher(open_release(release), load_settings("quick", [*QUICK, *overrides]), out, **options)


@pytest.fixture(scope="module")
def finished(release, tmp_path_factory):
    return train_quick(release, tmp_path_factory.mktemp("runs") / "model")


@pytest.fixture
def model(finished, tmp_path):
    """A copy that may be changed."""
    return shutil.copytree(finished, tmp_path / "model")


def history_of(folder):
    return json.loads((folder / "history.json").read_text(encoding="utf-8"))


def test_the_learning_curve_is_well_formed(finished):
    etree.parse(finished / "learning-curve.svg")


def test_card_and_history_agree_on_the_best_evaluation(finished):
    best = max((entry for entry in history_of(finished) if "eval_mrr" in entry), key=lambda e: e["eval_mrr"])
    card = ModelCard.load(finished / "README.md")
    scores = {result.metric_type: result.metric_value for result in card.data.eval_results}
    assert scores == {name: best[f"eval_{name}"] for name in ("mrr", "accuracy", "one_to_one_accuracy")}
    assert f"weights after epoch {best['epoch']:.0f}." in card.text
    assert f"best: epoch {best['epoch']:.0f}, MRR {100 * best['eval_mrr']:.1f}" in (
        finished / "learning-curve.svg"
    ).read_text(encoding="utf-8")


def test_a_run_that_keeps_its_last_weights_shows_their_scores(release, tmp_path):
    out = train_quick(release, tmp_path / "last", "load_best_model_at_end=false", "learning_rate=0.5")
    last = [entry for entry in history_of(out) if "eval_mrr" in entry][-1]
    card = ModelCard.load(out / "README.md")
    assert card.data.eval_results[0].metric_value == last["eval_mrr"]
    assert "weights after epoch 3." in card.text


def test_a_run_killed_before_its_card_is_finished_when_resumed(release, model, finished):
    (model / "README.md").unlink()
    (model / "learning-curve.svg").unlink()
    weights = (model / "model.safetensors").read_bytes()
    (model / "model.safetensors").write_bytes(b"half")
    train_quick(release, model, resume=True)
    assert (model / "model.safetensors").read_bytes() == weights
    curve = (finished / "learning-curve.svg").read_bytes()
    assert (model / "learning-curve.svg").read_bytes() == curve
    assert "training time since it was last resumed" in (model / "README.md").read_text(encoding="utf-8")


def test_the_card_is_written_last(release, model, monkeypatch):
    (model / "README.md").unlink()
    monkeypatch.setattr("proofmatch.training.run.render_model_card", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        train_quick(release, model, resume=True)
    assert not is_finished(model)
    assert not [*model.glob("*unfinished*"), *model.glob(".*.tmp")]


def test_the_lines_of_the_card_of_an_encoder_run(finished, release):
    assert run_lines(finished, release)["scores"].shape == (1, 2)


def test_the_lines_of_the_card_run_with_a_pretrained_encoder(release, tmp_path):
    encoder = save_tiny_encoder(tmp_path / "encoder")
    settings = load_settings("finetune", [f"encoder={encoder}", "num_train_epochs=0.5", "report_to=[]"])
    out = train_matcher(open_release(release), settings, tmp_path / "model")
    assert run_lines(out, release)["scores"].shape == (1, 2)
    assert "A pretrained encoder, encoder," in (out / "README.md").read_text(encoding="utf-8")


def run_lines(folder, release):
    """Run the Python lines of a card."""
    text = (folder / "README.md").read_text(encoding="utf-8")
    lines = re.search(r"```python\n(.+?)```", text, re.DOTALL)[1]
    names = {}
    exec(lines.replace('"MODEL"', repr(str(folder))).replace('"RELEASE"', repr(str(release))), names)  # noqa: S102
    return names


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
