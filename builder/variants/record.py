"""`renamed.parquet`: the old and the new names of every proof's variables, so that they can be restored."""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute makes its functions at run time, where a type checker does not see them.)

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from proofmatch.errors import ProofmatchError

from ..arrow import read_arrow, split_lists
from .parts import Report
from .source import reading

RECORD = "renamed.parquet"

_NAMES = pa.list_(pa.string())
RECORD_SCHEMA = pa.schema(
    [("id", pa.string()), ("proof_id", pa.string()), ("original", _NAMES), ("renamed", _NAMES)]
)
_REPORT = b"proofmatch.report"  # in the metadata of the file


def write_record(parts: Sequence[Path], report: Report, folder: Path) -> None:
    """Write the record of the proofs in parts, in the order of the pairs' ids."""
    rows = pa.concat_tables([read_arrow(part).select(RECORD_SCHEMA.names) for part in parts])
    rows = rows.sort_by("id").combine_chunks()
    columns = [
        split_lists(rows.column(field.name).combine_chunks())
        if field.type == _NAMES
        else rows.column(field.name)
        for field in RECORD_SCHEMA
    ]
    schema = RECORD_SCHEMA.with_metadata({_REPORT: json.dumps(asdict(report))})
    pq.write_table(pa.Table.from_arrays(columns, schema=schema), folder / RECORD, compression="zstd")


def read_report(release: Path) -> Report:
    """Read what happened to the proofs when a variant was made."""
    return Report(**json.loads((pq.read_schema(release / RECORD).metadata or {})[_REPORT]))


def read_renamings(release: Path, proof_ids: pa.Array) -> list[dict[str, str]]:
    """Read the renamings of some proofs: variable → its new name.

    Raises:
        ProofmatchError: If the record cannot be read, or lacks one of the proofs.
    """
    with reading(release / RECORD):
        record = pq.read_table(release / RECORD, columns=["proof_id", "original", "renamed"])
    places = pc.index_in(proof_ids, value_set=record.column("proof_id").combine_chunks())
    if places.null_count:
        missing = proof_ids.filter(places.is_null())[0]
        raise ProofmatchError(
            f"{release / RECORD} has no names for {missing}; make or download the variant again"
        )
    rows = record.take(places)
    pairs = zip(rows.column("original").to_pylist(), rows.column("renamed").to_pylist(), strict=True)
    return [dict(zip(original, renamed, strict=True)) for original, renamed in pairs]
