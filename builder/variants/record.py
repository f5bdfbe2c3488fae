"""Renamed proofs: in parts while a variant is made, and their names in the release's `renamed.parquet`."""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute generates its functions at run time, where type checkers do not see them.)

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from proofmatch.errors import ProofmatchError

from ..arrow import (
    Counts,
    as_numpy,
    gather_rows,
    has_schema,
    integers,
    read_arrow,
    split_lists,
    strings,
    table_of,
    with_column,
    write_arrow,
)
from ..identifiers import text_ids

RECORD = "renamed.parquet"

_NAMES = pa.list_(pa.string())
RECORD_SCHEMA = pa.schema(
    [("id", pa.string()), ("proof_id", pa.string()), ("original", _NAMES), ("renamed", _NAMES)]
)


class PartRow(NamedTuple):
    """A proof in a part; tokens and names are joined by spaces."""

    id: str
    proof_id: str  # in the release that the parts are made from
    key: str  # `text_key` of the new text
    text: str
    tokens: str
    original: str
    renamed: str


_PART_SCHEMA = pa.schema([(name, pa.string()) for name in PartRow._fields])


@dataclass
class Report(Counts):
    """Counts of proofs."""

    proofs: int = 0
    letters_renamed: int = 0
    with_letters_kept: int = 0  # proofs with variables for which no new name was left
    unread: int = 0  # proofs whose text and tokens do not match; nothing is renamed in them


def write_part(rows: Sequence[PartRow], report: Report, path: Path) -> None:
    """Write a part."""
    write_arrow(table_of(rows, report.kept_in(_PART_SCHEMA)), path)


def is_complete_part(path: Path) -> bool:
    """Tell whether a part was written completely."""
    return has_schema(path, _PART_SCHEMA)


def part_report(path: Path) -> Report:
    """Read the counts of a part."""
    return Report.of(read_arrow(path).schema)


def proof_ids(parts: Iterable[Path]) -> pa.Array:
    """List the old ids of all proofs in parts, in their order."""
    return _column(parts, "proof_id")


def _column(parts: Iterable[Path], name: str) -> pa.Array:
    chunks = [chunk for part in parts for chunk in read_arrow(part).column(name).chunks]
    return pa.chunked_array(chunks, pa.string()).combine_chunks()


@dataclass(frozen=True, slots=True)
class NewProofs:
    """The proofs of all parts, numbered in their order, and the ids that belong to their new texts."""

    parts: Sequence[Path]
    path: Path  # the table of their ids

    @classmethod
    def derive_ids(cls, parts: Sequence[Path], path: Path) -> "NewProofs":
        """Derive the ids of all proofs from their new texts, and keep them in a file for the workers."""
        keys, pairs = _column(parts, "key").to_pylist(), _column(parts, "id").to_pylist()
        ids = pa.table({"old": proof_ids(parts), "new": strings(text_ids("proof", keys, pairs))})
        write_arrow(ids, path)
        return cls(parts, path)

    def places_of(self, old_ids: pa.Array) -> np.ndarray | None:
        """Find proofs by their old ids; None if one is not there."""
        places = pc.index_in(old_ids, value_set=read_arrow(self.path).column("old").combine_chunks())
        return None if places.null_count else as_numpy(places)

    def ids(self, places: np.ndarray | None = None) -> pa.Array:
        """List the new ids, of all proofs or of some."""
        ids = read_arrow(self.path).column("new").combine_chunks()
        return ids if places is None else ids.take(integers(places))

    def texts(self, places: np.ndarray) -> pa.Table:
        """Read the texts and tokens of some proofs."""
        starts = np.cumsum([0, *(read_arrow(part).num_rows for part in self.parts)])
        part = np.searchsorted(starts, places, side="right") - 1
        return gather_rows(self.parts, part, places - starts[part], ["text", "tokens"])


def write_record(proofs: NewProofs, folder: Path) -> None:
    """Write the record of new proofs, ordered by the ids of the pairs."""
    parts = proofs.parts
    rows = pa.concat_tables([read_arrow(part).select(RECORD_SCHEMA.names) for part in parts])
    rows = with_column(rows, "proof_id", proofs.ids()).sort_by("id").combine_chunks()
    columns = [
        split_lists(rows.column(field.name).combine_chunks())
        if field.type == _NAMES
        else rows.column(field.name)
        for field in RECORD_SCHEMA
    ]
    schema = Report.sum_of(map(part_report, parts)).kept_in(RECORD_SCHEMA)
    pq.write_table(pa.Table.from_arrays(columns, schema=schema), folder / RECORD, compression="zstd")


def read_report(release: Path) -> Report:
    """Read the counts of a variant."""
    return Report.of(pq.read_schema(release / RECORD))


def read_renamings(release: Path, wanted: pa.Array) -> list[dict[str, str]]:
    """Read the renamings (variable → its new name) of the proofs with the wanted ids."""
    with readable_release_file(release / RECORD):
        record = pq.read_table(release / RECORD, columns=["proof_id", "original", "renamed"])
    places = pc.index_in(wanted, value_set=record.column("proof_id").combine_chunks())
    if places.null_count:
        missing = wanted.filter(places.is_null())[0]
        raise ProofmatchError(
            f"{release / RECORD} has no names for {missing}; make or download the variant again"
        )
    rows = record.take(places)
    pairs = zip(rows.column("original").to_pylist(), rows.column("renamed").to_pylist(), strict=True)
    return [dict(zip(original, renamed, strict=True)) for original, renamed in pairs]


@contextmanager
def readable_release_file(path: Path) -> Iterator[None]:
    """Raise an error that names the file if Arrow cannot read it or columns are missing."""
    try:
        yield
    except (OSError, KeyError, pa.ArrowException) as error:
        raise ProofmatchError(
            f"{path} cannot be read ({error}); make or download the release again"
        ) from None
