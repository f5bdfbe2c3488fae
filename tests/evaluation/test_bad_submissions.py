"""A faulty file is refused: each fault is named with its place, and nothing is left behind."""

import gzip
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from proofmatch.builder.release.release import open_release
from proofmatch.cli import main
from proofmatch.evaluation.task import load_task


@pytest.fixture(scope="module")
def task(release):
    return load_task(open_release(release), "test")


@pytest.fixture
def rows(task):
    """A correct submission: each statement with its own proof and the next one."""
    return [
        {
            "statement_id": statement,
            "proof_ids": [task.proof_ids[gold], task.proof_ids[(gold + 1) % len(task.proof_ids)]],
            "scores": [0.75, 0.5],
        }
        for statement, gold in zip(task.statement_ids, task.gold.tolist(), strict=True)
    ]


@pytest.fixture
def refused(release, tmp_path, capsys):
    """Submits the bytes of a file and gives the lines of the refusal."""

    def submit(content: bytes, name: str = "x.jsonl") -> list[str]:
        (tmp_path / name).write_bytes(content)
        out = tmp_path / "result.json"
        code = main(["evaluate", str(tmp_path / name), "--data", str(release), "--out", str(out)])
        shown = capsys.readouterr()
        assert code == 2
        assert shown.out == ""
        assert [path.name for path in tmp_path.iterdir()] == [name]
        head, *faults = shown.err.splitlines()
        assert name in head
        assert "fault" in head
        return faults

    return submit


def as_lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def change(rows, **values):
    rows[2].update(values)


def drop(rows, key):
    del rows[2][key]


ONE_FAULT = {
    "a missing statement": (lambda rows: rows.pop(2), "is missing"),
    "an unknown statement": (lambda rows: rows.append({**rows[2], "statement_id": "s-none"}), "no such"),
    "an unknown proof": (lambda rows: change(rows, proof_ids=["p-none", "p-no"]), "p-none and 1 more"),
    "a repeated statement": (lambda rows: rows.append(rows[2]), "also in line 3"),
    "a repeated proof": (lambda rows: change(rows, proof_ids=rows[2]["proof_ids"][:1] * 2), "more than once"),
    "an empty list": (lambda rows: change(rows, proof_ids=[], scores=[]), "lists no proof"),
    "NaN": (lambda rows: change(rows, scores=[float("nan"), 0.5]), "score 1 is not finite"),
    "infinity": (lambda rows: change(rows, scores=[0.5, float("-inf")]), "score 2 is not finite"),
    "a huge integer": (lambda rows: change(rows, scores=[10**400, 0.5]), "score 1 is not finite"),
    "increasing scores": (lambda rows: change(rows, scores=[0.5, 0.75]), "score 2 is greater"),
    "too few scores": (lambda rows: change(rows, scores=[0.5]), "2 proofs and 1 scores"),
    "no scores in one row": (lambda rows: drop(rows, "scores"), "unlike line 1"),
    "no proofs": (lambda rows: drop(rows, "proof_ids"), "has no proof_ids"),
    "a number as proof": (lambda rows: change(rows, proof_ids=["p", 7]), "number 2 is a number"),
    "a string as proofs": (lambda rows: change(rows, proof_ids="p-1"), "proof_ids is a string, not a list"),
    "a boolean as score": (lambda rows: change(rows, scores=[True, 0.5]), "number 1 is a boolean"),
    "a string as score": (lambda rows: change(rows, scores=["0.75", 0.5]), "number 1 is a string"),
    "null among proofs": (lambda rows: change(rows, proof_ids=[None, "p"]), "number 1 is null"),
    "a misspelt key": (lambda rows: change(rows, score=[1, 2]), "unknown key score"),
    "half a surrogate pair": (lambda rows: change(rows, proof_ids=["p-\ud800", "p"]), "surrogate"),
}  # fmt: skip


@pytest.mark.parametrize("kind", ONE_FAULT)
def test_one_fault_in_a_row_is_the_one_reported(kind, rows, refused):
    damage, words = ONE_FAULT[kind]
    damage(rows)
    (fault,) = refused(as_lines(rows))
    assert words in fault
    if "missing" not in kind:
        assert f"line {3 if len(rows) == 18 else 19} (s-" in fault


def test_a_number_as_statement_is_named_and_the_statement_missing(rows, refused):
    rows[2]["statement_id"] = 12
    wrong, missing = refused(as_lines(rows))
    assert "line 3: statement_id is a number" in wrong
    assert "is missing" in missing


