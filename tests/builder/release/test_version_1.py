"""Releases of schema version 1 still open; `version_1.zip` is one, made by an early version of proofmatch."""

import zipfile
from pathlib import Path

import pytest

from proofmatch.builder.checks import check_release
from proofmatch.builder.release.release import open_release
from proofmatch.cli import main
from proofmatch.errors import ProofmatchError


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("old") / "release"
    with zipfile.ZipFile(Path(__file__).with_name("version_1.zip")) as packed:
        packed.extractall(folder)
    return folder


def test_its_tables_are_read(old):
    release = open_release(old)
    release.verify()
    assert release.schema_version == 1
    assert "source" not in release.table("pairs", "train").column_names
    assert release.table("pairs", "train").num_rows == release.statistics["rows"]["pairs"]["train"]


def test_load_dataset_opens_it(old, tmp_path):
    from datasets import load_dataset

    pairs = load_dataset(str(old), split="test", cache_dir=str(tmp_path))
    assert pairs[0]["statement"]


def test_it_is_predicted_evaluated_and_described(old, tmp_path, capsys):
    predictions = tmp_path / "tfidf.jsonl"
    assert main(["baseline", "tfidf", "--data", str(old), "--split", "train", "--out", str(predictions)]) == 0
    assert main(["evaluate", str(predictions), "--data", str(old), "--split", "train"]) == 0
    assert main(["stats", str(old)]) == 0
    assert "mean ± sd" in capsys.readouterr().out


def test_check_says_that_its_ids_confirm_guesses_and_nothing_else(old):
    report = check_release(old)
    assert [fault.message for fault in report.faults] == [
        "ids of schema version 1 are derived from the pair, so that a guessed pair can be confirmed; "
        "make the release again"
    ]


def test_variants_need_a_release_of_the_present_version(old, tmp_path):
    from proofmatch.builder.variants.variant import make_variant

    with pytest.raises(ProofmatchError, match="schema version 1"):
        make_variant(old, tmp_path / "variant", symbols="full")
