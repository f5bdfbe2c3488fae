"""Writing prediction files: all of a file and its sidecar, or nothing."""

import gzip
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from proofmatch.errors import ProofmatchError
from proofmatch.storage import atomic_file

from .batch import PredictionBatch
from .checking import RowChecker
from .faults import FaultList
from .formats import suffix_of
from .numbering import Numbering
from .parsed import DOUBLES, STRINGS, ParsedBatch
from .system import System, sidecar_of


def write_predictions(path: Path, batches: Iterable[PredictionBatch], system: System) -> None:
    """Write a prediction file, in the format that its suffix tells, and `<its name>.system.json` beside it.

    Args:
        path: The file: `.jsonl`, `.jsonl.gz`, `.parquet`, `.trec` or `.trec.gz`.
        batches: The rows; all batches with scores or all without.
        system: What made them.

    Raises:
        ProofmatchError: If the file cannot be written, or a row has a fault for which it would be refused.
    """
    write = _WRITERS[suffix_of(path)]
    with atomic_file(path) as unfinished:
        write(unfinished, _checked(path, batches))
        text = json.dumps(system.as_dict(), indent=2, ensure_ascii=False, allow_nan=False)
        with atomic_file(sidecar_of(path)) as unfinished_sidecar:
            unfinished_sidecar.write_text(text + "\n", encoding="utf-8")


def _checked(path: Path, batches: Iterable[PredictionBatch]) -> Iterator[PredictionBatch]:
    """Check rows as a reader would, so that what is written can be read."""
    faults = FaultList(path, "row")
    checker = RowChecker(Numbering(growing=True), Numbering(growing=True), faults, str(path))
    first = 1
    for batch in batches:
        proofs = batch.proof_ids.cast(STRINGS)
        scores = pa.nulls(len(batch), DOUBLES) if batch.scores is None else batch.scores.cast(DOUBLES)
        rows = PredictionBatch(batch.statement_ids, proofs, scores)
        checker.check(ParsedBatch(rows, first + np.arange(len(batch)), []))
        first += len(batch)
        faults.refuse_if_any()
        yield PredictionBatch(batch.statement_ids, proofs, None if batch.scores is None else scores)
    checker.finish()
    faults.refuse_if_any()


def _write_jsonl(path: Path, batches: Iterable[PredictionBatch]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(_json_lines(batches))


def _write_jsonl_gz(path: Path, batches: Iterable[PredictionBatch]) -> None:
    _write_gz(path, _json_lines(batches))


def _write_trec(path: Path, batches: Iterable[PredictionBatch]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(_trec_lines(batches))


def _write_trec_gz(path: Path, batches: Iterable[PredictionBatch]) -> None:
    _write_gz(path, _trec_lines(batches))


def _write_gz(path: Path, lines: Iterable[str]) -> None:
    # Without name and time, so that equal predictions are equal files.
    with path.open("wb") as file, gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0) as packed:
        packed.writelines(line.encode() for line in lines)


def _write_parquet(path: Path, batches: Iterable[PredictionBatch]) -> None:
    writer = None
    try:
        for batch in batches:
            columns = {"statement_id": batch.statement_ids, "proof_ids": batch.proof_ids}
            if batch.scores is not None:
                columns["scores"] = batch.scores
            table = pa.table(columns)
            writer = writer or pq.ParquetWriter(path, table.schema, compression="zstd")
            writer.write_table(table)
    finally:
        if writer is not None:
            writer.close()


def _json_lines(batches: Iterable[PredictionBatch]) -> Iterator[str]:
    for statement, proofs, scores in _rows(batches):
        row = {"statement_id": statement, "proof_ids": proofs} | (
            {} if scores is None else {"scores": scores}
        )
        yield json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n"


def _trec_lines(batches: Iterable[PredictionBatch]) -> Iterator[str]:
    for statement, proofs, scores in _rows(batches):
        if scores is None:
            raise ProofmatchError("a TREC run file needs scores; write .jsonl or .parquet instead")
        for rank, (proof, score) in enumerate(zip(proofs, scores, strict=True), start=1):
            if len(f"{statement} {proof}".split()) != 2:
                raise ProofmatchError(
                    f"{statement!r} or {proof!r} has white space, which a TREC run cannot hold"
                )
            yield f"{statement} Q0 {proof} {rank} {score!r} proofmatch\n"


def _rows(batches: Iterable[PredictionBatch]) -> Iterator[tuple[str, list[str], list[float] | None]]:
    for batch in batches:
        scores = [None] * len(batch) if batch.scores is None else batch.scores.to_pylist()
        yield from zip(batch.statement_ids.to_pylist(), batch.proof_ids.to_pylist(), scores, strict=True)


_WRITERS: dict[str, Callable[[Path, Iterable[PredictionBatch]], None]] = {
    ".jsonl": _write_jsonl,
    ".jsonl.gz": _write_jsonl_gz,
    ".parquet": _write_parquet,
    ".trec": _write_trec,
    ".trec.gz": _write_trec_gz,
}
