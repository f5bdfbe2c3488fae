"""Parts: the proofs of a row group with their new names, where the tables of a variant take them from."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from ..arrow import integers, read_arrow, strings, write_arrow

_SCHEMA = pa.schema(
    [(name, pa.string()) for name in ("id", "proof_id", "text", "tokens", "original", "renamed")]
)


class PartRow(NamedTuple):
    """A proof in a part; tokens and names are joined by spaces."""

    id: str
    proof_id: str
    text: str
    tokens: str
    original: str
    renamed: str


@dataclass
class Report:
    """What happened to the proofs."""

    proofs: int = 0
    letters_renamed: int = 0
    with_letters_kept: int = 0  # that should have been renamed, but no name was left
    unread: int = 0  # whose text and tokens do not belong together; they keep all names

    def add(self, other: "Report") -> None:
        """Add another part."""
        self.proofs += other.proofs
        self.letters_renamed += other.letters_renamed
        self.with_letters_kept += other.with_letters_kept
        self.unread += other.unread


def write_part(rows: Sequence[PartRow], path: Path) -> None:
    """Write a part in one step."""
    columns = zip(*rows, strict=True) if rows else [()] * len(_SCHEMA)
    table = pa.Table.from_arrays([strings(column) for column in columns], schema=_SCHEMA)
    write_arrow(table, path)


def proof_ids(parts: Iterable[Path]) -> pa.Array:
    """List the ids of all proofs in parts, in their order."""
    chunks = [chunk for part in parts for chunk in read_arrow(part).column("proof_id").chunks]
    return pa.chunked_array(chunks, pa.string()).combine_chunks()


def gather(parts: Sequence[Path], places: np.ndarray) -> pa.Table:
    """Take rows from parts.

    Args:
        parts: The parts.
        places: Numbers of the wanted rows, counted through all parts.
    """
    tables = [read_arrow(part) for part in parts]
    starts = np.cumsum([0, *(table.num_rows for table in tables)])
    order = np.argsort(places, kind="stable")
    ordered = places[order]
    bounds = np.searchsorted(ordered, starts)
    pieces = [
        table.take(integers(ordered[first:last] - start))
        for table, start, first, last in zip(tables, starts, bounds, bounds[1:], strict=False)
        if first < last
    ]
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    return pa.concat_tables(pieces).combine_chunks().take(integers(back))