def test_a_row_with_more_proofs_than_there_are_is_too_long(rows, task, refused):
    rows[2].update(proof_ids=[*task.proof_ids, task.proof_ids[0]], scores=[1.0] * 19)
    faults = refused(as_lines(rows))
    assert any("lists 19 proofs, but there are only 18" in fault for fault in faults)


LINES = {
    "malformed JSON": (b'{"statement_id": "s', "is not JSON"),
    "a number": (b"17", "is a number, not an object"),
    "a blank line": (b"", "is blank"),
    "bytes that are not UTF-8": (b'{"statement_id": "\xff"}', "not UTF-8"),
    "a key twice": (b'{"statement_id": "s", "statement_id": "t"}', "statement_id more than once"),
    "deep nesting": (b"[" * 100_000, "nested too deeply"),
    "an endless integer": (b'{"statement_id": ' + b"9" * 5000 + b"}", "line 4: "),
    "a terminal's commands": (b'{"statement_id": "s\\u001b[31m", "proof_ids": ["p"]}', "'s\\x1b[31m'"),
}


@pytest.mark.parametrize("kind", LINES)
def test_a_line_that_is_no_row_is_named(kind, rows, refused):
    line, words = LINES[kind]
    lines = as_lines(rows).splitlines(keepends=True)
    faults = refused(b"".join([*lines[:3], line + b"\n", *lines[3:]]))
    assert faults[0].startswith("  line 4")
    assert words in faults[0]
    assert "\x1b" not in "".join(faults)


def test_a_byte_order_mark_is_named(rows, refused):
    (fault,) = refused(b"\xef\xbb\xbf" + as_lines(rows))
    assert "byte order mark" in fault


def test_a_json_array_is_named(rows, refused):
    assert "JSON array" in refused(json.dumps(rows).encode())[0]
    assert "JSON array" in refused(json.dumps(rows, indent=1).encode())[0]


def test_an_empty_file_lists_what_is_missing(refused):
    assert sum("is missing" in fault for fault in refused(b"")) == 18


@pytest.mark.parametrize("name", ["x.jsonl.gz", "x.trec.gz"])
def test_compressed_data_that_ends_early_or_is_none_is_named(name, rows, refused):
    packed = gzip.compress(as_lines(rows))
    assert any("cut off" in fault for fault in refused(packed[:-20], name))
    assert any("damaged" in fault for fault in refused(b"plain text", name))
    assert any("damaged" in fault for fault in refused(packed[:50] + bytes(50) + packed[100:], name))


def test_the_first_20_faults_and_the_number_of_all(rows, release, tmp_path, capsys):
    for row in rows:
        row["scores"] = [float("nan"), 1.0, 2.0]
    path = tmp_path / "x.jsonl"
    path.write_bytes(as_lines(rows))
    assert main(["evaluate", str(path), "--data", str(release)]) == 2
    head, *faults = capsys.readouterr().err.splitlines()
    assert "54 faults" in head
    assert len(faults) == 21
    assert faults[-1].strip() == "and 34 more"


COLUMNS = {
    "a number as statement": (("statement_id", pa.array(range(18))), "statement_id is int64"),
    "numbers as proofs": (("proof_ids", pa.array([[1]] * 18)), "proof_ids is list<"),
    "strings as scores": (("scores", pa.array([["1", "2"]] * 18)), "scores is list<"),
    "booleans as scores": (("scores", pa.array([[True, False]] * 18)), "scores is list<"),
    "an unknown column": (("__index_level_0__", pa.array(range(18))), "unknown column __index_level_0__"),
    "null scores inside": (("scores", pa.array([[1.0, None]] + [[2.0, 1.0]] * 17)), "row 1 (s-"),
    "null proofs": (("proof_ids", pa.array([None] + [["p"]] * 17)), "row 1 (s-"),
    "a null statement": (("statement_id", pa.array([None] + ["s"] * 17)), "row 1: statement_id is null"),
}  # fmt: skip


@pytest.mark.parametrize("kind", COLUMNS)
def test_parquet_with_wrong_columns_is_named(kind, rows, refused, tmp_path_factory):
    (name, column), words = COLUMNS[kind]
    table = {key: pa.array([row[key] for row in rows]) for key in rows[0]} | {name: column}
    path = tmp_path_factory.mktemp("parquet") / "x.parquet"
    pq.write_table(pa.table(table), path)
    assert words in refused(path.read_bytes(), "x.parquet")[0]


