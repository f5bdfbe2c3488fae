"""Reads prediction files in Parquet, in a separate process with little memory.

A Parquet file of a kilobyte can expand to gigabytes, and only its decoder can tell: dictionaries, runs and
sizes of lists expand before they can be counted. So another process decodes the file, and the operating
system allows it no more memory than a valid file needs. That process checks the lengths of lists and ids,
and sends plain rows in small batches.
"""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute generates its functions at run time, where type checkers do not see them.)

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pyarrow.types as types

from proofmatch.errors import one_line, quoted
from proofmatch.workers import die_with_parent

from .prediction_formats import (
    DOUBLES,
    KEYS,
    MOST_FAULTS,
    PROOFS_PER_BATCH,
    STRINGS,
    Fault,
    Limits,
    ParsedBatch,
    PredictionBatch,
    too_long,
)

_MEGABYTES = 512  # of memory for decoding
_VALUES_PER_BATCH = 2**22  # decoded at a time if each row lists every proof
_MOST_ROWS = 512
_BUFFER = 2**20  # bytes; without it a column is read at once
_SCHEMA = pa.schema({"statement_id": pa.string(), "proof_ids": STRINGS, "scores": DOUBLES})
_NO_ROWS = pa.RecordBatch.from_arrays([pa.nulls(0, kind) for kind in _SCHEMA.types], schema=_SCHEMA)
_FAULTS = b"faults"  # in the metadata of the last batch
_PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from proofmatch.evaluation.parquet_reader import serve; serve()"
)


def parse_parquet(file: BinaryIO, limits: Limits) -> Iterator[ParsedBatch]:
    """Read Parquet in batches."""
    arguments = [json.dumps(sys.path), str(os.getpid()), json.dumps(asdict(limits))]
    # Other allocators reserve memory that they do not use.
    environment = {**os.environ, "ARROW_DEFAULT_MEMORY_POOL": "system", "OPENBLAS_NUM_THREADS": "1"}
    with (
        tempfile.TemporaryFile() as errors,
        subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, *arguments],
            stdin=file,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=environment,
        ) as process,
    ):
        try:
            yield from _receive(process, errors)
        finally:
            process.kill()


def _receive(process: subprocess.Popen[bytes], errors: BinaryIO) -> Iterator[ParsedBatch]:
    first, faults = 1, None
    try:
        stream = pa.ipc.open_stream(process.stdout)
        while faults is None:
            batch, metadata = stream.read_next_batch_with_custom_metadata()
            if metadata is not None:
                faults = [Fault(*fault) for fault in json.loads(metadata[_FAULTS])]
            yield _parsed_batch(batch, first, faults or [])
            first += batch.num_rows
    except (pa.ArrowException, OSError, StopIteration):
        if process.wait() > 0:  # a bug of ours
            errors.seek(0)
            raise RuntimeError(errors.read().decode(errors="replace")) from None
        yield _parsed_batch(_NO_ROWS, first, [Fault(first, None, _unreadable("its decoder crashed"))])


def _parsed_batch(batch: pa.RecordBatch, first: int, faults: list[Fault]) -> ParsedBatch:
    """Find nulls; a batch with faults of the file as a whole is the last one."""
    statements, proofs, scores = batch.columns
    found = list(faults)

    def report(rows: np.ndarray, problem: str) -> None:
        found.extend(Fault(first + int(row), statements[int(row)].as_py(), problem) for row in rows)

    unusable = np.zeros(len(batch), dtype=bool)
    for lists, name in ((proofs, "proof_ids"), (scores, "scores")):
        with_null = np.unique(pc.list_parent_indices(lists).filter(lists.flatten().is_null()).to_numpy())
        report(with_null, f"{name} has a null in its list")
        unusable[with_null] = True
    report(np.flatnonzero(proofs.is_null()), "proof_ids is null, not a list of strings")
    named = statements.is_valid()
    report(np.flatnonzero(statements.is_null()), "statement_id is null, not a string")
    proofs = pc.if_else(pa.array(unusable), pa.scalar(None, STRINGS), proofs)
    scores = pc.if_else(pa.array(unusable), pa.scalar(None, DOUBLES), scores)
    rows = PredictionBatch(statements.filter(named), proofs.filter(named), scores.filter(named))
    return ParsedBatch(rows, first + np.flatnonzero(named), found, is_cut=bool(faults))


