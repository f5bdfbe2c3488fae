"""The card of a model: valid metadata for the Hub, and figures that agree with the run."""

import copy
import itertools
import re
from dataclasses import replace

import pytest
from huggingface_hub import ModelCard, RepoCard

from proofmatch import __version__
from proofmatch.evaluation.training_data import TrainedOn, TrainingData
from proofmatch.training.model_card import TrainedModel, duration, plain, render_model_card
from tests.hub.metadata import TASKS, faults_of_card
from tests.training.trainer.histories import synthetic_history

RUN = {
    "config": "pairs",
    "data": {"id": "stacks", "manifest_sha256": "752f35bc" * 8, "revision": None},
    "input": "both",
    "processes": 2,
    "preset": "quick",
    "tokenizer": {"max_size": 100000, "min_count": 2},
    "model": {"embedding_size": 256, "num_layers": 1, "max_words": 202},
    "training": {"learning_rate": 0.001, "objective": "two-sided", "chunk_size": None},
}
SEEN = TrainedOn(release="stacks", family="mixed", splits=("train", "validation"))
HOSTILE = "a|b</td><script>alert(1)</script>\n| x | y |\n\n# *heading* `code` [link](http://x) --- $m$ \\"


@pytest.fixture
def model():
    return TrainedModel(
        name="quick-both",
        run=copy.deepcopy(RUN),
        history=synthetic_history(),
        kept_step=8 * 31,
        parameters=1_234_567,
        vocabulary=6_896,
        training_pairs=7_552,
        training_data=TrainingData((SEEN, replace(SEEN, release="an|older", splits=()))),
        validation_statements=944,
    )


def load(model, tmp_path) -> ModelCard:
    """Read a card as the Hub's own library does."""
    path = tmp_path / "README.md"
    path.write_text(render_model_card(model), encoding="utf-8")
    assert isinstance(RepoCard.load(path), RepoCard)
    return ModelCard.load(path)


def changed(model, section, **values):
    model.run[section].update(values)
    return model


