"""The Parquet files of a release: which rows and columns go where, and the writing of one file."""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute makes its functions at run time, where a type checker does not see them.)

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from proofmatch.storage import sha256_of

from ..arrow import integers, read_arrow, split_lists
from .schema import CONFIGS, ROW_GROUP, SPLITS, Config, shard_name
from .splits import SplitPairs

ROWS_PER_FILE = 50_000


@dataclass(frozen=True, slots=True)
class TableFile:
    """One Parquet file to be written: its rows by part and row, in order."""

    config: Config
    split: str
    path: Path  # within the release
    staging: Path
    parts: list[Path]
    part: np.ndarray
    row: np.ndarray

    def __str__(self) -> str:
        return str(self.path)


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """One Parquet file as it was written."""

    config: str
    split: str
    path: Path
    rows: int
    arrow_bytes: int
    file_bytes: int
    sha256: str


def plan_files(mixed: SplitPairs, by_article: SplitPairs, staging: Path) -> list[TableFile]:
    """Decide which rows go into which file, and in which order."""
    files = []
    for config in CONFIGS:
        pairs = by_article if config.by_article else mixed
        order, parts = pairs.index.order_by(config.order), pairs.index.parts
        part, row = pairs.index.numbers("part"), pairs.index.numbers("row")
        for number, split in enumerate(SPLITS):
            rows = order[pairs.split[order] == number]
            shards = np.array_split(rows, max(1, -(-len(rows) // ROWS_PER_FILE)))
            for shard_number, shard in enumerate(shards):
                path = Path("data", config.name, shard_name(split, shard_number, len(shards)))
                files.append(TableFile(config, split, path, staging, parts, part[shard], row[shard]))
    return files


def write_file(file: TableFile) -> WrittenFile:
    """Gather the rows of one file from the parts and write it, a row group at a time."""
    starts = range(0, len(file.row), ROW_GROUP)
    groups = (_gather(file, slice(start, start + ROW_GROUP)) for start in starts)
    return write_groups(groups, file.config, file.split, file.path, file.staging)


def write_groups(
    groups: Iterable[pa.Table], config: Config, split: str, path: Path, staging: Path
) -> WrittenFile:
    """Write one Parquet file of a release.

    Args:
        groups: Its row groups.
        config: Its configuration, which has the schema.
        split: Its split.
        path: Its place within the release.
        staging: The folder of the release in the making.
    """
    target = staging / path
    target.parent.mkdir(parents=True, exist_ok=True)
    rows = arrow_bytes = 0
    ids = [name for name in config.columns if name.endswith("id")]
    with pq.ParquetWriter(
        target,
        config.schema,
        compression="zstd",
        compression_level=1,
        # Minima and maxima help to find an id; of texts and tokens they are of no use.
        write_statistics=ids,  # pyright: ignore[reportArgumentType]
    ) as writer:
        for group in groups:
            rows += group.num_rows
            arrow_bytes += sum(map(_content_bytes, group.columns))
            writer.write_table(group, row_group_size=ROW_GROUP)
    return WrittenFile(config.name, split, path, rows, arrow_bytes, target.stat().st_size, sha256_of(target))


def _content_bytes(column: pa.ChunkedArray | pa.Array) -> int:
    """Measure a column in memory by its values alone; whether it has bitmaps too depends on its history."""
    if isinstance(column, pa.ChunkedArray):
        return sum(map(_content_bytes, column.chunks))
    offsets = 4 * (len(column) + 1)
    if pa.types.is_list(column.type):
        return offsets + _content_bytes(column.flatten())
    return offsets + (pc.sum(pc.binary_length(column)).as_py() or 0)


def _gather(file: TableFile, chosen: slice) -> pa.Table:
    part, row = file.part[chosen], file.row[chosen]
    by_part = np.argsort(part, kind="stable")
    sources = list(file.config.columns.values())
    pieces = [
        read_arrow(file.parts[part[places[0]]]).select(sources).take(integers(row[places]))
        for places in np.split(by_part, np.flatnonzero(np.diff(part[by_part])) + 1)
    ]
    gathered = pa.concat_tables(pieces).combine_chunks()
    back = np.empty_like(by_part)
    back[by_part] = np.arange(len(by_part))
    columns = gathered.take(integers(back)).columns
    arrays = [
        split_lists(column.combine_chunks()) if pa.types.is_list(field.type) else column
        for column, field in zip(columns, file.config.schema, strict=True)
    ]
    return pa.Table.from_arrays(arrays, schema=file.config.schema)
