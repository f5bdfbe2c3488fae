"""Arrow arrays from Python values, and Arrow files that are complete or absent.

Arrays are made through buffers: `pa.array` imports pandas wherever it is installed, and every worker would
pay for that.
"""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute generates its functions at run time, where type checkers do not see them.)

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from proofmatch.storage import replaced_at_end

_COUNTS = b"proofmatch.report"  # key in the metadata


def integers(values: Sequence[int] | np.ndarray) -> pa.Array:
    """Make a column of 32-bit integers."""
    numbers = np.ascontiguousarray(values, dtype=np.int32)
    return pa.Array.from_buffers(pa.int32(), len(numbers), [None, pa.py_buffer(numbers)])


def strings(values: Sequence[str | None]) -> pa.Array:
    """Make a column of strings; None is null."""
    encoded = [b"" if value is None else value.encode() for value in values]
    offsets = _offsets(np.fromiter(map(len, encoded), np.int64, len(encoded)))
    validity = None
    if None in values:
        present = np.array([value is not None for value in values], dtype=bool)
        validity = pa.py_buffer(np.packbits(present, bitorder="little"))
    return pa.Array.from_buffers(
        pa.string(), len(encoded), [validity, pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded))]
    )


def split_lists(joined: pa.Array) -> pa.Array:
    """Turn strings joined by spaces into lists; an empty string is an empty list."""
    lists = pc.split_pattern(joined, " ")
    empty = _lengths(joined) == 0
    if not empty.any():
        return lists
    # `split_pattern` makes a list with one empty string of an empty string.
    lengths = np.where(empty, 0, _lengths(lists))
    kept = np.repeat(~empty, _lengths(lists))
    return pa.ListArray.from_arrays(integers(_offsets(lengths)), lists.flatten().filter(pa.array(kept)))


def table_of(rows: Iterable[Sequence[object]], schema: pa.Schema) -> pa.Table:
    """Make a table of strings and 32-bit integers."""
    columns: list[Any] = list(zip(*rows, strict=True)) or [()] * len(schema)
    arrays = [
        integers(column) if field.type == pa.int32() else strings(column)
        for column, field in zip(columns, schema, strict=True)
    ]
    return pa.Table.from_arrays(arrays, schema=schema)


def with_column(table: pa.Table, name: str, column: pa.Array | pa.ChunkedArray) -> pa.Table:
    """Replace a column."""
    return table.set_column(table.schema.get_field_index(name), name, column)


def as_numpy(array: pa.Array) -> np.ndarray:
    """View a column of numbers without copying it."""
    kind = array.type.to_pandas_dtype()
    return np.frombuffer(array.buffers()[1], kind)[array.offset : array.offset + len(array)]


def _lengths(array: pa.Array) -> np.ndarray:
    """Measure the strings or lists of a column."""
    offsets = np.frombuffer(array.buffers()[1], np.int32)
    return np.diff(offsets[array.offset : array.offset + len(array) + 1])


def _offsets(lengths: np.ndarray) -> np.ndarray:
    """Accumulate lengths into the offsets at which values begin and the last one ends."""
    offsets = np.zeros(len(lengths) + 1, np.int32)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def write_arrow(table: pa.Table, path: Path, compression: str | None = None) -> None:
    """Write a table so that the file appears under its name only when it is complete."""
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with (
        replaced_at_end(path) as temporary,
        pa.OSFile(str(temporary), "wb") as sink,
        pa.ipc.new_file(sink, table.schema, options=options) as writer,
    ):
        writer.write_table(table)


def read_arrow(path: Path) -> pa.Table:
    """Map a table into memory; only rows that are used are read from disk."""
    with pa.memory_map(str(path)) as source:
        return pa.ipc.open_file(source).read_all()


@dataclass
class Counts:
    """Counts made while a table was written, stored in its metadata. Subclasses define the fields."""

    @classmethod
    def of(cls, schema: pa.Schema) -> Self:
        """Read the counts in a schema."""
        return cls(**json.loads((schema.metadata or {})[_COUNTS]))

    @classmethod
    def sum_of(cls, counts: Iterable[Self]) -> Self:
        """Sum the counts of several tables."""
        total = cls()
        for other in counts:
            total.add(other)
        return total

    def add(self, other: Self) -> None:
        """Add the counts of another table."""
        for name, value in asdict(other).items():
            setattr(self, name, getattr(self, name) + value)

    def kept_in(self, schema: pa.Schema) -> pa.Schema:
        """Add the counts to a schema."""
        return schema.with_metadata({_COUNTS: json.dumps(asdict(self))})


def gather_rows(paths: Sequence[Path], file: np.ndarray, row: np.ndarray, columns: list[str]) -> pa.Table:
    """Take rows from several files in any order: the i-th is row `row[i]` of `paths[file[i]]`."""
    by_file = np.argsort(file, kind="stable")
    pieces = [
        read_arrow(paths[int(file[places[0]])]).select(columns).take(integers(row[places]))
        for places in np.split(by_file, np.flatnonzero(np.diff(file[by_file])) + 1)
    ]
    back = np.empty_like(by_file)
    back[by_file] = np.arange(len(by_file))
    return pa.concat_tables(pieces).combine_chunks().take(integers(back))


def has_schema(path: Path, schema: pa.Schema) -> bool:
    """Tell whether a file is a complete table with this schema, by the footer that Arrow writes last."""
    try:
        with pa.memory_map(str(path)) as source:
            return pa.ipc.open_file(source).schema.remove_metadata() == schema
    except (OSError, pa.ArrowInvalid):
        return False
