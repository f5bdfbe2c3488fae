"""Settings: presets have the documented values, and overrides are checked before anything begins."""

from dataclasses import fields

import pytest

from proofmatch.cli import main, make_parser
from proofmatch.errors import ProofmatchError
from proofmatch.training import MatchingArguments, ProofMatcherConfig
from proofmatch.training.joint import JointMatcherConfig
from proofmatch.training.lexical.lexical_config import LexicalMatcherConfig
from proofmatch.training.settings import load_settings, preset_names

MODEL_OF_THE_PAPER = {
    "embedding_size": 300,
    "num_layers": 2,
    "num_heads": 4,
    "key_size": 128,
    "value_size": 128,
    "feed_forward_size": 300,
    "dropout": 0.1,
    "max_words": 502,
}
TRAINING_OF_THE_PAPER = {
    "objective": "local",
    "sampling": "independent",
    "per_device_train_batch_size": 60,
    "num_train_epochs": 400,
    "optimizer": "asgd",
    "learning_rate": 0.02,
    "learning_rate_decay": 0.99,
    "eval_epochs": 20,
}


@pytest.mark.parametrize("preset", preset_names())
def test_a_preset_makes_a_model_and_a_training(preset, tmp_path):
    settings = load_settings(preset)
    arguments = MatchingArguments(output_dir=str(tmp_path / "model"), **settings.training)
    sizes = {key: value for key, value in settings.encoder.items() if key != "encoder"}  # has no default
    pretrained = {"encoder_config": {}} if "encoder" in settings.model else {}
    config = ProofMatcherConfig(vocab_size=100, **sizes, **pretrained)
    joint = JointMatcherConfig(**settings.joint)
    lexical = LexicalMatcherConfig(**settings.lexical)
    assert settings.model or settings.lexical
    sections = (
        (settings.training, arguments),
        (sizes, config),
        (settings.joint, joint),
        (settings.lexical, lexical),
    )
    for section, made in sections:
        assert {key: getattr(made, key) for key in section} == section
    assert not (tmp_path / "model").exists()


def test_there_are_presets_for_the_paper_and_for_a_cpu():
    assert {"fast", "quick", "best", "joint", "paper-local", "paper-global"} <= set(preset_names())


@pytest.mark.parametrize(
    ("preset", "has_encoder", "has_features"),
    [("fast", False, True), ("quick", True, False), ("joint", True, True), ("best", True, True)],
)
def test_a_preset_has_settings_for_the_parts_of_its_matcher(preset, has_encoder, has_features):
    settings = load_settings(preset)
    assert (bool(settings.model), bool(settings.lexical)) == (has_encoder, has_features)
    assert load_settings(preset, ["max_size=7"]).tokenizer["max_size"] == 7


def test_a_preset_with_features_can_do_without_its_encoder():
    settings = load_settings("best", ["encoder=none"])
    assert settings.lexical and not settings.model


def test_paper_local_has_the_numbers_of_the_paper():
    settings = load_settings("paper-local")
    assert settings.model == MODEL_OF_THE_PAPER
    # What is not in the paper is its own: gradients are clipped.
    assert settings.training == TRAINING_OF_THE_PAPER | {"max_grad_norm": 1.0}
    arguments = MatchingArguments(output_dir="unused", **settings.training)
    assert (arguments.weight_decay, arguments.gradient_accumulation_steps) == (0, 1)
    assert arguments.chunk_size is None


def test_paper_global_differs_in_the_objective_only():
    local, hybrid = load_settings("paper-local"), load_settings("paper-global")
    assert hybrid.training == local.training | {"objective": "hybrid"}
    assert (hybrid.model, hybrid.tokenizer) == (local.model, local.tokenizer)


def test_the_defaults_are_those_of_the_paper():
    defaults = {field.name: field.default for field in fields(MatchingArguments)}
    assert {key: defaults[key] for key in TRAINING_OF_THE_PAPER} == TRAINING_OF_THE_PAPER | {
        "learning_rate_decay": 1.0
    }
    assert {key: getattr(ProofMatcherConfig(), key) for key in MODEL_OF_THE_PAPER} == MODEL_OF_THE_PAPER