def _unreadable(reason: str) -> str:
    return f"cannot be read as Parquet ({reason}); write or fetch the file again"


# Code of the other process.


def serve() -> None:
    """Send the rows of the file on standard input as Arrow batches, and faults with the last one."""
    die_with_parent(int(sys.argv[2]))
    limits = Limits(**json.loads(sys.argv[3]))
    pa.set_cpu_count(1)
    _limit_memory(_MEGABYTES * 2**20)
    with pa.ipc.new_stream(sys.stdout.buffer, _SCHEMA) as stream:
        reader = _Reader(limits)
        with open(0, "rb", closefd=False) as file:
            for rows in reader.read(file):
                stream.write_batch(rows)
        metadata = {_FAULTS: json.dumps(reader.faults)}
        stream.write_batch(_NO_ROWS, custom_metadata=metadata)


def _limit_memory(more: int) -> None:
    """Allow this process so many more bytes than it has now; only Linux enforces the limit."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        most = pages * resource.getpagesize() + more
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class _Reader:
    """Reads rows until the first fault of the file as a whole."""

    def __init__(self, limits: Limits) -> None:
        self.faults: list[tuple[int | None, str | None, str]] = []
        self._limits = limits
        self._n_rows = 0

    def read(self, file: BinaryIO) -> Iterator[pa.RecordBatch]:
        """Read plain rows in small batches."""
        try:
            metadata = pq.read_metadata(file)
            for problem in self._problems_of_schema(metadata.schema.to_arrow_schema()):
                self._stop(None, problem)
            for batch in () if self.faults else self._decoded(file, metadata):
                batch.validate(full=True)  # strings may not be UTF-8
                if self._has_long_rows(batch):
                    return
                for rows in _in_small_batches(batch):
                    yield rows
                    self._n_rows += rows.num_rows
        except MemoryError:
            most = f"{_MEGABYTES} MB of memory"
            remedy = "list each proof once per row, and write smaller row groups"
            self._stop(self._n_rows + 1, f"takes more than {most} to read; {remedy}")
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            self._stop(self._n_rows + 1, _unreadable(one_line(str(error))))

    def _stop(self, place: int | None, problem: str) -> None:
        self.faults.append((place, None, problem))

    def _decoded(self, file: BinaryIO, metadata: pq.FileMetaData) -> Iterator[pa.RecordBatch]:
        """Read the rows with dictionary-encoded ids, which take as little memory as they take on disk.

        (The metadata has their number, but pyarrow's objects for it crash the process on a damaged file.)
        """
        paths = (metadata.schema.column(number).path for number in range(metadata.num_columns))
        ids = [path for path in paths if path.partition(".")[0] in KEYS[:2]]
        parquet = pq.ParquetFile(file, metadata=metadata, read_dictionary=ids, buffer_size=_BUFFER)
        n_rows = min(max(_VALUES_PER_BATCH // self._limits.proofs_per_row, 1), _MOST_ROWS)
        # Each row group has its own dictionary, and pyarrow cannot put two of them into one batch.
        for group in range(parquet.num_row_groups):
            yield from parquet.iter_batches(n_rows, row_groups=[group], use_threads=False)

    def _problems_of_schema(self, schema: pa.Schema) -> Iterator[str]:
        names = Counter(schema.names)
        for name in islice(names, MOST_FAULTS):
            if name not in KEYS:
                yield f"unknown column {quoted(name)}; columns are {', '.join(KEYS)}"
            elif names[name] > 1:
                yield f"has the column {name} more than once"
        wanted: dict[str, tuple[str, Callable[[pa.DataType], bool]]] = {
            "statement_id": ("string", _is_string),
            "proof_ids": ("list<string>", lambda type_: _is_list_of(type_, _is_string)),
            "scores": ("list<double>", lambda type_: types.is_null(type_) or _is_list_of(type_, _is_number)),
        }
        for name, (description, fits) in wanted.items():
            type_ = schema.field(name).type if names[name] == 1 else None
            if type_ is not None and not fits(type_):
                yield f"column {name} is {one_line(str(type_))}, not {description}"
            elif (
                type_ is not None
                and types.is_fixed_size_list(type_)
                and type_.list_size > self._limits.proofs_per_row
            ):
                yield f"column {name} has lists of {type_.list_size:,}; {self._most_proofs}"
            elif name not in names and name != "scores":
                yield f"has no column {name}"

    @property
    def _most_proofs(self) -> str:
        return f"a row may list at most {self._limits.proofs_per_row:,} proofs"

    def _has_long_rows(self, batch: pa.RecordBatch) -> bool:
        """Report the first row with too long a list or id."""
        limits, lists = self._limits, batch["proof_ids"]
        for name in set(KEYS[1:]) & set(batch.schema.names):
            lengths = _lengths(batch[name])
            for row in np.flatnonzero(lengths > limits.proofs_per_row)[:1].tolist():
                problem = f"{name} has {lengths[row]:,} values; {self._most_proofs}"
                self._stop(self._n_rows + row + 1, problem)
        rows = np.repeat(np.arange(len(lists)), _lengths(lists))
        for ids, rows_of_ids in (batch["statement_id"], np.arange(len(batch))), (lists.flatten(), rows):
            lengths = _characters(ids)
            for at in np.flatnonzero(lengths > limits.longest_id)[:1].tolist():
                problem = f"an id {too_long(int(lengths[at]), limits)}"
                self._stop(self._n_rows + int(rows_of_ids[at]) + 1, problem)
        return bool(self.faults)


def _lengths(lists: pa.Array) -> np.ndarray:
    return np.asarray(pc.list_value_length(lists).fill_null(0))


def _characters(ids: pa.Array) -> np.ndarray:
    """Count the characters of each id; a null has none."""
    if not types.is_dictionary(ids.type):
        return np.asarray(pc.utf8_length(ids).fill_null(0))
    return np.asarray(pc.utf8_length(ids.dictionary).take(ids.indices).fill_null(0))


def _in_small_batches(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Cut a batch and decode its dictionaries; lists of scores may be as long as lists of proofs."""
    ends = np.cumsum(np.maximum(*(_lengths(batch[name]) for name in ("proof_ids", _scores_of(batch)))))
    start = 0
    while start < batch.num_rows:
        before = ends[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, before + PROOFS_PER_BATCH, side="right")))
        yield _plain(batch.slice(start, stop - start))
        start = stop


