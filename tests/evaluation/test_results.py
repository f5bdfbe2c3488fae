"""The tables on our pages are made of the result files beside them, and these follow the published schema."""

import json

import jsonschema
import pytest

from proofmatch.errors import ProofmatchError
from proofmatch.evaluation.results_table import marks, read_results, results_table, update_between_marks
from tests.conftest import REPOSITORY

RESULTS = REPOSITORY / "evaluation" / "results"


def test_tables_on_the_pages_are_those_of_the_files():
    table = results_table(read_results(RESULTS / "stacks"))
    assert table.count("\n") == 2 + 2 * 2 * 3
    for page in (RESULTS / "README.md", REPOSITORY / "README.md"):
        text = page.read_text(encoding="utf-8")
        assert text.partition(BEGIN)[2].partition(END)[0].strip() == table.strip()


def test_result_files_follow_the_schema_and_are_of_one_release():
    schema = json.loads((REPOSITORY / "evaluation/result.schema.json").read_text(encoding="utf-8"))
    results = read_results(RESULTS / "stacks")
    assert len(results) == 36
    for result in results:
        jsonschema.validate(result, schema)
    assert len({result["dataset"]["manifest_sha256"] for result in results}) == 1


def test_exact_matchings_carry_their_certificate():
    for result in read_results(RESULTS / "stacks"):
        if result["system"]["decoding"] == "exact":
            certificate = result["system"]["details"]["certificate"]
            assert abs(certificate["gap"]) < 1e-6
            assert result["scores"]["one_to_one"]


def test_a_missing_decoding_is_a_dash():
    (first, *_) = read_results(RESULTS / "stacks")
    first["system"]["decoding"] = "local"
    assert results_table([first]).endswith("| – | – |\n")


def test_a_page_without_a_place_for_results_is_named(tmp_path):
    (tmp_path / "page.md").write_text("nothing")
    with pytest.raises(ProofmatchError, match="no place for results"):
        update_between_marks(tmp_path / "page.md", "table")