@pytest.mark.parametrize(
    ("override", "section", "value"),
    [
        ("num_train_epochs=3", "training", 3),
        ("num_train_epochs=0.5", "training", 0.5),
        ("learning_rate=1e-3", "training", 0.001),
        ("chunk_size=none", "training", None),
        ("chunk_size=8", "training", 8),
        ("objective=two-sided", "training", "two-sided"),
        ('objective="two-sided"', "training", "two-sided"),
        ("bf16=True", "training", True),
        ("run_name=7", "training", "7"),
        ("report_to=[]", "training", []),
        ("report_to=none", "training", None),
        ("dropout=0", "model", 0),
        ("encoder=some/folder", "model", "some/folder"),
        ("min_count=5", "tokenizer", 5),
    ],
)
def test_overrides_have_the_type_of_their_key(override, section, value):
    changed = getattr(load_settings("quick", [override]), section)[override.partition("=")[0]]
    assert changed == value
    assert type(changed) is type(value)


@pytest.mark.parametrize(
    ("override", "value"),
    [
        ("rank=3", 3),
        ("hub_weight=0", 0),
        ("has_sparse_part=false", False),
        ('groups=["word", "math-2"]', ["word", "math-2"]),
        ("table_groups=[]", []),
    ],
)
@pytest.mark.parametrize("preset", ["fast", "joint"])
def test_overrides_of_features_have_the_type_of_their_key(preset, override, value):
    changed = load_settings(preset, [override]).lexical[override.partition("=")[0]]
    assert changed == value
    assert type(changed) is type(value)


@pytest.mark.parametrize(
    ("preset", "override", "told"),
    [
        ("fast", "embedding_size=3", "the preset fast has no encoder, so embedding_size has no effect"),
        ("fast", "encoder=some/folder", "the preset fast has no encoder, so encoder has no effect"),
        ("fast", "max_words=100", "the preset fast has no encoder, so max_words has no effect"),
        ("quick", "rank=3", "the preset quick has no lexical part, so rank has no effect"),
        ("finetune", "hub_weight=0", "the preset finetune has no lexical part, so hub_weight has no effect"),
        ("fast", "num_features=3", "there is no setting 'num_features'"),
        ("fast", "groups=word", "groups must be a list, not 'word'"),
        ("fast", "groups=3", "groups must be a list, not '3'"),
        ("fast", "rank=many", "rank must be a whole number, not 'many'"),
        ("fast", "has_sparse_part=2", "has_sparse_part must be true or false, not '2'"),
    ],
)
def test_a_setting_without_effect_is_refused_in_one_sentence(preset, override, told):
    with pytest.raises(ProofmatchError) as refusal:
        load_settings(preset, [override])
    assert told in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_the_last_override_of_a_key_wins():
    assert load_settings("quick", ["seed=1", "seed=2"]).training["seed"] == 2


@pytest.mark.parametrize(
    ("override", "told"),
    [
        ("learning_rat=1", "there is no setting 'learning_rat'; did you mean learning_rate?"),
        ("embeding_size=1", "did you mean embedding_size?"),
        ("eval_epoch=1", "did you mean eval_epochs?"),
        ("xyzzy=1", "there is no setting 'xyzzy'"),
        ("vocab_size=1", "there is no setting 'vocab_size'"),
        ("hub_token=hf_secret", "there is no setting 'hub_token'"),
        ("learning_rate", "--set takes key=value, not 'learning_rate'"),
        ("num_train_epochs=abc", "num_train_epochs must be a number, not 'abc'"),
        ("num_train_epochs=", "num_train_epochs must be a number, not ''"),
        ("num_train_epochs=nan", "num_train_epochs must be a number, not 'nan'"),
        ("num_train_epochs=true", "num_train_epochs must be a number, not 'true'"),
        ("per_device_train_batch_size=2.5", "must be a whole number, not '2.5'"),
        ("bf16=maybe", "bf16 must be true or false, not 'maybe'"),
        ("chunk_size=few", "chunk_size must be a whole number or none, not 'few'"),
        ("embedding_size=x", "embedding_size must be a whole number, not 'x'"),
        ("min_count=x", "min_count must be a whole number, not 'x'"),
        ("seed=[1]", "seed must be a whole number, not '[1]'"),
        ("seed=1\nevil=2", "seed must be a whole number"),
    ],
)
def test_an_invalid_override_is_refused_in_one_sentence(override, told):
    with pytest.raises(ProofmatchError) as refusal:
        load_settings("quick", [override])
    assert told in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_an_unknown_preset_is_one_sentence():
    with pytest.raises(ProofmatchError, match=r"there is no preset 'slow'; presets are .*quick"):
        load_settings("slow")


