"""Small files that expand to a lot of memory or time, and the resources that evaluating them takes.

python -m tests.attacks.bombs STATEMENTS FILE …
"""

import gzip
import json
import resource
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tests.memory import peak_mb

STATEMENTS = 18_409  # as many as the paper's test set has
_BLOCK = 2**22


def _packed(path: Path, *parts: bytes | tuple[bytes, int]) -> None:
    """Write parts, each repeated so many times, as gzip members; a repeated one is compressed once."""
    with path.open("wb") as file:
        for part in parts:
            data, times = part if isinstance(part, tuple) else (part, 1)
            together = max(1, _BLOCK // len(data))
            file.write(gzip.compress(data * together, 1) * (times // together))
            file.write(gzip.compress(data * (times % together), 1))


def _row(statement: bytes = b'"s0"', proofs: bytes = b'["p0"]', scores: bytes = b"[1]") -> bytes:
    return b'{"statement_id": %s, "proof_ids": %s, "scores": %s}\n' % (statement, proofs, scores)


def _table(path: Path, statements: pa.Array, proofs: pa.Array, scores: pa.Array | None = None) -> None:
    columns = {"statement_id": statements, "proof_ids": proofs}
    pq.write_table(
        pa.table(columns if scores is None else columns | {"scores": scores}), path, compression="zstd"
    )


def _same(value: str, times: int) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(times, np.int32)), pa.array([value]))


def _one_list(values: pa.Array) -> pa.Array:
    return pa.ListArray.from_arrays(pa.array([0, len(values)], pa.int32()), values)


_HEAD, _MIDDLE = b'{"statement_id": "s0", "proof_ids": [', b'"p0"], "scores": ['
_LONG = 60_000_000
BOMBS: dict[str, Callable[[Path], None]] = {
    "long-statement-ids.jsonl.gz": lambda path: _packed(
        path, *[b'{"statement_id": "', (b"s", _LONG), b'", "proof_ids": ["p0"]}\n'] * 20
    ),
    "long-proof-ids.jsonl.gz": lambda path: _packed(
        path, *[_HEAD, b'"', (b"p", _LONG), b'"]}\n'] * 20
    ),
    "scores.jsonl.gz": lambda path: _packed(path, _HEAD, _MIDDLE, (b"0.5,", 31_000_000), b"0]}\n"),
    "proofs.jsonl.gz": lambda path: _packed(path, _HEAD, (b'"ab",', 31_000_000), b'"p0"]}\n'),
    "lists.jsonl.gz": lambda path: _packed(path, _HEAD, (b"[],", 31_000_000), b"[]]}\n"),
    "keys.jsonl.gz": lambda path: _packed(
        path, b"{" + b",".join(b'"%d":0' % number for number in range(80_000)) + b',"79999":0}\n'
    ),
    "nesting.jsonl.gz": lambda path: _packed(path, _HEAD, (b"[", _LONG), b"\n"),
    "digits.jsonl.gz": lambda path: _packed(path, _HEAD, _MIDDLE, (b"9", _LONG), b"]}\n"),
    "endless-line.jsonl.gz": lambda path: _packed(path, (b"x", 4_000_000_000)),
    "faulty-lines.jsonl.gz": lambda path: _packed(path, (b"x\n", 100_000_000)),
    "blank-lines.jsonl.gz": lambda path: _packed(path, (b"\n", 100_000_000)),
    "unknown-statements.jsonl.gz": lambda path: _packed(path, (_row(b'"nobody"'), 20_000_000)),
    "repeated-statements.jsonl.gz": lambda path: _packed(path, (_row(), 20_000_000)),
    "proofs.trec.gz": lambda path: _packed(path, (b"s0 Q0 p0 1 0.5 x\n", 100_000_000)),
    "endless-line.trec.gz": lambda path: _packed(path, (b"x", 4_000_000_000)),
    "faulty-lines.trec.gz": lambda path: _packed(path, (b"s0 Q0 p0\n", 100_000_000)),
    "proofs.parquet": lambda path: _table(path, pa.array(["s0"]), _one_list(_same("p0", 60_000_000))),
    "scores.parquet": lambda path: _table(
        path, pa.array(["s0"]), pa.array([["p0"]]), _one_list(pa.array(np.zeros(100_000_000)))
    ),
    "long-statement-ids.parquet": lambda path: _table(
        path, _same("s" * _LONG, 512), pa.array([["p0"]] * 512)
    ),
    "long-proof-ids.parquet": lambda path: _table(
        path, pa.array(["s0"]), _one_list(_same("p" * _LONG, 10_000))
    ),
    "rows.parquet": lambda path: _table(
        path, _same("s0", 20_000_000), pa.nulls(20_000_000, pa.list_(pa.string()))
    ),
    "fixed-size.parquet": lambda path: _fixed_size(path, 2**30),
}  # fmt: skip


def _fixed_size(path: Path, size: int) -> None:
    """Write a null list whose type has so many values; only the schema in the metadata tells."""
    rows = pa.table({"statement_id": ["s0"], "proof_ids": pa.nulls(1, pa.list_(pa.string()))})
    claimed = pa.schema({"statement_id": pa.string(), "proof_ids": pa.list_(pa.string(), size)})
    pq.write_table(rows, path, store_schema=False)
    from base64 import b64encode

    metadata = {b"ARROW:schema": b64encode(claimed.serialize().to_pybytes())}
    with pq.ParquetWriter(path, rows.schema, store_schema=False) as writer:
        writer.write_table(rows)
        writer.add_key_value_metadata(metadata)


def evaluate(paths: Iterable[Path], n: int) -> Iterable[dict[str, object]]:
    """Evaluate files one after the other: what is said, how long it takes, and the peak of memory so far."""
    from proofmatch.errors import ProofmatchError
    from proofmatch.evaluation.evaluator import evaluate_file
    from proofmatch.evaluation.system import System
    from tests.evaluation.tasks import make_task

    task = make_task(n)
    for path in paths:
        start = time.perf_counter()
        try:
            said = f"mrr {evaluate_file(path, task, System('x')).measures.mrr}"
            kind = "scored"
        except Exception as error:
            said, kind = str(error), type(error).__name__
        refused = kind == ProofmatchError.__name__
        # The peak of a child may include what this process had when it started the child.
        child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        yield {
            "file": path.name,
            "kb": path.stat().st_size / 1000,
            "refused": refused,
            "said": said[:2000] if refused else f"{kind}: {said}"[:300],
            "seconds": time.perf_counter() - start,
            "peak_mb": peak_mb() + child,
        }


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))  # of what is tested, nothing comes near
    for found in evaluate(map(Path, sys.argv[2:]), int(sys.argv[1])):
        print(json.dumps(found), flush=True)
