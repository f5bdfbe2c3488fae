"""The formats of prediction files, chosen by suffix: JSON Lines, TREC runs and Parquet.

`parquet_reader.py` reads Parquet, and this module the others. Readers check the types in a row and
report the faults they find; `predictions.py` checks everything else.
"""

import gzip
import json
import math
import sys
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby, islice
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from proofmatch.errors import ProofmatchError, quoted

SUFFIXES = (".jsonl", ".jsonl.gz", ".parquet", ".trec", ".trec.gz")
FAULTS_SHOWN = 20
MOST_FAULTS = 1000  # reading stops there
PROOFS_PER_BATCH = 2**18
STRINGS = pa.list_(pa.string())
DOUBLES = pa.list_(pa.float64())

KEYS = ("statement_id", "proof_ids", "scores")
_TREC_FIELDS = "statement Q0 proof rank score tag"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_ROWS_PER_BATCH = 4096
_BYTES_PER_BATCH = 2**24  # of lines
_HARMLESS_LINE = 2**20  # bytes


@dataclass(frozen=True, slots=True)
class PredictionBatch:
    """Some rows of a prediction file."""

    statement_ids: pa.Array  # a string per row
    proof_ids: pa.ListArray  # a list of strings per row, best first
    scores: pa.ListArray | None  # a list of doubles per row, as long as the list of proofs

    def __len__(self) -> int:
        return len(self.statement_ids)


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits for a row, so that no file needs more memory than a valid one.

    With a limit on faults, they bound the whole file: each row beyond the number of statements is a fault.
    """

    longest_id: int  # characters
    proofs_per_row: int
    bytes_per_id: int  # in JSON
    commas_per_id: int
    where: str  # what has these limits, for messages

    @classmethod
    def of_task(cls, statement_ids: Sequence[str], proof_ids: Sequence[str], where: str) -> "Limits":
        """Derive limits from the ids of a task, with slack for faults that other checks explain better."""
        longest, commas, is_ascii = 0, 0, True
        for id_ in chain(statement_ids, proof_ids):
            longest, commas = max(longest, len(id_)), max(commas, id_.count(","))
            is_ascii = is_ascii and id_.isascii()
        n_bytes = longest if is_ascii else 12 * longest
        return cls(max(longest, 256), max(len(proof_ids), 2**14), n_bytes, commas, where)

    @classmethod
    def without_task(cls) -> "Limits":
        """Limits for a file whose task is unknown."""
        return cls(256, 2**19, 64, 0, "a prediction file without its task")

    @property
    def longest_row(self) -> int:
        """The largest number of bytes of a row of JSON; a number has up to 25."""
        return max(2**20, (self.proofs_per_row + 2) * (self.bytes_per_id + 40))

    @property
    def most_commas(self) -> int:
        """The largest number of commas of a row of JSON."""
        return (2 + self.commas_per_id) * self.proofs_per_row + 16

    @property
    def longest_trec_line(self) -> int:
        """The largest number of bytes of a line of a TREC run: a character is up to 4."""
        return 8 * self.longest_id + 4096


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of a prediction file."""

    place: int | None  # the line or row, counted from 1; None for the file as a whole
    statement: str | None  # the statement's id, if known
    problem: str  # what is wrong, and how to correct it


@dataclass(frozen=True, slots=True)
class ParsedBatch:
    """Some rows with the right types, and the faults of the others."""

    rows: PredictionBatch  # proofs of a faulty row are null, and so are scores that the file does not have
    places: np.ndarray  # the line or row of each, counted from 1
    faults: list[Fault]  # the faults found so far, in these rows and in lines that are not among them
    n_more_faults: int = 0  # number of further faults that are not listed
    is_cut: bool = False  # whether reading stopped here, before the end of the file


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


def looks_like_predictions(path: Path, suffix: str) -> bool:
    """Tell from its first line or its columns whether a file looks like predictions, faulty or not."""
    if suffix == ".parquet":
        return {*KEYS[:2]} <= set(pq.read_schema(path).names)
    with gzip.open(path) if suffix.endswith(".gz") else path.open("rb") as file:
        line = file.readline(_HARMLESS_LINE)
    return b'"proof_ids"' in line if suffix.startswith(".jsonl") else len(line.split()) == 6