def rows(card):
    """The cells of all rows of all tables, as a renderer splits them."""
    lines = [line for line in card.text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def test_metadata_is_valid_and_says_what_the_hub_asks_for(model, tmp_path):
    card = load(model, tmp_path)
    assert faults_of_card(str(card), "model") == ([], [])
    assert card.data.language == ["en"]
    assert card.data.library_name == "proofmatch"
    assert card.data.pipeline_tag in TASKS
    assert "mathematics" in card.data.tags
    assert "mrr" in card.data.metrics


def test_scores_are_those_of_the_kept_weights(model, tmp_path):
    entry = next(entry for entry in model.history if "eval_mrr" in entry and entry["step"] == 8 * 31)
    card = load(model, tmp_path)
    results = {result.metric_type: result for result in card.data.eval_results}
    for name, label in (
        ("mrr", "MRR"),
        ("accuracy", "accuracy"),
        ("one_to_one_accuracy", "one-to-one accuracy"),
    ):
        score = entry[f"eval_{name}"]
        assert results[name].metric_value == score
        assert results[name].dataset_split == "validation"
        assert results[name].dataset_config == "pairs"
        assert [label, f"{100 * score:.1f}"] in [row[:2] for row in rows(card)]
    assert card.data.model_name == "quick-both"
    assert "after epoch 8." in card.text
    assert "944 statements" in card.text


def test_weights_that_are_not_the_best_have_their_own_scores(model, tmp_path):
    card = load(replace(model, kept_step=2 * 31), tmp_path)
    assert ["MRR", "39.2"] in [row[:2] for row in rows(card)]
    assert "after epoch 2." in card.text


def test_without_an_evaluation_of_the_weights_no_score_is_claimed(model, tmp_path):
    card = load(replace(model, kept_step=7), tmp_path)
    assert card.data.eval_results is None
    assert "model-index" not in str(card.data)
    assert "were not evaluated" in card.text
    assert faults_of_card(str(card), "model") == ([], [])


def test_every_setting_of_the_run_is_in_the_table(model, tmp_path):
    listed = rows(load(model, tmp_path))
    for section in ("tokenizer", "model", "training"):
        for name, value in RUN[section].items():
            assert [section, name, "none" if value is None else str(value)] in listed
    assert ["", "preset", "quick"] in listed
    assert ["", "processes", "2"] in listed


def test_data_size_and_time_are_named(model, tmp_path):
    card = load(model, tmp_path)
    listed = rows(card)
    assert ["release", "stacks"] in listed
    assert ["SHA-256 of its manifest", "752f35bc" * 8] in listed
    assert ["training pairs", "7,552"] in listed
    assert ["trained and selected on", "stacks (mixed: train, validation)"] in listed
    assert ["trained and selected on", r"an\|older (mixed)"] in listed
    assert ["parameters", "1,234,567"] in listed
    assert ["words of the tokenizer", "6,896"] in listed
    assert ["training time", "1 h 2 min"] in listed
    assert f"proofmatch {__version__}" in card.text.replace("\n", " ")


def test_a_resumed_run_does_not_claim_to_know_its_whole_time(model, tmp_path):
    listed = rows(load(replace(model, is_resumed=True), tmp_path))
    assert ["training time since it was last resumed", "1 h 2 min"] in listed


def test_a_release_in_a_folder_is_no_dataset_of_the_hub(model, tmp_path):
    card = load(model, tmp_path)
    assert card.data.datasets is None
    assert "--data RELEASE --split test" in card.text


def test_a_release_on_the_hub_is_linked(model, tmp_path):
    card = load(changed(model, "data", id="ada/proofs", revision="0123abcd"), tmp_path)
    assert card.data.datasets == ["ada/proofs"]
    assert card.data.eval_results[0].dataset_type == "ada/proofs"
    assert card.data.eval_results[0].dataset_revision == "0123abcd"
    assert "proofmatch predict MODEL --data ada/proofs --split test --out" in card.text
    assert 'matcher.search(statement, "ada/proofs"' in card.text
    assert ["revision", "0123abcd"] in rows(card)


def test_the_split_by_article_is_in_commands_and_limits(model, tmp_path):
    model.run["config"] = "pairs_by_article"
    card = load(model, tmp_path)
    assert card.text.count("--split test --by-article") == 2
    assert "no article is in two splits" in card.text
    assert "On new articles" not in card.text


def test_a_pretrained_encoder_is_the_base_model(model, tmp_path):
    card = load(changed(model, "model", encoder="sentence-transformers/all-MiniLM-L6-v2"), tmp_path)
    assert card.data.base_model == "sentence-transformers/all-MiniLM-L6-v2"
    assert "A pretrained encoder, sentence-transformers/all-MiniLM-L6-v2," in card.text
    assert "from scratch" not in card.text
    sections = {row[0]: row[1:] for row in rows(card) if row[0] in ("tokenizer", "model")}
    assert set(sections) == {"model"}
    assert ["model", "max_words", "202"] in rows(card)
    assert "embedding_size" not in card.text


@pytest.mark.parametrize("place", ["folder", "owner/name"])
def test_an_encoder_in_a_folder_is_not_looked_for_on_the_hub(model, tmp_path, monkeypatch, place):
    monkeypatch.chdir(tmp_path)
    (tmp_path / place).mkdir(parents=True)
    card = load(changed(model, "model", encoder=place), tmp_path)
    assert card.data.base_model is None
    assert f"A pretrained encoder, {place.split('/')[-1]}," in card.text


def test_a_matcher_of_its_own_has_no_base_model(model, tmp_path):
    card = load(model, tmp_path)
    assert card.data.base_model is None
    assert "from scratch" in card.text


def lexical_run(model, **settings):
    """The run of a lexical matcher."""
    model.run["model"], model.run["lexical"] = {}, {"rank": 32, **settings}
    return model


def paragraph(card):
    """What is said about how the model works, in one line."""
    text = card.text[card.text.index("arxiv.org") : card.text.index("## How to use it")]
    return " ".join(text.split())


def test_a_lexical_matcher_is_described_by_its_features(model, tmp_path):
    card = load(lexical_run(model), tmp_path)
    assert faults_of_card(str(card), "model") == ([], [])
    told = paragraph(card)
    assert (
        "scale times the cosine of the feature values of its texts, plus another learned scale times the"
        in told
    )
    assert (
        "Hubness correction: 0.5 times the mean of a proof's 10 highest scores for training statements"
        in told
    )
    assert told.endswith("All weights were trained from scratch. It takes words and formulas as input.")
    assert "s·W·pᵀ" not in card.text and "elf-attention" not in card.text
    assert "It truncates texts" not in card.text
    assert "which symbol names occur together" in card.text
    assert "proofmatch.load_matcher(" in card.text
    assert ["lexical", "rank", "32"] in rows(card)
    assert not [row for row in rows(card) if row[0] == "model" and len(row) == 3]


def test_a_joint_matcher_is_described_by_both_of_its_parts(model, tmp_path):
    model.run["lexical"] = {"rank": 32, "hub_weight": 0.25, "n_nearest": 7}
    card = load(model, tmp_path)
    assert faults_of_card(str(card), "model") == ([], [])
    told = paragraph(card)
    assert told.index("the cosine of") < told.index("correction: 0.25 times") < told.index("of an encoder")
    assert "a proof's 7 highest scores" in told
    assert "s·W·pᵀ + b" in told
    assert "after 202 words, start and end marks included" in card.text
    assert ", for the encoder.\n" in card.text
    assert ["lexical", "rank", "32"] in rows(card)
    assert ["model", "max_words", "202"] in rows(card)


@pytest.mark.parametrize(
    ("settings", "told", "untold"),
    [
        (
            {"rank": 0},
            "is a learned scale times the cosine of the feature values of its texts. Hubness",
            "tables",
        ),
        ({"has_sparse_part": False}, "is a learned scale times the cosine of two sums", "feature values of"),
        ({"hub_weight": 0}, "for statements and one for proofs. All weights", "Hubness"),
    ],
    ids=str,
)
def test_parts_that_a_matcher_does_not_have_are_not_described(model, tmp_path, settings, told, untold):
    described = paragraph(load(lexical_run(model, **settings), tmp_path))
    assert told in described
    assert untold not in described


@pytest.mark.parametrize("kind", ["encoder", "lexical", "joint", "pretrained"])
@pytest.mark.parametrize("config", ["pairs", "pairs_by_article"])
def test_paragraphs_and_lists_are_apart_and_nothing_is_left_open(model, tmp_path, kind, config):
    model.run["config"] = config
    if kind == "lexical":
        lexical_run(model)
    elif kind == "joint":
        model.run["lexical"] = {"rank": 32}
    elif kind == "pretrained":
        changed(model, "model", encoder="ada/encoder")
    text = load(model, tmp_path).text
    assert "\n\n\n" not in text
    assert not re.search(r"[^\S\n]\n", text)
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    assert not re.search(r"\S  ", prose)
    for line, after in itertools.pairwise(prose.splitlines()):
        if line.startswith("- **") or line.startswith("  "):
            assert after == "" or after.startswith(("- **", "  ")), after
        if after.startswith("|"):
            assert line == "" or line.startswith("|"), line
    limits = text[text.index("## Limits") :].split("\n\n", 1)[1]
    assert "\n\n" not in limits
    assert limits.count("- **") == {"encoder": 6, "lexical": 5, "joint": 6, "pretrained": 7}[kind]
    assert all(part.rstrip().endswith(".") for part in limits.split("\n- "))


@pytest.mark.parametrize(
    ("input", "words"),
    [("both", "words and formulas"), ("text", "words only"), ("math", "formulas only")],
)
def test_the_input_is_named(model, tmp_path, input, words):
    model.run["input"] = input
    assert f"It takes {words}" in load(model, tmp_path).text


@pytest.mark.parametrize("section", ["How to use it", "Scores", "Training", "Limits"])
def test_every_section_is_there_and_not_empty(model, tmp_path, section):
    text = load(model, tmp_path).text
    match = re.search(rf"^## {section}\n\n(.+?)(?=\n## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert match and len(match[1]) > 80
    assert not re.search(r"[^\n]\n## ", text)


def test_the_curve_is_shown(model, tmp_path):
    assert re.search(r"!\[[^]]+\]\(learning-curve\.svg\)", load(model, tmp_path).text)


def test_names_cannot_break_card_or_metadata(model, tmp_path):
    tame = rows(load(model, tmp_path))
    for section, name in (("data", "id"), ("training", "objective"), ("model", "encoder")):
        model = changed(model, section, **{name: HOSTILE})
    card = load(replace(model, name=HOSTILE), tmp_path)
    assert "<script>" not in card.text
    assert card.data.model_name == HOSTILE
    assert card.data.eval_results[0].dataset_name == HOSTILE
    assert card.data.datasets is None and card.data.base_model is None
    assert len(re.findall(r"^#+ ", card.text, re.MULTILINE)) == 5
    hostile = rows(card)
    assert {len(row) for row in hostile} == {len(row) for row in tame}
    assert ["release", plain(HOSTILE)] in hostile


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("num_train_epochs", "num_train_epochs"),
        ("_x_ __y__", r"\_x\_ \_\_y\_\_"),
        ("a|b", r"a\|b"),
        ("a\\|b", r"a\\\|b"),
        ("<b>&amp;", "&lt;b&gt;&amp;amp;"),
        ("two\n\nlines", "two lines"),
        (None, "none"),
        (0.001, "0.001"),
    ],
)
def test_values_are_written_as_text(value, written):
    assert plain(value) == written


@pytest.mark.parametrize(
    ("seconds", "written"),
    [
        (0.2, "less than 1 s"),
        (25.45, "25 s"),
        (192, "3 min 12 s"),
        (3_601, "1 h"),
        (7_500, "2 h 5 min"),
        (273_600, "3 d 4 h"),
    ],
)
def test_times_are_written_with_two_units(seconds, written):
    assert duration(seconds) == written