@pytest.mark.parametrize(
    ("override", "told"),
    [
        ("num_train_epochs=abc", "num_train_epochs must be a number"),
        ("num_train_epochs=0", "num_train_epochs must be more than 0"),
        ("objective=foo", "objective must be one of local, two-sided,"),
        ("optimizer=foo", "optimizer must be one of asgd, adamw"),
        ("sampling=foo", "sampling must be one of independent, epochs"),
        ("embedding_size=-1", "embedding_size must be an integer of at least 1, not -1"),
        ('embedding_size="x"', "embedding_size must be a whole number"),
        ("dropout=2", "dropout must be from 0 to less than 1, not 2"),
        ("max_words=2", "max_words must be an integer of at least 3"),
        ("max_size=5", "max_size"),
        ("learning_rate=-1", "learning_rate must be more than 0"),
        ("adam_beta1=1", "adam_beta1 must be from 0 to less than 1"),
        ("chunk_size=0", "chunk_size must be at least 1"),
        ("seed=-1", "seed must be at least 0"),
        ("per_device_train_batch_size=0", "per_device_train_batch_size must be at least 1"),
        ("per_device_train_batch_size=1", "a batch needs at least two pairs"),
        ("lr_scheduler_type=foo", "foo"),
        ("eval_strategy=no", "these settings do not work"),
        ("report_to=abacus", "these settings do not work: abacus is not supported"),
        ("metric_for_best_model=loss", "metric_for_best_model"),
    ],
)
def test_impossible_settings_are_refused_and_leave_no_files(release, tmp_path, capsys, override, told):
    out = tmp_path / "model"
    arguments = ["train", "--data", str(release), "--preset", "quick", "--out", str(out)]
    assert main([*arguments, "--set", override]) == 2
    said = capsys.readouterr().err
    assert told in said
    assert said.count("\n") == 1
    assert "Traceback" not in said
    assert not (out / "run.json").exists()


@pytest.mark.parametrize(
    ("preset", "override", "told"),
    [
        ("fast", "embedding_size=3", "has no encoder"),
        ("quick", "rank=3", "has no lexical part"),
        ("fast", "rank=-1", "rank must be an integer of at least 0, not -1"),
        ("fast", 'groups=["words"]', "unknown group 'words'"),
        ("fast", "table_rate=-1", "table_rate must be at least 0"),
        ("fast", "feature_decay=-1", "feature_decay must be at least 0"),
        ("joint", "feature_rate=-1", "feature_rate must be at least 0"),
        ("joint", "num_heads=0", "num_heads must be an integer of at least 1"),
        ("joint", "encoder=some/folder", "the encoder some/folder cannot be opened"),
        ("joint", "encoder=some/folder", "--set encoder=none trains the features alone"),
        ("best", "encoder=", "say which by --set encoder=OWNER/NAME"),
        ("best", "encoder_share=5", "encoder_share must be more than 0 and at most 1, not 5"),
        ("best", "encoder_weight=-3", "encoder_weight must be at least 0, not -3"),
        ("best", "dropout=7", "dropout must be from 0 to less than 1, not 7"),
        ("best", "frozen_layers=-2", "frozen_layers must be an integer of at least 0, not -2"),
        (
            "best",
            "embedding_size=3",
            "a pretrained encoder has its own sizes, so embedding_size has no effect",
        ),
        ("best", "reads_tokens=false", "always reads tokens, so reads_tokens has no effect"),
        ("quick", "encoder_weight=3", "the preset quick has no features, so encoder_weight has no effect"),
        ("quick", "reads_tokens=true", "reads_tokens and frozen_layers are settings of pretrained encoders"),
        ("finetune", "encoder_share=0.5", "the preset finetune has no features"),
    ],
)
def test_impossible_settings_of_features_are_refused(release, tmp_path, capsys, preset, override, told):
    out = tmp_path / "model"
    arguments = ["train", "--data", str(release), "--preset", preset, "--out", str(out), "--set", override]
    assert main(arguments) == 2
    said = capsys.readouterr().err
    assert told in said
    assert said.count("\n") == 1
    assert not (out / "run.json").exists()


def test_the_default_preset_of_train_is_fast():
    options = make_parser("train").parse_args(["train", "--data", "release", "--out", "model"])
    assert options.preset == "fast"