def write_file(path: Path, suffix: str, batches: Iterable[PredictionBatch]) -> None:
    """Write batches to a file in the format of a suffix; the file itself may have another."""
    if suffix == ".parquet":
        _write_parquet(path, batches)
        return
    lines = (json_lines if suffix.startswith(".jsonl") else _trec_lines)(batches)
    if not suffix.endswith(".gz"):
        with path.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(lines)
        return
    # Without name and time, so that equal predictions give equal files.
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
    n_bytes: int = 0  # of lines
    n_faults: int = 0  # since the beginning of the file
    is_cut: bool = False  # whether reading stopped

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
        """Add a fault; faults that will not be shown are only counted."""
        self.n_faults += 1
        if len(self.faults) < FAULTS_SHOWN:
            self.faults.append(Fault(place, statement, problem))
        else:
            self.n_more_faults += 1

    def stop(self, place: int | None, problem: str) -> None:
        """Add a fault after which nothing more is read."""
        self.add_fault(place, problem)
        self.is_cut = True

    @property
    def is_full(self) -> bool:
        return (
            self.n_proofs >= PROOFS_PER_BATCH
            or len(self.places) >= _ROWS_PER_BATCH
            or self.n_bytes >= _BYTES_PER_BATCH
        )

    def take(self) -> ParsedBatch:
        """Return what was collected and start over."""
        rows = PredictionBatch(
            pa.array(self.statements, pa.string()),
            pa.array(self.proofs, STRINGS),
            pa.array(self.scores, DOUBLES),
        )
        places = np.array(self.places, dtype=np.int64)
        batch = ParsedBatch(
            rows, places, self.faults, self.n_more_faults, self.is_cut or self.n_faults >= MOST_FAULTS
        )
        self.places, self.statements, self.proofs, self.scores, self.faults = [], [], [], [], []
        self.n_more_faults = self.n_proofs = self.n_bytes = 0
        return batch


def _read_lines(file: BinaryIO, collector: _RowCollector, longest: int) -> Iterator[tuple[int, str]]:
    """Read the lines that are text, numbered from 1, and report the others to the collector."""
    number = 0
    while collector.n_faults < MOST_FAULTS:
        try:
            line = file.readline(longest + 1)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            problem = f"compressed data is damaged or cut off ({error}); compress or fetch the file again"
            collector.stop(number + 1, problem)
            return
        if not line:
            return
        number += 1
        if len(line) > longest:
            most = f"{longest:,} bytes"
            collector.stop(number, f"longer than {most}, where reading stopped; write one row per line")
            return
        collector.n_bytes += len(line)
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


def _kind(value: object) -> str:
    """Name the JSON type of a value."""
    return _KINDS.get(type(value)) or f"a {type(value).__name__}"


def parse_jsonl(file: BinaryIO, limits: Limits) -> Iterator[ParsedBatch]:
    """Read JSON Lines in batches."""
    collector = _RowCollector()
    most_commas = limits.most_commas
    for number, line in _read_lines(file, collector, limits.longest_row):
        if number == 1 and line.lstrip().startswith("["):
            problem = "begins a JSON array; write one object per line, without brackets and commas"
            collector.stop(1, problem)
            break
        # Values take much more memory than text.
        if len(line) > _HARMLESS_LINE and line.count(",") > most_commas:
            collector.add_fault(number, f"has more values than {limits.proofs_per_row:,} proofs and scores")
            continue
        try:
            row = json.loads(line, object_pairs_hook=_object)
        except RecursionError:
            collector.add_fault(number, "is nested too deeply")
        except ValueError as error:
            collector.add_fault(number, _why_not_json(error))
        else:
            _add_json_row(collector, number, row, limits)
        if collector.is_full:
            yield collector.take()
    yield collector.take()


def parse_rows(rows: Iterable[tuple[int, object]], limits: Limits) -> Iterator[ParsedBatch]:
    """Read rows that are already objects, each with its place, as strictly as the rows of a file."""
    collector = _RowCollector()
    for place, row in rows:
        _add_json_row(collector, place, row, limits)
        if collector.is_full or collector.n_faults >= MOST_FAULTS:
            yield collector.take()
        if collector.n_faults >= MOST_FAULTS:
            return
    yield collector.take()


