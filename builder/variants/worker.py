"""What a worker process does: rename the variables in a row group, write a table."""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute makes its functions at run time, where a type checker does not see them.)

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from proofmatch.errors import ProofmatchError

from ..arrow import as_numpy, split_lists
from ..identifiers import digest
from ..release.schema import Config
from ..release.tables import WrittenFile, write_groups
from .parts import PartRow, Report, gather, proof_ids, write_part
from .record import read_renamings
from .renaming import Proof, Symbols, rename_proof, restore_proof
from .source import reading

_READ = ["id", "proof_id", "statement_tokens", "proof", "proof_tokens"]


@dataclass(frozen=True, slots=True)
class Choice:
    """How new names are chosen."""

    symbols: Symbols
    seed: int


@dataclass(frozen=True, slots=True)
class GroupWork:
    """A row group of pairs to work on.

    Attributes:
        release: The release.
        path: Its file, within the release.
        row_group: Number of the row group in the file.
        done: Parts that have some proofs already.
        part: Where to write the others.
        choice: How to choose names; None restores the original ones.
    """

    release: Path
    path: Path
    row_group: int
    done: Sequence[Path]
    part: Path
    choice: Choice | None


@dataclass(frozen=True, slots=True)
class TableWork:
    """A table to write.

    Attributes:
        release: The release with the original table.
        path: Its place in both releases.
        config: Its configuration.
        split: Its split.
        parts: The proofs to write in place of the original ones.
        staging: The folder of the release in the making.
    """

    release: Path
    path: Path
    config: Config
    split: str
    parts: Sequence[Path]
    staging: Path

    def __str__(self) -> str:
        return str(self.path)


def rename_group(work: GroupWork) -> Report:
    """Rename or restore the variables in a row group and write its part."""
    with reading(work.release / work.path):
        file = pq.ParquetFile(work.release / work.path)
        table = file.read_row_group(work.row_group, columns=_READ).select(_READ)
    if work.done:
        table = table.filter(pc.invert(pc.is_in(table.column("proof_id"), value_set=proof_ids(work.done))))
    table = table.combine_chunks()
    rows, report = _renamed(table, work.choice) if work.choice else _restored(table, work.release)
    write_part(rows, work.part)
    return report


def _renamed(table: pa.Table, choice: Choice) -> tuple[list[PartRow], Report]:
    rows, report = [], Report(proofs=table.num_rows)
    for pair_id, proof_id, statement, text, tokens in _read_rows(table):
        # From the id alone: not from the order, nor from other proofs.
        rng = random.Random(digest("variant", str(choice.seed), proof_id, size=16))  # noqa: S311 - no secret
        renamed = rename_proof(statement.split(), Proof(text, tokens.split()), choice.symbols, rng)
        names = " ".join(renamed.renaming), " ".join(renamed.renaming.values())
        rows.append(PartRow(pair_id, proof_id, renamed.proof.text, " ".join(renamed.proof.tokens), *names))
        report.letters_renamed += len(renamed.renaming)
        report.with_letters_kept += renamed.kept > 0
        report.unread += not renamed.is_read
    return rows, report


def _restored(table: pa.Table, release: Path) -> tuple[list[PartRow], Report]:
    rows = []
    renamings = read_renamings(release, table.column("proof_id").combine_chunks())
    for (pair_id, proof_id, _, text, tokens), renaming in zip(_read_rows(table), renamings, strict=True):
        proof = restore_proof(Proof(text, tokens.split()), renaming)
        rows.append(PartRow(pair_id, proof_id, proof.text, " ".join(proof.tokens), "", ""))
    return rows, Report(proofs=len(rows))


def _read_rows(table: pa.Table) -> Iterator[tuple[str, ...]]:
    """Read the rows, lists joined by spaces, which is faster than lists."""
    columns = (
        pc.binary_join(column, " ") if pa.types.is_list(column.type) else column for column in table.columns
    )
    return zip(*(column.to_pylist() for column in columns), strict=True)


def write_variant_table(work: TableWork) -> WrittenFile:
    """Write a table with other proofs, row group by row group as it was."""
    return write_groups(_groups(work), work.config, work.split, work.path, work.staging)


def _groups(work: TableWork) -> Iterator[pa.Table]:
    names = {source: name for name, source in work.config.columns.items()}
    known = proof_ids(work.parts) if "proof" in names else None
    with reading(work.release / work.path):
        file = pq.ParquetFile(work.release / work.path)
    for number in range(file.num_row_groups):
        with reading(work.release / work.path):
            group = file.read_row_group(number).select(work.config.schema.names)
        if known is not None and group.num_rows:
            places = pc.index_in(group.column("proof_id").combine_chunks(), value_set=known)
            if places.null_count:
                raise ProofmatchError(
                    f"{work.release / work.path} has proofs that belong to no pair; "
                    f"`proofmatch check {work.release}` says what else is wrong"
                )
            proofs = gather(work.parts, as_numpy(places))
            tokens = split_lists(proofs.column("tokens").combine_chunks())
            group = _with_column(group, names["proof"], proofs.column("text"))
            group = _with_column(group, names["proof_tokens"], tokens)
        yield group.cast(work.config.schema)


def _with_column(table: pa.Table, name: str, column: pa.Array | pa.ChunkedArray) -> pa.Table:
    return table.set_column(table.schema.get_field_index(name), name, column)