def _scores_of(batch: pa.RecordBatch) -> str:
    has_scores = "scores" in batch.schema.names and not types.is_null(batch.schema.field("scores").type)
    return "scores" if has_scores else "proof_ids"


def _plain(batch: pa.RecordBatch) -> pa.RecordBatch:
    scores = pa.nulls(len(batch), DOUBLES) if "scores" not in batch.schema.names else batch["scores"]
    columns = [
        batch["statement_id"].cast(pa.string()),
        _variable_size(batch["proof_ids"]).cast(STRINGS),
        pc.cast(_variable_size(scores), DOUBLES, safe=False),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=_SCHEMA)


def _variable_size(lists: pa.Array) -> pa.Array:
    """Turn lists of a fixed size, in which null lists have values as well, into lists of any size."""
    if not types.is_fixed_size_list(lists.type):
        return lists
    lengths = pa.array(np.concatenate([[0], np.cumsum(_lengths(lists))]), pa.int32())
    return pa.ListArray.from_arrays(lengths, lists.flatten(), mask=lists.is_null())


def _is_string(type_: pa.DataType) -> bool:
    if types.is_dictionary(type_):
        type_ = type_.value_type
    return types.is_string(type_) or types.is_large_string(type_) or types.is_string_view(type_)


def _is_number(type_: pa.DataType) -> bool:
    return types.is_floating(type_) or types.is_integer(type_)


def _is_list_of(type_: pa.DataType, fits: Callable[[pa.DataType], bool]) -> bool:
    is_list = types.is_list(type_) or types.is_large_list(type_) or types.is_fixed_size_list(type_)
    return is_list and fits(type_.value_type)
