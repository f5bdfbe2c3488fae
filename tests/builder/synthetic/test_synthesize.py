"""Archives and folders of synthetic documents: the same bytes, complete or not at all, in little memory."""

import json
import subprocess
import sys
import tarfile

import pytest

from proofmatch.builder.readers.sources import read_sources
from proofmatch.builder.synthetic import (
    SyntheticSettings,
    synthesize,
    synthetic_document,
    synthetic_documents,
    writing,
)
from proofmatch.cli import main
from proofmatch.errors import ProofmatchError
from tests.conftest import REPOSITORY

SETTINGS = SyntheticSettings(documents=150, kilobytes=8)

# Peak of memory, in megabytes, of so many documents.
PEAK = """
import sys
from proofmatch.builder.synthetic import SyntheticSettings, synthesize
from tests.memory import peak_mb

synthesize(SyntheticSettings(documents=int(sys.argv[1])), sys.argv[2], workers=1)
print(peak_mb())
"""


@pytest.mark.parametrize("name", ["a.tar", "a.tar.gz", "a.tar.bz2", "a.tar.xz", "folder"])
def test_every_kind_of_output_has_the_same_documents(name, tmp_path):
    manifest = synthesize(SETTINGS, tmp_path / name, workers=1)
    read = {document.name: document.read() for document in read_sources([str(tmp_path / name)], 1 << 24)}
    assert read == {document.name: document.data for document in synthetic_documents(SETTINGS)}
    assert manifest["documents"]["all"] == len(read) == SETTINGS.documents
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["a.tar.gz", "a.tar.bz2"])
def test_the_bytes_depend_on_the_seed_alone(name, tmp_path):
    for folder, workers in (("one", 1), ("two", 2)):
        (tmp_path / folder).mkdir()
        synthesize(SETTINGS, tmp_path / folder / name, workers=workers)
    one, two = ((tmp_path / folder / name).read_bytes() for folder in ("one", "two"))
    assert one == two
    synthesize(SyntheticSettings(documents=150, kilobytes=8, seed=1), tmp_path / name, workers=1)
    assert (tmp_path / name).read_bytes() != one


def test_the_manifest_is_the_last_member(tmp_path):
    manifest = synthesize(SETTINGS, tmp_path / "a.tar.bz2", workers=1)
    with tarfile.open(tmp_path / "a.tar.bz2") as archive:
        last = archive.getmembers()[-1]
        assert last.name == "synthetic.json"
        assert json.load(archive.extractfile(last)) == json.loads(json.dumps(manifest))


def test_counts_of_the_manifest_are_those_of_the_documents(tmp_path):
    manifest = synthesize(SETTINGS, tmp_path / "folder", workers=1)
    documents = list(synthetic_documents(SETTINGS))
    assert manifest["pairs"]["kept"] == sum(document.kept for document in documents)
    assert sum(manifest["discarded_documents"].values()) == sum(
        bool(document.reason) for document in documents
    )
    assert sum(manifest["damage"].values()) + sum(manifest["languages"].values()) == len(documents)
    assert sum(manifest["markup"].values()) == len(documents)


@pytest.mark.parametrize("damaged", [0.0, 1.0])
def test_none_or_all_can_be_damaged(damaged, tmp_path):
    settings = SyntheticSettings(documents=60, kilobytes=3, damaged=damaged)
    manifest = synthesize(settings, tmp_path / "a.tar", workers=1)
    assert sum(manifest["damage"].values()) == damaged * 60


def test_a_failure_leaves_nothing_behind(tmp_path, monkeypatch):
    def fail(settings, number):
        if number == 100:
            raise OSError(28, "No space left on device")
        return synthetic_document(settings, number)

    monkeypatch.setattr(writing, "synthetic_document", fail)
    for name in ("a.tar", "folder"):
        with pytest.raises(ProofmatchError, match="cannot be written: No space left"):
            synthesize(SETTINGS, tmp_path / name, workers=1)
    assert list(tmp_path.iterdir()) == []


def test_what_is_there_is_not_overwritten(tmp_path):
    (tmp_path / "a.tar").write_text("mine")
    with pytest.raises(ProofmatchError, match="exists already"):
        synthesize(SETTINGS, tmp_path / "a.tar")
    assert (tmp_path / "a.tar").read_text() == "mine"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--out", "a.zip"], "ends in .tar"),
        (["--out", "missing/a.tar"], "is not a folder"),
        (["--out", "a.tar", "--damaged", "2"], "damaged is a share"),
        (["--out", "a.tar", "--languages", "xx"], "there is no language 'xx'"),
        (["--out", "a.tar", "--workers", "0"], "workers must be at least 1"),
    ],
)
def test_bad_usage_is_one_sentence(arguments, told, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["synthesize", *arguments]) == 2
    said = capsys.readouterr().err
    assert told in said
    assert said.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_the_command_tells_what_it_made(tmp_path, capsys):
    options = ["--documents", "40", "--kilobytes", "3", "--with-pairs", "0.5", "--workers", "1"]
    beside = ["--manifest", str(tmp_path / "manifest.json")]
    assert main(["synthesize", *options, *beside, "--out", str(tmp_path / "a.tar.bz2")]) == 0
    assert "has 40 documents" in capsys.readouterr().out
    with tarfile.open(tmp_path / "a.tar.bz2") as archive:
        inside = archive.extractfile("synthetic.json").read()
    assert (tmp_path / "manifest.json").read_bytes() == inside


def test_memory_does_not_grow_with_the_number_of_documents(tmp_path):
    peaks = []
    for number in (300, 2_400):
        command = [sys.executable, "-c", PEAK, str(number), str(tmp_path / f"{number}.tar")]
        ran = subprocess.run(command, capture_output=True, check=True, cwd=REPOSITORY)
        peaks.append(float(ran.stdout))
    assert (tmp_path / "2400.tar").stat().st_size > 130e6
    assert peaks[1] < peaks[0] + 20
