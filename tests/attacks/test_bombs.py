"""Small files that expand to gigabytes are refused with a message, in less than 1 GB of memory."""

import gzip
import json
import re
import subprocess
import sys
from dataclasses import replace

import pytest

from proofmatch.errors import ProofmatchError
from proofmatch.evaluation import predictions
from proofmatch.evaluation.predictions import read_all, write_predictions
from proofmatch.evaluation.system import System, read_system
from proofmatch.strict_json import read_json
from tests.attacks.bombs import BOMBS, STATEMENTS
from tests.conftest import REPOSITORY
from tests.evaluation.tasks import make_batch, make_task, rank_file


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("bombs")


@pytest.fixture(scope="module")
def found(folder):
    """What evaluating each bomb took, all in one process."""
    for name, write in BOMBS.items():
        write(folder / name)
    run = subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.attacks.bombs",
            str(STATEMENTS),
            *(str(folder / name) for name in BOMBS),
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=REPOSITORY,
    )
    assert run.returncode == 0, run.stderr
    return {line["file"]: line for line in map(json.loads, run.stdout.splitlines())}


MOST_LINES = 22  # twenty faults, how many more there are, and a hint


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_with_little_memory(found, name):
    assert found[name]["kb"] < 30_000
    assert found[name]["refused"], found[name]["said"]
    head, *faults = found[name]["said"].splitlines()
    assert name in head
    assert 1 <= len(faults) <= MOST_LINES
    assert all(len(fault) < 400 for fault in faults)
    assert found[name]["peak_mb"] < 1000


@pytest.mark.parametrize("name", [name for name in BOMBS if "lines" in name or "statements" in name])
def test_reading_stops_after_some_faults_and_says_so(found, name):
    head, *faults = found[name]["said"].splitlines()
    assert re.search(r"has at least \d,\d\d\d faults", head)
    assert any("and at least " in line for line in faults)


def test_every_fault_of_a_file_with_few_is_counted(tmp_path):
    rows = [json.dumps({"statement_id": f"s{at}", "proof_ids": ["no"]}) for at in range(600)]
    (tmp_path / "x.jsonl").write_text("\n".join(rows))
    with pytest.raises(ProofmatchError, match="has 600 faults"):
        rank_file(tmp_path / "x.jsonl", make_task(600))


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.gz", ".trec", ".parquet"])
def test_a_row_may_list_every_proof(tmp_path, suffix):
    task = make_task(STATEMENTS)
    task = replace(
        task, statement_ids=task.statement_ids[:3], gold=task.gold[:3], categories=task.categories[:3]
    )
    rows = dict.fromkeys(task.statement_ids, task.proof_ids)
    scores = [[-0.1234567890123456 - at for at in range(STATEMENTS)]] * 3
    write_predictions(tmp_path / f"x{suffix}", [make_batch(rows, scores)], System("x"))
    assert rank_file(tmp_path / f"x{suffix}", task).ranks.tolist() == [1, 2, 3]


@pytest.mark.usefixtures("found")
@pytest.mark.parametrize("name", ["proofs.jsonl.gz", "repeated-statements.jsonl.gz", "proofs.trec.gz"])
def test_a_file_without_its_task_is_refused_as_well(folder, name):
    with pytest.raises(ProofmatchError, match=name):
        read_all(folder / name)


def test_what_is_kept_in_memory_is_limited_by_the_size_of_the_file(tmp_path, monkeypatch):
    proofs = [f"{at}" for at in range(1000)]
    rows = [json.dumps({"statement_id": f"s{at}", "proof_ids": proofs}) + "\n" for at in range(50)]
    (tmp_path / "x.jsonl.gz").write_bytes(gzip.compress("".join(rows).encode()))
    monkeypatch.setattr(predictions, "_MOST_LISTED", 1000)
    with pytest.raises(ProofmatchError, match=r"x[.]jsonl[.]gz lists more than \d,\d\d\d proofs"):
        read_all(tmp_path / "x.jsonl.gz")
    monkeypatch.setattr(predictions, "_MOST_LISTED", 100_000)
    monkeypatch.setattr(predictions, "_MOST_NEW_IDS", 1000)
    with pytest.raises(ProofmatchError, match=r"x[.]jsonl[.]gz lists more than 1,000 different ids"):
        read_all(tmp_path / "x.jsonl.gz")
    (tmp_path / "x.jsonl").write_text("".join(rows))
    assert len(read_all(tmp_path / "x.jsonl")[2].proofs.values) == 50_000


def test_a_large_sidecar_or_result_is_not_read(tmp_path):
    (tmp_path / "x.jsonl").write_text("")
    for name in ("x.jsonl.system.json", "x.result.json"):
        with (tmp_path / name).open("wb") as file:
            file.truncate(500_000_000)
    with pytest.raises(ProofmatchError, match=r"x[.]jsonl[.]system[.]json .*larger than 4 MB"):
        read_system(tmp_path / "x.jsonl")
    with pytest.raises(OSError, match="larger than 4 MB"):
        read_json(tmp_path / "x.result.json")


@pytest.mark.parametrize("text", ['{"notes": ' + "[" * 100_000, '{"a": ' * 70 + "1" + "}" * 70])
def test_a_deep_sidecar_is_refused(tmp_path, text):
    (tmp_path / "x.jsonl.system.json").write_text(text)
    with pytest.raises(ProofmatchError, match=r"x[.]jsonl[.]system[.]json"):
        read_system(tmp_path / "x.jsonl")