def _add_json_row(collector: _RowCollector, number: int, row: object, limits: Limits) -> None:
    if not isinstance(row, dict):
        collector.add_fault(number, f"is {_kind(row)}, not an object")
        return
    statement = row.get("statement_id")
    known = statement if isinstance(statement, str) and _is_unicode([statement]) else None
    if known is not None and len(known) > limits.longest_id:
        collector.add_fault(number, f"statement_id {too_long(len(known), limits)}", known)
        return
    problems = list(islice(_problems_of_row(row, limits), MOST_FAULTS))
    for problem in problems:
        collector.add_fault(number, problem, known)
    if known is not None:
        proofs, scores = (None, None) if problems else (row["proof_ids"], row.get("scores"))
        collector.add_row(number, known, proofs, _floats(scores) if scores is not None else None)


def too_long(length: int, limits: Limits) -> str:
    """Say that an id is longer than any id can be."""
    return f"has {length:,} characters; no id of {limits.where} has more than {limits.longest_id:,}"


def _problems_of_row(row: dict[str, Any], limits: Limits) -> Iterator[str]:
    for key in row:
        if key not in KEYS:
            yield f"unknown key {quoted(key)}; keys are {', '.join(KEYS)}"
    for key in KEYS[:2]:
        if key not in row:
            yield f"has no {key}"
    if "statement_id" in row and not isinstance(row["statement_id"], str):
        yield f"statement_id is {_kind(row['statement_id'])}, not a string"
    elif "statement_id" in row and not _is_unicode([row["statement_id"]]):
        yield "statement_id is not Unicode: it has half of a surrogate pair"
    if "proof_ids" in row:
        problems = list(_problems_of_list("proof_ids", row["proof_ids"], {str}, "strings"))
        longest = 0 if problems else max(map(len, row["proof_ids"]), default=0)
        if longest > limits.longest_id:
            problems.append(f"a proof id {too_long(longest, limits)}")
        yield from problems
    if row.get("scores") is not None:
        yield from _problems_of_list("scores", row["scores"], {float, int}, "numbers")


def _problems_of_list(key: str, values: object, allowed: set[type], what: str) -> Iterator[str]:
    if not isinstance(values, list):
        yield f"{key} is {_kind(values)}, not a list of {what}"
    elif not set(map(type, values)) <= allowed:
        at = next(at for at, value in enumerate(values) if type(value) not in allowed)
        yield f"{key} must be {what}, but number {at + 1} is {_kind(values[at])}"
    elif str in allowed and not _is_unicode(values):
        yield f"{key} has an id that is not Unicode: it has half of a surrogate pair"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        seen: set[str] = set()
        repeated = next(key for key, _ in pairs if key in seen or seen.add(key))
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


def json_lines(batches: Iterable[PredictionBatch], *, allow_nan: bool = False) -> Iterator[str]:
    """Write rows as the lines of a JSON Lines file."""
    for statement, proofs, scores in _python_rows(batches):
        row = {"statement_id": statement, "proof_ids": proofs}
        if scores is not None:
            row["scores"] = scores
        yield json.dumps(row, ensure_ascii=False, allow_nan=allow_nan) + "\n"


# TREC runs: one proof per line. As in trec_eval, the score orders the proofs and the rank is ignored. Unlike
# trec_eval, we break ties by our own rule, against the gold proof, and not by the proofs' ids.


def parse_trec(file: BinaryIO, limits: Limits) -> Iterator[ParsedBatch]:
    """Read a TREC run in batches; the lines of a statement must follow each other."""
    collector = _RowCollector()
    fields = _trec_fields(file, collector, limits.longest_trec_line)
    for statement, lines in groupby(fields, key=lambda line: line[1]):
        numbers, _, proofs, scores = zip(*islice(lines, limits.proofs_per_row + 1), strict=True)
        for number, *_ in islice(lines, MOST_FAULTS):
            collector.add_fault(number, f"is one of more than {limits.proofs_per_row:,} of its statement")
        # Stable: among equal scores, the first in the file is the first choice.
        best_first = sorted(range(len(scores)), key=lambda at: -scores[at])
        collector.add_row(
            numbers[0], statement, [proofs[at] for at in best_first], [scores[at] for at in best_first]
        )
        if collector.is_full:
            yield collector.take()
    yield collector.take()


def _trec_fields(
    file: BinaryIO, collector: _RowCollector, longest: int
) -> Iterator[tuple[int, str, str, float]]:
    for number, line in _read_lines(file, collector, longest):
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
