"""Only regular files are read, and what is hashed is what was read."""

import hashlib
import json
import os
import subprocess
import sys

import pytest

from proofmatch.errors import ProofmatchError
from proofmatch.evaluation.evaluator import evaluate_file
from proofmatch.evaluation.predictions import read_predictions, write_predictions
from proofmatch.evaluation.system import System
from tests.evaluation.tasks import make_batch, make_task, write_lines

SUFFIXES = (".jsonl", ".jsonl.gz", ".trec", ".trec.gz", ".parquet")
ROWS = {f"s{at}": [f"p{at}", f"p{(at + 1) % 3}"] for at in range(3)}


def refused(*arguments) -> str:
    """Run a command that must not wait for anything; its last line."""
    run = subprocess.run(
        [sys.executable, "-m", "proofmatch", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        stdin=subprocess.DEVNULL,
    )
    assert run.returncode == 2, run.stderr
    assert "Traceback" not in run.stderr
    return run.stderr


@pytest.fixture(params=["pipe", "folder", "device", "link to a pipe"])
def odd(request, tmp_path):
    """Makes what is not a regular file of a name."""

    def make(path):
        if request.param == "folder":
            path.mkdir()
        elif request.param == "device":
            path.symlink_to("/dev/zero")
        elif request.param == "pipe":
            os.mkfifo(path)
        else:
            os.mkfifo(tmp_path / "pipe")
            path.symlink_to(tmp_path / "pipe")
        return path

    return make


@pytest.mark.parametrize("suffix", [".jsonl", ".trec.gz", ".parquet"])
def test_predictions_are_a_regular_file(odd, suffix, tmp_path, release):
    path = odd(tmp_path / f"x{suffix}")
    said = refused("evaluate", path, "--data", release)
    assert f"{path} cannot be read" in said
    assert "not a regular file" in said


def test_a_sidecar_is_a_regular_file(odd, tmp_path, release):
    write_lines(tmp_path / "x.jsonl", [])
    path = odd(tmp_path / "x.jsonl.system.json")
    assert f"{path} cannot be read" in refused("evaluate", tmp_path / "x.jsonl", "--data", release)


def test_a_gold_file_is_a_regular_file(odd, tmp_path):
    from proofmatch.builder.release.gold import read_gold

    with pytest.raises(ProofmatchError, match="not a regular file"):
        read_gold(odd(tmp_path / "gold.jsonl"))


def test_a_pipe_among_results_is_not_waited_for(tmp_path):
    results = tmp_path / "results"
    results.mkdir()
    os.mkfifo(results / "x.result.json")
    refused("leaderboard", results, "--out", tmp_path / "site")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_hash_is_that_of_the_file(tmp_path, suffix):
    path = tmp_path / f"x{suffix}"
    write_predictions(path, [make_batch(ROWS, [[2.0, 1.0]] * 3)], System("x"))
    found = evaluate_file(path, make_task(), System("x"))
    assert found.predictions_sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def write_two(folder, suffix):
    """Write predictions that are right, and others that are wrong."""
    paths = folder / f"x{suffix}", folder / f"other{suffix}"
    for path, order in zip(paths, (1, -1), strict=True):
        rows = {statement: proofs[::order] for statement, proofs in ROWS.items()}
        write_predictions(path, [make_batch(rows, [[2.0, 1.0]] * 3)], System("x"))
    return paths


@pytest.mark.parametrize("suffix", SUFFIXES[:-1])
def test_another_file_put_in_its_place_does_not_lend_its_hash(tmp_path, suffix):
    path, other = write_two(tmp_path, suffix)
    good = hashlib.sha256(path.read_bytes()).hexdigest()
    reader = read_predictions(path, make_task())
    batches = iter(reader)
    first = next(batches)
    other.replace(path)
    assert list(batches) == []
    assert first.proofs.values[first.proofs.starts[:-1]].tolist() == first.statements.tolist()
    assert reader.sha256 == good


@pytest.mark.parametrize("change", ["replaced", "appended to"])
def test_a_parquet_file_that_changes_while_it_is_read_is_refused(tmp_path, change):
    path, other = write_two(tmp_path, ".parquet")
    batches = iter(read_predictions(path, make_task()))
    next(batches)
    if change == "replaced":
        other.replace(path)
    else:
        with path.open("ab") as file:
            file.write(b"more")
    with pytest.raises(ProofmatchError, match=r"x[.]parquet was changed while it was read"):
        list(batches)


def test_a_pipe_that_somebody_feeds_gets_no_score(tmp_path):
    pipe = tmp_path / "x.jsonl"
    os.mkfifo(pipe)
    descriptor = os.open(pipe, os.O_RDWR)  # does not wait for a reader
    os.write(descriptor, json.dumps({"statement_id": "s0", "proof_ids": ["p0"]}).encode())
    with pytest.raises(ProofmatchError, match="not a regular file"):
        evaluate_file(pipe, make_task(1), System("x"))
    os.close(descriptor)
