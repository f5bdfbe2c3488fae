"""Parquet: a row a statement."""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute makes its functions at run time, where a type checker does not see them.)

from collections.abc import Callable, Iterator
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pyarrow.types as types

from .batch import PredictionBatch
from .faults import Fault, one_line, quoted
from .jsonl import KEYS
from .parsed import DOUBLES, STRINGS, ParsedBatch

_ROWS_PER_BATCH = 512
_MOST_BYTES = 1 << 30  # of the ids of a batch


def parse_parquet(file: BinaryIO) -> Iterator[ParsedBatch]:
    """Read rows, a batch at a time."""
    first = 1
    try:
        metadata = pq.read_metadata(file)
        problems = list(_problems_of_schema(metadata.schema.to_arrow_schema()))
        if problems:
            yield _nothing([Fault(None, None, problem) for problem in problems])
            return
        for batch in _batches(file, metadata):
            batch.validate(full=True)  # text may be none
            if _bytes_of_ids(batch) > _MOST_BYTES:
                yield _nothing(
                    [Fault(first, None, "its ids take gigabytes; give each proof once, by its id")]
                )
                return
            yield _parsed(batch, first)
            first += batch.num_rows
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = one_line(str(error))
        yield _nothing(
            [Fault(first, None, f"cannot be read as Parquet ({reason}); write or fetch the file again")]
        )


def _batches(file: BinaryIO, metadata: pq.FileMetaData) -> Iterator[pa.RecordBatch]:
    """Read the rows; equal ids, which are stored once, take up room once.

    (How many there are, the metadata tell, but of a damaged file pyarrow's objects for it end the process.)
    """
    parquet = pq.ParquetFile(file, metadata=metadata, read_dictionary=list(_leaves_of_ids(metadata)))
    # Each row group has a dictionary of its own, and pyarrow cannot put two of them into one batch.
    for group in range(parquet.num_row_groups):
        yield from parquet.iter_batches(_ROWS_PER_BATCH, row_groups=[group])


def _problems_of_schema(schema: pa.Schema) -> Iterator[str]:
    for name in schema.names:
        if name not in KEYS:
            yield f"unknown column {quoted(name)}; columns are {', '.join(KEYS)}"
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


def _leaves_of_ids(metadata: pq.FileMetaData) -> Iterator[str]:
    for number in range(metadata.num_columns):
        path = metadata.schema.column(number).path
        if path.startswith("proof_ids."):
            yield path


def _bytes_of_ids(batch: pa.RecordBatch) -> int:
    """Tell how many bytes the ids of proofs would be, each by itself."""
    ids = batch["proof_ids"].flatten()
    if not types.is_dictionary(ids.type):
        return ids.nbytes
    lengths = pc.binary_length(ids.dictionary)
    return pc.sum(lengths.take(ids.indices)).as_py() or 0


def _parsed(batch: pa.RecordBatch, first: int) -> ParsedBatch:
    statements = batch["statement_id"].cast(pa.string())
    proofs = _variable(batch["proof_ids"]).cast(STRINGS)
    scores = pa.nulls(len(batch), DOUBLES) if "scores" not in batch.schema.names else batch["scores"]
    scores = pc.cast(_variable(scores), DOUBLES, safe=False)
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


def _variable(lists: pa.Array) -> pa.Array:
    """Turn lists of one fixed size, whose missing ones take up room, into lists of any size."""
    if not types.is_fixed_size_list(lists.type):
        return lists
    return pa.array(lists.to_pylist(), pa.list_(lists.type.value_type))


def _nothing(faults: list[Fault]) -> ParsedBatch:
    rows = PredictionBatch(pa.array([], pa.string()), pa.array([], STRINGS), pa.array([], DOUBLES))
    return ParsedBatch(rows, np.empty(0, dtype=np.int64), faults)


def _is_string(type_: pa.DataType) -> bool:
    if types.is_dictionary(type_):
        type_ = type_.value_type
    return types.is_string(type_) or types.is_large_string(type_) or types.is_string_view(type_)


def _is_number(type_: pa.DataType) -> bool:
    return types.is_floating(type_) or types.is_integer(type_)


def _is_list_of(type_: pa.DataType, fits: Callable[[pa.DataType], bool]) -> bool:
    is_list = types.is_list(type_) or types.is_large_list(type_) or types.is_fixed_size_list(type_)
    return is_list and fits(type_.value_type)
