"""What is written is read back, in all formats, bit for bit, and in constant memory."""

import gzip
import json
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofmatch.errors import ProofmatchError
from proofmatch.evaluation.prediction_formats import SUFFIXES
from proofmatch.evaluation.predictions import write_predictions
from proofmatch.evaluation.system import System, read_system

from .tasks import make_batch, make_task, rank_file, read_with_ids, write_lines

PROGRAM = """
import sys
from pathlib import Path
from tests.evaluation.tasks import make_task, rank_file
from tests.memory import peak_mb

task = make_task(2000)
before = peak_mb()
rank_file(Path(sys.argv[1]), task)
print(peak_mb() - before)
"""

ROWS = {"s0": ["p0", "p2"], "s2": ["p1"], "s1": ["p0", "p1", "p2"]}
SCORES = [[0.1 + 0.2, 1e-300], [-5.0], [3.0, 3.0, -0.0]]


def read(path, task=None):
    found = {}
    for batch in read_with_ids(path, task or make_task()):
        scores = [None] * len(batch) if batch.scores is None else batch.scores.to_pylist()
        for row in zip(batch.statement_ids.to_pylist(), batch.proof_ids.to_pylist(), scores, strict=True):
            found[row[0]] = row[1:]
    return found


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_is_written_is_read_back(suffix, tmp_path):
    path = tmp_path / f"x{suffix}"
    write_predictions(path, [make_batch(ROWS, SCORES)], System("toy"))
    assert read(path) == {name: (ROWS[name], scores) for name, scores in zip(ROWS, SCORES, strict=True)}
    assert {file.name for file in tmp_path.iterdir()} == {f"x{suffix}", f"x{suffix}.system.json"}


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.gz", ".parquet"])
def test_predictions_without_scores_are_read_back(suffix, tmp_path):
    path = tmp_path / f"x{suffix}"
    write_predictions(path, [make_batch(ROWS)], System("toy"))
    assert read(path) == {name: (proofs, None) for name, proofs in ROWS.items()}


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_equal_predictions_are_equal_files(suffix, tmp_path):
    for name in "ab":
        write_predictions(tmp_path / f"{name}{suffix}", [make_batch(ROWS, SCORES)], System("toy"))
    assert (tmp_path / f"a{suffix}").read_bytes() == (tmp_path / f"b{suffix}").read_bytes()


@settings(max_examples=20)  # Parquet is read by a process of its own
@given(
    st.lists(
        st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=4),
        min_size=4,
        max_size=4,
    )
)
def test_scores_keep_every_digit(tmp_path_factory, scores):
    folder = tmp_path_factory.mktemp("digits")
    scores = [sorted(row, reverse=True) for row in scores]
    rows = {f"s{row}": [f"p{at}" for at in range(len(values))] for row, values in enumerate(scores)}
    for suffix in (".jsonl", ".trec", ".parquet"):
        path = folder / f"x{suffix}"
        write_predictions(path, [make_batch(rows, scores)], System("toy"))
        assert [row[1] for row in read(path, make_task(4)).values()] == scores


@pytest.mark.parametrize(
    ("batches", "fault"),
    [
        ([make_batch({"s0": ["p0"]}, [[float("nan")]])], "not finite"),
        ([make_batch({"s0": ["p0", "p1"]}, [[1.0, 2.0]])], "greater than the one before"),
        ([make_batch({"s0": ["p0", "p0"]})], "more than once"),
        ([make_batch({"s0": ["p0"]}), make_batch({"s1": ["p1"]}, [[1.0]])], "in all rows or in none"),
        ([make_batch({"s0": ["p0"]}), make_batch({"s0": ["p1"]})], "also in row 1"),
        ([], "no rows"),
    ],
)
@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_what_could_not_be_read_is_not_written(suffix, batches, fault, tmp_path):
    with pytest.raises(ProofmatchError, match=fault):
        write_predictions(tmp_path / f"x{suffix}", batches, System("toy"))
    assert list(tmp_path.iterdir()) == []


def test_a_trec_run_is_ordered_by_score_and_not_by_rank_or_line(tmp_path):
    path = tmp_path / "x.trec"
    path.write_text("s0 Q0 p1 1 0.5 me\ns0\tQ0  p0\t9 0.75 me\ns1 Q0 p1 1 3 me\ns2 Q0 p0 1 1e-3 me\n")
    assert read(path)["s0"] == (["p0", "p1"], [0.75, 0.5])