def test_parquet_that_is_none_or_damaged_is_named(rows, refused, tmp_path_factory):
    assert "cannot be read as Parquet" in refused(as_lines(rows), "x.parquet")[0]
    path = tmp_path_factory.mktemp("parquet") / "x.parquet"
    pq.write_table(pa.table({key: pa.array([row[key] for row in rows]) for key in rows[0]}), path)
    assert "cannot be read as Parquet" in refused(path.read_bytes()[:-9], "x.parquet")[0]


def test_parquet_whose_texts_or_names_are_no_text_is_named(rows, refused, tmp_path_factory):
    path = tmp_path_factory.mktemp("parquet") / "x.parquet"
    table = pa.table({key: pa.array([row[key] for row in rows]) for key in rows[0]})
    pq.write_table(table, path, compression="none", store_schema=False)
    good, name = path.read_bytes(), rows[0]["statement_id"].encode()
    for damaged in (
        good.replace(name, b"\xf3" + name[1:]),
        good.replace(b"statement_id", b"statement\xf3id"),
        good.replace(b"element", b"\xf3lement"),
    ):
        assert damaged != good
        assert "cannot be read as Parquet" in refused(damaged, "x.parquet")[0]


@pytest.mark.parametrize("rows_beside", [0, 99])
def test_parquet_that_unpacks_to_gigabytes_is_not_unpacked(refused, tmp_path_factory, rows_beside):
    times = 3_000_000
    path = tmp_path_factory.mktemp("parquet") / "x.parquet"
    same = pa.DictionaryArray.from_arrays(pa.array(np.zeros(times, np.int32)), pa.array(["p" * 1000]))
    lists = pa.ListArray.from_arrays(pa.array([0] + [times] * (rows_beside + 1), pa.int32()), same)
    pq.write_table(pa.table({"statement_id": ["s"] * len(lists), "proof_ids": lists}), path)
    assert path.stat().st_size < 20_000
    assert "row 1: proof_ids has 3,000,000 values" in refused(path.read_bytes(), "x.parquet")[0]


def test_of_a_wrong_type_nothing_is_shown_that_a_terminal_would_obey(refused, tmp_path_factory):
    path = tmp_path_factory.mktemp("parquet") / "x.parquet"
    odd = pa.list_(pa.field("\x1b[2J" + "x" * 1000, pa.binary()))
    pq.write_table(pa.table({"statement_id": ["s"], "proof_ids": pa.array([[b"p"]], odd)}), path)
    (fault,) = refused(path.read_bytes(), "x.parquet")
    assert "not list<string>" in fault
    assert fault.strip().isprintable()
    assert len(fault) < 500


TREC = {
    "five fields": ("s Q0 p 1 0.5", "has 5 fields"),
    "no number": ("s Q0 p 1 high me", "score high is not a finite number"),
    "underscore": ("s Q0 p 1 1_0 me", "score 1_0 is not a finite number"),
    "NaN": ("s Q0 p 1 nan me", "score nan is not a finite number"),
}


@pytest.mark.parametrize("kind", TREC)
def test_a_wrong_line_of_a_trec_run_is_named(kind, refused):
    line, words = TREC[kind]
    assert any(words in fault and "line 1" in fault for fault in refused(line.encode() + b"\n", "x.trec"))


def test_lines_of_a_statement_apart_in_a_trec_run_are_named(rows, refused):
    lines = [f"{row['statement_id']} Q0 {row['proof_ids'][0]} 1 0.5 me\n" for row in rows]
    lines.append(f"{rows[0]['statement_id']} Q0 {rows[0]['proof_ids'][1]} 2 0.4 me\n")
    (fault,) = refused("".join(lines).encode(), "x.trec")
    assert "line 19" in fault
    assert "also in line 1" in fault


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["no.jsonl"], "no.jsonl cannot be read"),
        (["x.txt"], "not named like a prediction file"),
        (["x.jsonl", "--out", "x.jsonl"], "another name"),
        (["x.jsonl", "--url", "ftp://x"], "begins with https://"),
        (["x.jsonl", "--out", "."], "not a regular file"),
    ],
)
def test_bad_usage_is_one_sentence(arguments, words, rows, release, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.jsonl").write_bytes(as_lines(rows))
    assert main(["evaluate", *arguments, "--data", str(release)]) == 2
    (shown,) = [line for line in capsys.readouterr().err.splitlines() if not line.startswith("reading")]
    assert words in shown
    assert [path.name for path in tmp_path.iterdir()] == ["x.jsonl"]
