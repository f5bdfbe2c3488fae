"""Submissions: any file is a judgement, or refused with all its faults; its sidecar too."""

import gzip
import io
import json
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from proofmatch.errors import ProofmatchError
from proofmatch.evaluation.metrics import NO_RANK
from proofmatch.evaluation.prediction_formats import FAULTS_SHOWN
from proofmatch.evaluation.system import System, read_system, sidecar_of
from tests.evaluation.tasks import make_task, rank_file, read_with_ids
from tests.fuzz.mutations import ANY_BYTES, CHARACTERS, LINES, NUMBERS, damaged
from tests.fuzz.targets import check, check_message

_N = 7
_TASK = make_task(_N)
_PIECES = (
    *(
        b'"',
        b"[",
        b"]",
        b"{",
        b"}",
        b",",
        b":",
        b"null",
        b"true",
        b"[[",
        b'"s1"',
        b'"p1"',
        b'"scores"',
        b"\\u",
    ),
    *(
        b"\\ud800",
        b"\\u0000",
        b'"proof_ids"',
        b"[]",
        b"{}",
        b"Q0",
        b" ",
        b"\t",
        b"\xef\xbb\xbf",
        b"1e400",
        *NUMBERS,
    ),
)
_SIDECAR = {
    "name": "x",
    "input": "both",
    "decoding": "local",
    "url": "https://example.org",
    "notes": "n",
    "k": [1],
}
_TYPES = (
    *(
        pa.string(),
        pa.large_string(),
        pa.list_(pa.string()),
        pa.list_(pa.int64()),
        pa.large_list(pa.string()),
    ),
    *(
        pa.list_(pa.float32()),
        pa.list_(pa.string(), 2),
        pa.list_(pa.list_(pa.string())),
        pa.int64(),
        pa.null(),
    ),
    *(
        pa.list_(pa.float64()),
        pa.list_(pa.float16()),
        pa.list_(pa.uint64()),
        pa.list_(pa.null()),
        pa.string_view(),
    ),
    *(pa.dictionary(pa.int8(), pa.string()), pa.list_(pa.dictionary(pa.int8(), pa.string())), pa.binary()),
    *(pa.list_(pa.float64(), 2), pa.struct([("a", pa.string())]), pa.map_(pa.string(), pa.float64())),
)


def _rows(chance: Random) -> list[tuple[str, list[str], list[float]]]:
    """Rows that are nearly good: all that can be wrong between them is, sometimes."""
    rows = []
    for number in range(_N):
        count = chance.randrange(1, _N + 1)
        proofs = [f"p{proof}" for proof in chance.sample(range(_N), count)]
        rows.append(
            (f"s{number}", proofs, sorted((chance.uniform(-5, 5) for _ in range(count)), reverse=True))
        )
    return rows


def _jsonl(chance: Random) -> bytes:
    scored = chance.random() < 0.7
    lines = [
        json.dumps({"statement_id": statement, "proof_ids": proofs} | ({"scores": scores} if scored else {}))
        for statement, proofs, scores in _rows(chance)
    ]
    return "".join(line + "\n" for line in lines).encode()


def _trec(chance: Random) -> bytes:
    return "".join(
        f"{statement} Q0 {proof} {rank} {score} tag\n"
        for statement, proofs, scores in _rows(chance)
        for rank, (proof, score) in enumerate(zip(proofs, scores, strict=True), 1)
    ).encode()


def _parquet(chance: Random) -> bytes:
    statements, proofs, scores = map(list, zip(*_rows(chance), strict=True))
    columns = {
        "statement_id": pa.array(statements),
        "proof_ids": pa.array(proofs),
        "scores": pa.array(scores),
    }
    for name in columns:
        if chance.random() < 0.2:
            columns[name] = _strange_column(columns[name], chance)
    if chance.random() < 0.1:
        columns[chance.choice(("rank", "", "\x1b[2J", "proof_id"))] = columns["proof_ids"]
    if chance.random() < 0.3:
        del columns[chance.choice(list(columns))]
    table = pa.table(columns) if columns else pa.table({"x": [1]})
    if chance.random() < 0.3:
        table = pa.concat_tables([table.slice(0, 3), table.slice(chance.randrange(4))])
    file = io.BytesIO()
    try:
        pq.write_table(
            table, file, compression=chance.choice(("none", "zstd", "snappy", "gzip")), row_group_size=3
        )
    except pa.ArrowException:  # a type that Parquet does not have
        pq.write_table(pa.table({"statement_id": statements}), file)
    return file.getvalue()