def test_a_tie_in_a_trec_run_counts_against_the_gold_proof(tmp_path):
    path = tmp_path / "x.trec"
    path.write_text("s0 Q0 p0 1 1 me\ns0 Q0 p1 2 1 me\ns1 Q0 p1 1 3 me\ns2 Q0 p0 1 1 me\n")
    assert rank_file(path, make_task()).ranks.tolist() == [2, 1, 0]


def test_integers_and_null_scores_are_fine(tmp_path):
    with_integers = [
        {"statement_id": f"s{n}", "proof_ids": ["p0", "p1"], "scores": [2, 1.5]} for n in range(3)
    ]
    assert read(write_lines(tmp_path / "x.jsonl", with_integers))["s0"] == (["p0", "p1"], [2.0, 1.5])
    with_null = [{"statement_id": f"s{n}", "proof_ids": ["p0"], "scores": None} for n in range(3)]
    assert read(write_lines(tmp_path / "y.jsonl", with_null))["s0"] == (["p0"], None)


@pytest.mark.parametrize("type_", [pa.float32(), pa.int64(), pa.float16()])
@pytest.mark.parametrize("list_", [pa.list_, pa.large_list, lambda inner: pa.list_(inner, 2)])
def test_parquet_with_other_widths_is_read(type_, list_, tmp_path):
    table = pa.table(
        {
            "statement_id": pa.array(["s0", "s1", "s2"], pa.large_string()),
            "proof_ids": pa.array([["p0", "p1"]] * 3, list_(pa.large_string())),
            "scores": pa.array([[2, 1]] * 3, list_(pa.int64())).cast(list_(type_)),
        }
    )
    pq.write_table(table, tmp_path / "x.parquet")
    assert read(tmp_path / "x.parquet")["s2"] == (["p0", "p1"], [2.0, 1.0])


@pytest.mark.parametrize("rows_per_group", [300, 700, 1024, 10_000])
@pytest.mark.parametrize("bytes_stored_once", [1, 300, 1 << 20])
def test_parquet_is_read_however_it_is_divided_and_encoded(rows_per_group, bytes_stored_once, tmp_path):
    n = 1500
    rows = {f"s{row}": [f"p{(row * 7 + at) % n}" for at in range(5)] for row in range(n)}
    table = pa.table({"statement_id": list(rows), "proof_ids": list(rows.values())})
    pq.write_table(
        table,
        tmp_path / "x.parquet",
        row_group_size=rows_per_group,
        # Beyond so many bytes of different ids, the others are stored each time.
        dictionary_pagesize_limit=bytes_stored_once,
        data_page_size=2000,
        write_batch_size=100,
    )
    assert read(tmp_path / "x.parquet", make_task(n)) == {name: (ids, None) for name, ids in rows.items()}


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "x.jsonl"
    write_predictions(path, [make_batch({"s0": ["p0"]})], System("old"))
    with pytest.raises(ProofmatchError):
        write_predictions(path, [make_batch({"s0": ["p1"]}), make_batch({"s0": ["p2"]})], System("new"))
    assert json.loads(path.read_text())["proof_ids"] == ["p0"]
    assert read_system(path).name == "old"


def test_compressed_files_have_neither_name_nor_time(tmp_path):
    write_predictions(tmp_path / "x.jsonl.gz", [make_batch({"s0": ["p0"]})], System("toy"))
    packed = (tmp_path / "x.jsonl.gz").read_bytes()
    assert packed[3] == 0
    assert packed[4:8] == bytes(4)
    assert json.loads(gzip.decompress(packed)) == {"statement_id": "s0", "proof_ids": ["p0"]}


def test_a_file_of_100_megabytes_is_read_in_less_than_its_content_takes(tmp_path, request):
    n = 2000
    proofs = json.dumps([f"p{proof}" for proof in range(n)])
    scores = json.dumps([1 - proof / 7e6 for proof in range(n)])
    path = tmp_path / "x.jsonl"
    with path.open("w") as file:
        for statement in range(n):
            file.write(f'{{"statement_id": "s{statement}", "proof_ids": {proofs}, "scores": {scores}}}\n')
    assert path.stat().st_size > 100e6
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(path)],
        capture_output=True,
        text=True,
        check=True,
        cwd=request.config.rootpath,
    )
    path.unlink()
    assert float(ran.stdout) < 250  # Python's strings and numbers for the whole content take 500
