"""The formats of prediction files: JSON Lines, Parquet and TREC runs, chosen by suffix.

Readers check the types in a row and report the faults they find; `predictions.py` checks everything else.
"""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute makes its functions at run time, where a type checker does not see them.)

import gzip
import json
import math
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pyarrow.types as types

from proofmatch.errors import ProofmatchError, one_line, quoted

SUFFIXES = (".jsonl", ".jsonl.gz", ".parquet", ".trec", ".trec.gz")
FAULTS_SHOWN = 20
STRINGS = pa.list_(pa.string())
DOUBLES = pa.list_(pa.float64())

_KEYS = ("statement_id", "proof_ids", "scores")
_TREC_FIELDS = "statement Q0 proof rank score tag"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_LONGEST_LINE = 2**26  # bytes; a row with 1.5 million proofs
_ROWS_PER_BATCH = 4096
_PROOFS_PER_BATCH = 2**18
_PARQUET_ROWS_PER_BATCH = 512
_MOST_BYTES_OF_IDS = 1 << 30  # in a batch of Parquet


@dataclass(frozen=True, slots=True)
class PredictionBatch:
    """Some rows of a prediction file."""

    statement_ids: pa.Array  # a string per row
    proof_ids: pa.ListArray  # a list of strings per row, best first
    scores: pa.ListArray | None  # a list of doubles per row, as long as that of the proofs

    def __len__(self) -> int:
        return len(self.statement_ids)


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of a prediction file."""

    place: int | None  # the line or row, counted from 1; None for the file as a whole
    statement: str | None  # the statement's id, if known
    problem: str  # what is wrong, and how to correct it


@dataclass(frozen=True, slots=True)
class ParsedBatch:
    """Some rows whose types are right, and the faults of the others."""

    rows: PredictionBatch  # proofs of a faulty row are null, and so are scores that the file does not have
    places: np.ndarray  # the line or row of each, counted from 1
    faults: list[Fault]  # the faults found so far, in these rows and in lines that are not among them
    n_more_faults: int = 0  # number of further faults that are not listed


def suffix_of(path: Path) -> str:
    """Find the suffix, one of `SUFFIXES`, that determines the format."""
    for suffix in SUFFIXES:
        if path.name.endswith(suffix) and path.name != suffix:
            return suffix
    raise ProofmatchError(
        f"{path} is not named like a prediction file; name it with one of {', '.join(SUFFIXES)}"
    )


def stem_of(path: Path) -> str:
    """Return the name of a prediction file without its suffix."""
    return path.name.removesuffix(suffix_of(path))


def place_unit(path: Path) -> str:
    """Name what a place in the file is: `line` or `row`."""
    return "row" if suffix_of(path) == ".parquet" else "line"


def parse_file(path: Path) -> Iterator[ParsedBatch]:
    """Read a prediction file in batches, in the format of its suffix."""
    parsers = {".jsonl": _parse_jsonl, ".parquet": _parse_parquet, ".trec": _parse_trec}
    parse = parsers[suffix_of(path).removesuffix(".gz")]
    try:
        with path.open("rb") as file:
            yield from parse(cast(BinaryIO, gzip.GzipFile(fileobj=file)) if path.suffix == ".gz" else file)
    except OSError as error:
        raise ProofmatchError(f"{path} cannot be read ({error.strerror or error})") from None


def write_file(path: Path, suffix: str, batches: Iterable[PredictionBatch]) -> None:
    """Write batches to a file in the format of a suffix; the file itself may have another."""
    if suffix == ".parquet":
        _write_parquet(path, batches)
        return
    lines = (_json_lines if suffix.startswith(".jsonl") else _trec_lines)(batches)
    if not suffix.endswith(".gz"):
        with path.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(lines)
        return
    # Without name and time, so that equal predictions are equal files.
    with path.open("wb") as file, gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0) as packed:
        packed.writelines(line.encode() for line in lines)


@dataclass(slots=True)
class _RowCollector:
    """Collects rows until there are enough for a batch."""

    places: list[int] = field(default_factory=list)
    statements: list[str] = field(default_factory=list)
    proofs: list[list[str] | None] = field(default_factory=list)
    scores: list[list[float] | None] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    n_more_faults: int = 0
    n_proofs: int = 0

    def add_row(
        self, place: int, statement: str, proofs: list[str] | None, scores: list[float] | None
    ) -> None:
        """Add a row; one without proofs is faulty."""
        self.places.append(place)
        self.statements.append(statement)
        self.proofs.append(proofs)
        self.scores.append(scores)
        self.n_proofs += len(proofs or ())

    def add_fault(self, place: int | None, problem: str, statement: str | None = None) -> None:
        """Add a fault; those that will not be shown are only counted."""
        if len(self.faults) < FAULTS_SHOWN:
            self.faults.append(Fault(place, statement, problem))
        else:
            self.n_more_faults += 1

    @property
    def is_full(self) -> bool:
        return self.n_proofs >= _PROOFS_PER_BATCH or len(self.places) >= _ROWS_PER_BATCH

    def take(self) -> ParsedBatch:
        """Return what was collected and start over."""
        rows = PredictionBatch(
            pa.array(self.statements, pa.string()),
            pa.array(self.proofs, STRINGS),
            pa.array(self.scores, DOUBLES),
        )
        batch = ParsedBatch(rows, np.array(self.places, dtype=np.int64), self.faults, self.n_more_faults)
        self.places, self.statements, self.proofs, self.scores, self.faults = [], [], [], [], []
        self.n_more_faults = self.n_proofs = 0
        return batch


def _read_lines(file: BinaryIO, collector: _RowCollector) -> Iterator[tuple[int, str]]:
    """Read the lines that are text, numbered from 1, and report the others to the collector."""
    number = 0
    while True:
        try:
            line = file.readline(_LONGEST_LINE)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            problem = f"compressed data is damaged or cut off ({error}); compress or fetch the file again"
            collector.add_fault(number + 1, problem)
            return
        if not line:
            return
        number += 1
        if len(line) == _LONGEST_LINE and not line.endswith(b"\n"):
            most = f"{_LONGEST_LINE >> 20} MB"
            collector.add_fault(number, f"longer than {most}, where reading stopped; write one row per line")
            return
        if number == 1 and line.startswith(_BYTE_ORDER_MARK):
            collector.add_fault(1, "begins with a byte order mark; save the file as UTF-8 without one")
            line = line.removeprefix(_BYTE_ORDER_MARK)
        if not line.strip():
            collector.add_fault(number, "is blank; remove it")
            continue
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError as error:
            collector.add_fault(number, f"byte {error.start + 1} is not UTF-8; save the file as UTF-8")
            continue
        yield number, text


# JSON Lines: one object per line.

_KINDS = {
    dict: "an object", list: "a list", str: "a string", int: "a number", float: "a number", bool: "a boolean",
    type(None): "null",
}  # fmt: skip


def _parse_jsonl(file: BinaryIO) -> Iterator[ParsedBatch]:
    collector = _RowCollector()
    for number, line in _read_lines(file, collector):
        if number == 1 and line.lstrip().startswith("["):
            problem = "begins a JSON array; write one object per line, without brackets and commas"
            collector.add_fault(1, problem)
            break
        try:
            row = json.loads(line, object_pairs_hook=_object)
        except RecursionError:
            collector.add_fault(number, "is nested too deeply")
        except ValueError as error:
            collector.add_fault(number, _why_not_json(error))
        else:
            _add_json_row(collector, number, row)
        if collector.is_full:
            yield collector.take()
    yield collector.take()


def _add_json_row(collector: _RowCollector, number: int, row: object) -> None:
    if not isinstance(row, dict):
        collector.add_fault(number, f"is {_KINDS[type(row)]}, not an object")
        return
    statement = row.get("statement_id")
    known = statement if isinstance(statement, str) and _is_unicode([statement]) else None
    problems = list(_problems_of_row(row))
    for problem in problems:
        collector.add_fault(number, problem, known)
    if known is not None:
        proofs, scores = (None, None) if problems else (row["proof_ids"], row.get("scores"))
        collector.add_row(number, known, proofs, _floats(scores) if scores is not None else None)


def _problems_of_row(row: dict[str, Any]) -> Iterator[str]:
    for key in row:
        if key not in _KEYS:
            yield f"unknown key {quoted(key)}; keys are {', '.join(_KEYS)}"
    for key in _KEYS[:2]:
        if key not in row:
            yield f"has no {key}"
    if "statement_id" in row and not isinstance(row["statement_id"], str):
        yield f"statement_id is {_KINDS[type(row['statement_id'])]}, not a string"
    elif "statement_id" in row and not _is_unicode([row["statement_id"]]):
        yield "statement_id is not Unicode: it has half of a surrogate pair"
    if "proof_ids" in row:
        yield from _problems_of_list("proof_ids", row["proof_ids"], {str}, "strings")
    if row.get("scores") is not None:
        yield from _problems_of_list("scores", row["scores"], {float, int}, "numbers")


def _problems_of_list(key: str, values: object, allowed: set[type], what: str) -> Iterator[str]:
    if not isinstance(values, list):
        yield f"{key} is {_KINDS[type(values)]}, not a list of {what}"
    elif not set(map(type, values)) <= allowed:
        at = next(at for at, value in enumerate(values) if type(value) not in allowed)
        yield f"{key} must be {what}, but number {at + 1} is {_KINDS[type(values[at])]}"
    elif str in allowed and not _is_unicode(values):
        yield f"{key} has an id that is not Unicode: it has half of a surrogate pair"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"has the key {quoted(repeated)} more than once")
    return made


def _why_not_json(error: ValueError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"is not JSON: {error.msg} at character {error.pos + 1}"
    if "integer string conversion" in str(error):
        return "has a number of thousands of digits"
    return str(error)


def _is_unicode(ids: list[str]) -> bool:
    try:
        "".join(ids).encode()
    except UnicodeEncodeError:
        return False
    return True


def _floats(scores: list[float]) -> list[float]:
    """Convert integers; one that is too large for a double becomes infinite, as 1e999 does."""
    if int not in set(map(type, scores)):
        return scores
    try:
        return list(map(float, scores))
    except OverflowError:
        return [math.inf if abs(score) > sys.float_info.max else float(score) for score in scores]


def _json_lines(batches: Iterable[PredictionBatch]) -> Iterator[str]:
    for statement, proofs, scores in _python_rows(batches):
        row = {"statement_id": statement, "proof_ids": proofs}
        if scores is not None:
            row["scores"] = scores
        yield json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n"


# TREC runs: one proof per line. As in trec_eval the score orders the proofs and the rank is ignored. Unlike
# there, ties are decided by our rule, against the gold proof, and not by the proofs' names.


def _parse_trec(file: BinaryIO) -> Iterator[ParsedBatch]:
    """Read rows; the lines of a statement must follow each other."""
    collector = _RowCollector()
    for statement, lines in groupby(_trec_fields(file, collector), key=lambda line: line[1]):
        numbers, _, proofs, scores = zip(*lines, strict=True)
        # Stable: of equal scores the first in the file is the first choice.
        best_first = sorted(range(len(scores)), key=lambda at: -scores[at])
        collector.add_row(
            numbers[0], statement, [proofs[at] for at in best_first], [scores[at] for at in best_first]
        )
        if collector.is_full:
            yield collector.take()
    yield collector.take()


def _trec_fields(file: BinaryIO, collector: _RowCollector) -> Iterator[tuple[int, str, str, float]]:
    for number, line in _read_lines(file, collector):
        fields = line.split()
        if len(fields) != 6:
            collector.add_fault(number, f"has {len(fields)} fields, not the six {_TREC_FIELDS}")
            continue
        statement, _, proof, _, score, _ = fields
        value = _finite_number(score)
        if value is None:
            collector.add_fault(number, f"the score {quoted(score)} is not a finite number", statement)
        else:
            yield number, statement, proof, value


def _finite_number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    # Only Python reads 1_000 as a number.
    return value if math.isfinite(value) and "_" not in text else None


def _trec_lines(batches: Iterable[PredictionBatch]) -> Iterator[str]:
    for statement, proofs, scores in _python_rows(batches):
        if scores is None:
            raise ProofmatchError("a TREC run file needs scores; write .jsonl or .parquet instead")
        for rank, (proof, score) in enumerate(zip(proofs, scores, strict=True), start=1):
            if len(f"{statement} {proof}".split()) != 2:
                raise ProofmatchError(
                    f"{statement!r} or {proof!r} has white space, which a TREC run cannot hold"
                )
            yield f"{statement} Q0 {proof} {rank} {score!r} proofmatch\n"


def _python_rows(batches: Iterable[PredictionBatch]) -> Iterator[tuple[str, list[str], list[float] | None]]:
    for batch in batches:
        scores = [None] * len(batch) if batch.scores is None else batch.scores.to_pylist()
        yield from zip(batch.statement_ids.to_pylist(), batch.proof_ids.to_pylist(), scores, strict=True)


# Parquet: one row per statement.


def _parse_parquet(file: BinaryIO) -> Iterator[ParsedBatch]:
    collector, first = _RowCollector(), 1
    try:
        metadata = pq.read_metadata(file)
        for problem in _problems_of_schema(metadata.schema.to_arrow_schema()):
            collector.add_fault(None, problem)
        for batch in () if collector.faults else _parquet_batches(file, metadata):
            batch.validate(full=True)  # strings may not be UTF-8
            if _bytes_of_ids(batch) > _MOST_BYTES_OF_IDS:
                collector.add_fault(first, "its ids take gigabytes; give each proof once, by its id")
                break
            yield _parsed_batch(batch, first)
            first += batch.num_rows
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = one_line(str(error))
        collector.add_fault(first, f"cannot be read as Parquet ({reason}); write or fetch the file again")
    yield collector.take()


def _parquet_batches(file: BinaryIO, metadata: pq.FileMetaData) -> Iterator[pa.RecordBatch]:
    """Read the rows with dictionary-encoded ids, which take as little memory as they take on disk.

    (The metadata has their number, but pyarrow's objects for it crash the process on a damaged file.)
    """
    paths = (metadata.schema.column(number).path for number in range(metadata.num_columns))
    id_columns = [path for path in paths if path.startswith("proof_ids.")]
    parquet = pq.ParquetFile(file, metadata=metadata, read_dictionary=id_columns)
    # Each row group has its own dictionary, and pyarrow cannot put two of them into one batch.
    for group in range(parquet.num_row_groups):
        yield from parquet.iter_batches(_PARQUET_ROWS_PER_BATCH, row_groups=[group])


def _problems_of_schema(schema: pa.Schema) -> Iterator[str]:
    for name in schema.names:
        if name not in _KEYS:
            yield f"unknown column {quoted(name)}; columns are {', '.join(_KEYS)}"
        elif schema.names.count(name) > 1:
            yield f"has the column {name} more than once"
    wanted: dict[str, tuple[str, Callable[[pa.DataType], bool]]] = {
        "statement_id": ("string", _is_string),
        "proof_ids": ("list<string>", lambda type_: _is_list_of(type_, _is_string)),
        "scores": ("list<double>", lambda type_: types.is_null(type_) or _is_list_of(type_, _is_number)),
    }
    for name, (description, fits) in wanted.items():
        if schema.names.count(name) == 1 and not fits(schema.field(name).type):
            yield f"column {name} is {one_line(str(schema.field(name).type))}, not {description}"
        elif name not in schema.names and name != "scores":
            yield f"has no column {name}"


def _is_string(type_: pa.DataType) -> bool:
    if types.is_dictionary(type_):
        type_ = type_.value_type
    return types.is_string(type_) or types.is_large_string(type_) or types.is_string_view(type_)


def _is_number(type_: pa.DataType) -> bool:
    return types.is_floating(type_) or types.is_integer(type_)


def _is_list_of(type_: pa.DataType, fits: Callable[[pa.DataType], bool]) -> bool:
    is_list = types.is_list(type_) or types.is_large_list(type_) or types.is_fixed_size_list(type_)
    return is_list and fits(type_.value_type)


def _bytes_of_ids(batch: pa.RecordBatch) -> int:
    """Compute how many bytes the ids of proofs would take without a dictionary."""
    ids = batch["proof_ids"].flatten()
    if not types.is_dictionary(ids.type):
        return ids.nbytes
    lengths = pc.binary_length(ids.dictionary)
    return pc.sum(lengths.take(ids.indices)).as_py() or 0


def _parsed_batch(batch: pa.RecordBatch, first: int) -> ParsedBatch:
    statements = batch["statement_id"].cast(pa.string())
    proofs = _variable_size(batch["proof_ids"]).cast(STRINGS)
    scores = pa.nulls(len(batch), DOUBLES) if "scores" not in batch.schema.names else batch["scores"]
    scores = pc.cast(_variable_size(scores), DOUBLES, safe=False)
    faults: list[Fault] = []

    def report(rows: np.ndarray, problem: str) -> None:
        faults.extend(Fault(first + int(row), statements[int(row)].as_py(), problem) for row in rows)

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
    return ParsedBatch(rows, first + np.flatnonzero(named), faults)


def _variable_size(lists: pa.Array) -> pa.Array:
    """Turn lists of a fixed size, in which null lists have values as well, into lists of any size."""
    if not types.is_fixed_size_list(lists.type):
        return lists
    return pa.array(lists.to_pylist(), pa.list_(lists.type.value_type))


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