def _strange_column(column: pa.Array, chance: Random) -> pa.Array:
    """The same values as another type, or some of them missing or odd."""
    values = column.to_pylist()
    place = chance.randrange(len(values))
    values[place] = chance.choice(
        (None, [], [None], values[0], ["p1", "p1"], [float("nan")], [1e308, 2e308], "")
    )
    kind = chance.choice((column.type, column.type, chance.choice(_TYPES)))
    try:
        return pa.array(values, kind)
    except (pa.ArrowException, TypeError, ValueError):
        return pa.nulls(len(values), kind)


_FORMATS = {".jsonl": _jsonl, ".trec": _trec, ".parquet": _parquet}


@cache
def _others() -> tuple[bytes, ...]:
    chances = (Random(number) for number in range(4))  # noqa: S311 - not for cryptography
    return tuple(write(chance) for chance in chances for write in _FORMATS.values())


def make(chance: Random) -> tuple[str, bytes, bytes | None]:
    """The suffix, the content, and now and then a sidecar."""
    suffix = chance.choice((".jsonl", ".jsonl", ".jsonl.gz", ".trec", ".trec.gz", ".parquet", ".parquet"))
    data = _FORMATS[suffix.removesuffix(".gz")](chance)
    if suffix == ".parquet":
        data = damaged(data, chance, ANY_BYTES) if chance.random() < 0.6 else data
    elif chance.random() < 0.95:
        data = damaged(data, chance, (*LINES, *ANY_BYTES, _put_piece, _put_piece), _others())
    if chance.random() < 0.02:
        data = chance.randbytes(chance.randrange(100))
    if suffix.endswith(".gz"):
        data = gzip.compress(data, 1, mtime=0)
        data = damaged(data, chance, ANY_BYTES) if chance.random() < 0.3 else data
    sidecar = None
    if chance.random() < 0.2:
        sidecar = damaged(json.dumps(_SIDECAR).encode(), chance, (*ANY_BYTES, *LINES, _put_piece))
    return suffix, data, sidecar


def _put_piece(data: bytes, chance: Random) -> bytes:
    place = chance.randrange(len(data) + 1)
    return data[:place] + chance.choice((*_PIECES, *CHARACTERS)) + data[place + chance.randrange(3) :]


def run(submission: tuple[str, bytes, bytes | None], folder: Path) -> str:
    suffix, data, sidecar = submission
    path = folder / f"x{suffix}"
    path.write_bytes(data)
    sidecar_of(path).unlink(missing_ok=True)
    if sidecar is not None:
        sidecar_of(path).write_bytes(sidecar)
        try:
            system = read_system(path)
            check(isinstance(system, System), "no system")
            json.dumps(system.as_dict(), allow_nan=False)
        except ProofmatchError as error:
            check_message(str(error))
    try:
        ranking = rank_file(path, _TASK)
    except ProofmatchError as error:
        check_message(str(error), FAULTS_SHOWN + 2)
        check(str(path) in str(error), f"the file is not named: {error}")
        return "refused"
    ranks, first = ranking.ranks, ranking.first_choices
    check(((ranks == NO_RANK) | ((ranks >= 1) & (ranks <= _N))).all(), f"ranks {ranks}")
    check(((first >= 0) & (first < _N)).all(), f"first choices {first}")
    batches = read_with_ids(path, _TASK)
    rows = [row for batch in batches for row in batch.statement_ids.to_pylist()]
    check(sorted(rows) == sorted(_TASK.statement_ids), "a file with missing or doubled statements was judged")
    scores = [np.asarray(b.scores.flatten()) for b in batches if b.scores is not None]
    check(all(np.isfinite(values).all() for values in scores), "a score that is not finite was accepted")
    return "judged"
