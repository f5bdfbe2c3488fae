"""The tables on our pages are made of the result files beside them, and these follow the published schema."""

import json
import tomllib
from collections import Counter
from importlib import import_module
from pathlib import Path

import jsonschema
import pytest

from proofmatch.errors import ProofmatchError
from proofmatch.evaluation.results_table import (
    marks,
    read_results,
    results_table,
    symbols_table,
    transductive_table,
    update_between_marks,
)
from tests.conftest import REPOSITORY

RESULTS = REPOSITORY / "evaluation" / "results"


@pytest.mark.parametrize(
    ("page", "place", "folder"),
    [
        (RESULTS / "README.md", "results", "stacks"),
        (REPOSITORY / "README.md", "results", "stacks"),
        (RESULTS / "README.md", "validation", "stacks/validation"),
    ],
)
def test_tables_on_the_pages_are_those_of_the_files(page, place, folder):
    assert table_on(page, place) == results_table(read_results(RESULTS / folder)).strip()


@pytest.fixture
def scripts(monkeypatch):
    """The script of `make results`."""
    monkeypatch.syspath_prepend(str(RESULTS))  # where its parts find each other
    return import_module("regenerate")


def test_tables_of_the_ablation_are_those_of_the_files(scripts):
    page, stacks = RESULTS / "README.md", RESULTS / "stacks"
    assert table_on(page, "parts") == scripts.parts_table(stacks).strip()
    assert table_on(page, "symbols") == symbols_table(scripts.renamed_results(stacks)).strip()
    transductive = read_results(stacks / "transductive")
    assert transductive
    assert all(result["system"]["transductive"] for result in transductive)
    assert table_on(page, "transductive") == transductive_table(transductive).strip()


def table_on(page: Path, place: str) -> str:
    begin, end = marks(place)
    return page.read_text(encoding="utf-8").partition(begin)[2].partition(end)[0].strip()


@pytest.mark.parametrize(("folder", "split"), [("stacks", "test"), ("stacks/validation", "validation")])
def test_result_files_follow_the_schema_and_are_of_one_split_of_one_release(folder, split):
    schema = json.loads((REPOSITORY / "evaluation/result.schema.json").read_text(encoding="utf-8"))
    results = read_results(RESULTS / folder)
    for result in results:
        jsonschema.validate(result, schema)
        assert result["dataset"]["split"] == split
    every = read_results(RESULTS / "stacks")
    assert len({result["dataset"]["manifest_sha256"] for result in (*results, *every)}) == 1


def test_every_baseline_and_every_trained_system_has_its_results():
    models = tomllib.loads((RESULTS / "models.toml").read_text(encoding="utf-8"))
    wanted = {
        (
            "pairs_by_article" if system.get("by_article") else "pairs",
            system["system"],
            system["input"],
        )
        for system in models.values()
    }
    for folder in ("stacks", "stacks/validation"):
        decodings = Counter(
            (result["dataset"]["config"], result["system"]["name"], result["system"]["input"])
            for result in read_results(RESULTS / folder)
        )
        assert wanted <= set(decodings)
        assert set(decodings.values()) == {3}
    baselines = {(name, reads) for name in ("tfidf", "dice") for reads in ("both", "text", "math")}
    assert len(read_results(RESULTS / "stacks")) == 3 * (2 * len(baselines) + len(wanted))


def test_the_curves_on_the_page_are_those_of_the_histories(scripts):
    drawn = (RESULTS / "stacks" / "learning-curves.svg").read_text(encoding="utf-8")
    assert drawn == scripts.learning_curves(RESULTS / "stacks")
    assert "quick-both" in drawn
    assert "fast-both" not in drawn  # which was looked at once


def test_exact_matchings_carry_their_certificate():
    for result in read_results(RESULTS / "stacks"):
        if result["system"]["decoding"] == "exact":
            certificate = result["system"]["details"]["certificate"]
            assert abs(certificate["gap"]) < 1e-6
            assert result["scores"]["one_to_one"]


def test_a_missing_decoding_is_a_dash():
    (first, *_) = read_results(RESULTS / "stacks")
    first["system"]["decoding"] = "local"
    first["system"].pop("training_seconds", None)
    assert results_table([first]).endswith("| – | – | – |\n")


def test_a_page_without_a_place_for_results_is_named(tmp_path):
    (tmp_path / "page.md").write_text("nothing")
    with pytest.raises(ProofmatchError, match="no place for results"):
        update_between_marks(tmp_path / "page.md", "table")


def test_minutes_of_training_are_those_of_the_files():
    (first, *_) = read_results(RESULTS / "stacks")
    first["system"] |= {"decoding": "local", "training_seconds": 90.0}
    assert results_table([first]).endswith("| – | – | 1.5 |\n")


def test_systems_on_renamed_symbols_stand_beside_themselves():
    (first, other, *_) = (
        result
        for result in read_results(RESULTS / "stacks")
        if result["system"]["decoding"] == "local" and result["dataset"]["config"] == "pairs"
    )
    table = symbols_table({"as it is": [first, other], "full": [other]})
    head, _, line = table.splitlines()
    assert head == "| split | system | input | as it is | full |"
    name, mrr = other["system"]["name"], f"{100 * other['scores']['mrr']:.1f}"
    assert line.startswith(f"| mixed | {name} | {other['system']['input']} | {mrr} (")
    assert line.count(" · – |") == 2
