"""The Parquet files of a release: which rows and columns go where, and the writing of one file."""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute generates its functions at run time, where type checkers do not see them.)

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from proofmatch.storage import sha256_of

from ..arrow import gather_rows, integers, split_lists
from .schema import CONFIGS, DATA, ROW_GROUP, SPLITS, Config, shard_name
from .splits import SplitPairs

ROWS_PER_SHARD = 50_000
SIDES = ("statement", "proof")
# What converters leave in a text: references without a target, and diagrams as TeX.
_LEFTOVERS = {
    "unresolved_references": r"\?\?|\[[A-Za-z][A-Za-z0-9]*(?:[-:][A-Za-z0-9]+){2,}\]",
    "raw_diagrams": r"\\xymatrix|\\begin\{(?:tikz|CD|xy)",
}


@dataclass(frozen=True, slots=True)
class Shard:
    """One Parquet file of a table, to be written.

    Attributes:
        config: The config of the table.
        split: Its split.
        path: The file, within the release.
        staging: The folder in which the release is put together.
    """

    config: Config
    split: str
    path: Path
    staging: Path


@dataclass(frozen=True, slots=True)
class PlannedShard:
    """A shard and its rows, in order: row `row[i]` of the part numbered `part[i]`, with the ids `ids[i]`."""

    shard: Shard
    parts: list[Path]
    part: np.ndarray
    row: np.ndarray
    ids: pa.Table  # the ids of statements and proofs, which the parts do not have

    def __str__(self) -> str:
        return str(self.shard.path)


@dataclass(frozen=True, slots=True)
class WrittenShard:
    """One Parquet file as it was written."""

    config: str
    split: str
    path: Path
    rows: int
    arrow_bytes: int
    file_bytes: int
    sha256: str
    leftovers: Mapping[str, int] = field(default_factory=dict)  # of `pairs`: see `_count_leftovers`


def plan_shards(mixed: SplitPairs, by_article: SplitPairs, staging: Path) -> list[PlannedShard]:
    """Decide which rows go into which file, and in which order."""
    planned = []
    for config in CONFIGS:
        pairs = by_article if config.by_article else mixed
        order, parts = pairs.index.order_by(config.order), pairs.index.parts
        part, row = pairs.index.numbers("part"), pairs.index.numbers("row")
        ids = pairs.index.table.select(["statement_id", "proof_id"])
        for number, split in enumerate(SPLITS):
            rows = order[pairs.split[order] == number]
            pieces = np.array_split(rows, max(1, -(-len(rows) // ROWS_PER_SHARD)))
            for piece_number, piece in enumerate(pieces):
                path = Path(DATA, config.name, shard_name(split, piece_number, len(pieces)))
                shard = Shard(config, split, path, staging)
                planned.append(PlannedShard(shard, parts, part[piece], row[piece], ids.take(integers(piece))))
    return planned


def write_planned(planned: PlannedShard) -> WrittenShard:
    """Gather the rows of a shard from the parts and write it; runs in a worker."""
    return write_shard(planned.shard, _row_groups(planned))


def _row_groups(planned: PlannedShard) -> Iterator[pa.Table]:
    config = planned.shard.config
    for start in range(0, len(planned.row), ROW_GROUP):
        chosen = slice(start, start + ROW_GROUP)
        columns = [name for name in config.columns.values() if name not in planned.ids.column_names]
        rows = gather_rows(planned.parts, planned.part[chosen], planned.row[chosen], columns)
        ids = planned.ids.slice(start, ROW_GROUP)
        for name in ids.column_names:
            rows = rows.append_column(name, ids.column(name))
        rows = rows.select(list(config.columns.values()))
        arrays = [
            split_lists(column.combine_chunks()) if pa.types.is_list(field.type) else column
            for column, field in zip(rows.columns, config.schema, strict=True)
        ]
        yield pa.Table.from_arrays(arrays, schema=config.schema)


def _count_leftovers(pairs: pa.Table) -> dict[str, int]:
    """Count the pairs with something that was not converted, in the statement or in the proof."""
    return {
        name: pc.sum(pc.or_(*(pc.match_substring_regex(pairs[side], pattern) for side in SIDES))).as_py() or 0
        for name, pattern in _LEFTOVERS.items()
    }


def write_shard(shard: Shard, groups: Iterable[pa.Table]) -> WrittenShard:
    """Write one Parquet file of a release.

    Args:
        shard: The file.
        groups: Its row groups.
    """
    target, config = shard.staging / shard.path, shard.config
    target.parent.mkdir(parents=True, exist_ok=True)
    rows = arrow_bytes = 0
    leftovers: Counter[str] = Counter()
    ids = [name for name in config.columns if name.endswith("id")]
    with pq.ParquetWriter(
        target,
        config.schema,
        compression="zstd",
        compression_level=1,
        # Minima and maxima help to find an id; for texts and tokens they are useless.
        write_statistics=ids,  # pyright: ignore[reportArgumentType]
    ) as writer:
        for group in groups:
            rows += group.num_rows
            arrow_bytes += sum(map(_content_bytes, group.columns))
            if config.name == "pairs":
                leftovers.update(_count_leftovers(group))
            writer.write_table(group, row_group_size=ROW_GROUP)
    file_bytes = target.stat().st_size
    return WrittenShard(
        config.name, shard.split, shard.path, rows, arrow_bytes, file_bytes, sha256_of(target), leftovers
    )


def _content_bytes(column: pa.ChunkedArray | pa.Array) -> int:
    """Measure a column in memory without its validity bitmap, which depends on how it was made."""
    if isinstance(column, pa.ChunkedArray):
        return sum(map(_content_bytes, column.chunks))
    offsets = 4 * (len(column) + 1)
    if pa.types.is_list(column.type):
        return offsets + _content_bytes(column.flatten())
    return offsets + (pc.sum(pc.binary_length(column)).as_py() or 0)
