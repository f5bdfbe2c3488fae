"""`make_variant` and `undo_variant`: a release in, the same release with renamed variables out."""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute makes its functions at run time, where a type checker does not see them.)

import json
import os
import random
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from jinja2 import UndefinedError

from proofmatch import __version__
from proofmatch.errors import CheckFailed, ProofmatchError, check_choice
from proofmatch.progress import Progress
from proofmatch.workers import WorkerPool, number_of_workers

from ...dataset_card.card import render_card
from ..arrow import as_numpy, split_lists, with_column
from ..engine.run_folder import RunFolder
from ..identifiers import digest
from ..release.assemble import card_facts, complete_release, make_once, write_shards
from ..release.release import Release, open_release
from ..release.schema import CONFIGS, DISCARDED, SPLITS, STATISTICS, Config, config_name
from ..release.tables import Shard, WrittenShard, write_shard
from .record import (
    RECORD,
    PartRow,
    Report,
    is_complete_part,
    part_report,
    proof_ids,
    read_proofs,
    read_renamings,
    readable_release_file,
    write_part,
    write_record,
)
from .renaming import SYMBOLS, Proof, Symbols, rename_proof, restore_proof

AS_WRITTEN = "conservation"  # the published editions' word for the authors' own names

_READ = ["id", "proof_id", "statement_tokens", "proof", "proof_tokens"]


@dataclass(frozen=True, slots=True)
class Choice:
    """How new names are chosen."""

    symbols: Symbols
    seed: int


def make_variant(
    release: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    symbols: Symbols,
    seed: int = 0,
    workers: int | None = None,
) -> Path:
    """Make a release whose proofs use other names for their variables.

    A model that understands a proof still finds its statement; one that looks for equal names does not
    (*BERT is not The Count*, EACL 2023). Everything else stays the same, and `renamed.parquet` has the names.
    An interrupted call resumes when it is repeated.

    Args:
        release: A release with the names of its authors. A variant has no variants, because its names say
            nothing about what the authors shared between statement and proof.
        out: The folder of the new release.
        symbols: `full` renames all variables of a proof, `partial` half of them (rounded up), `transpose`
            exchanges those that statement and proof share.
        seed: Salt of the random choice.
        workers: Number of processes; by default one per CPU.

    Returns:
        The folder of the new release, which `datasets.load_dataset` opens.
    """
    check_choice("symbols", symbols, SYMBOLS)
    source = _open(release)
    if source.parameters.get("symbols", AS_WRITTEN) != AS_WRITTEN:
        raise ProofmatchError(
            f"{release} has other names in its proofs already; give the release as its authors wrote it"
        )
    parameters = {
        "made_by": "variant",
        "proofmatch": __version__,
        "symbols": symbols,
        "seed": seed,
        **{name: source.parameters[name] for name in ("license",) if name in source.parameters},
        "variant_of": source.parameters,
        "variant_of_manifest": source.manifest_sha256,
        "variant_of_tables": source.tables_sha256,
    }
    return _make(source, Path(out), parameters, Choice(symbols, seed), workers)


def undo_variant(
    release: str | os.PathLike[str], out: str | os.PathLike[str], *, workers: int | None = None
) -> Path:
    """Restore the release that a variant was made from in `out`: the same tables, byte for byte.

    Raises:
        ProofmatchError: If the release is not a complete variant, or `out` holds something else.
        CheckFailed: If the restored tables are not those that the variant was made from.
    """
    source = _open(release)
    if "variant_of" not in source.parameters:
        raise ProofmatchError(f"{release} is not a variant of ours, so there is nothing to undo")
    restored = _make(source, Path(out), source.parameters["variant_of"], None, workers)
    if open_release(restored).tables_sha256 != source.parameters.get("variant_of_tables"):
        raise CheckFailed(
            f"{restored} is not the release that {release} was made from: its {RECORD} or its tables have "
            "changed since; make or download the variant again"
        )
    return restored


def _open(release: str | os.PathLike[str]) -> Release:
    if not Path(release).is_dir():
        raise ProofmatchError(
            f"{release} is not a folder; give a release made by `proofmatch build` or `import`"
        )
    source = open_release(Path(release))
    if source.sealed is not None:
        raise ProofmatchError(f"{release} is sealed; make the variant of the open release, then seal it")
    source.check_sizes()
    return source


def _make(
    source: Release, out: Path, parameters: dict[str, Any], choice: Choice | None, workers: int | None
) -> Path:
    processes = number_of_workers(workers)
    if out.resolve().is_relative_to(source.folder.resolve()):
        raise ProofmatchError(f"{out} is the release itself or inside of it; choose another --out")
    statistics = _read_statistics(source)

    def make(run: RunFolder) -> None:
        with run.cleanup_if_empty(), WorkerPool(processes) as pool:
            _rename(source, run, choice, pool)
            parts = run.finished_parts()
            tables = [
                _Table(source.folder, Shard(config, split, path, run.staging), parts)
                for path, config, split in _tables(source)
            ]
            files = write_shards(_write_table, tables, pool)
            shutil.copyfile(source.folder / DISCARDED, run.staging / DISCARDED)
            if choice:
                write_record(parts, run.staging)
            complete_release(run, statistics, files, parameters)

    make_once(RunFolder(out, is_complete_part), parameters, make)
    return out


def _read_statistics(source: Release) -> dict[str, Any]:
    """Read the statistics, and check before the work that a card can be made from them."""
    path = source.folder / STATISTICS
    try:
        statistics = json.loads(path.read_text(encoding="utf-8"))
        next(render_card(card_facts(statistics, [], source.parameters)))
    except (KeyError, ValueError, TypeError, RecursionError, UndefinedError) as error:
        raise ProofmatchError(
            f"{path} is damaged or of another version of proofmatch ({error}); make the release again"
        ) from None
    return statistics


def _tables(source: Release) -> Iterator[tuple[Path, Config, str]]:
    """List the tables of a release, in the order in which a card lists them: path, config, split."""
    for config in CONFIGS:
        for split in SPLITS:
            for name in source.shards(config.name, split):
                yield Path(name), config, split


@dataclass(frozen=True, slots=True)
class _RowGroup:
    """A row group of pairs: the unit of work, of storage and of resumption."""

    release: Path
    path: Path  # within the release
    number: int
    part_name: str
    done: Sequence[Path]  # parts that already have some of the proofs
    parts: Path
    choice: Choice | None  # None restores the original names

    def __str__(self) -> str:
        return str(self.path)


def _rename(source: Release, run: RunFolder, choice: Choice | None, pool: WorkerPool) -> None:
    """Make the parts of all pairs."""
    proofs = 0
    with Progress("renaming variables" if choice else "restoring names", "row groups") as progress:
        done: list[Path] = []
        # Usually the two splits have the same pairs, but the authors of published files may choose otherwise.
        for by_article in (False, True):
            groups = list(_row_groups(source, config_name("pairs", by_article), run, done, choice))
            for report in pool.run(_rename_group, run.unfinished(groups)):
                proofs += report.proofs
                progress.summary = f"{proofs:,} proofs"
                progress.advance()
            done = run.finished_parts()
        progress.summary = f"{Report.sum_of(map(part_report, done)).proofs:,} proofs"


def _row_groups(
    source: Release, config: str, run: RunFolder, done: list[Path], choice: Choice | None
) -> Iterator[_RowGroup]:
    for path, table_config, _ in _tables(source):
        if table_config.name == config:
            with readable_release_file(source.folder / path):
                row_groups = pq.read_metadata(source.folder / path).num_row_groups
            for number in range(row_groups):
                name = f"{config}-{path.stem}-{number:05d}-{source.manifest_sha256[:16]}.arrow"
                yield _RowGroup(source.folder, path, number, name, done, run.parts, choice)


def _rename_group(group: _RowGroup) -> Report:
    """Rename or restore the variables in a row group and write its part; runs in a worker."""
    with readable_release_file(group.release / group.path):
        file = pq.ParquetFile(group.release / group.path)
        table = file.read_row_group(group.number, columns=_READ).select(_READ)
    if group.done:
        table = table.filter(pc.invert(pc.is_in(table.column("proof_id"), value_set=proof_ids(group.done))))
    table = table.combine_chunks()
    rows, report = _renamed(table, group.choice) if group.choice else _restored(table, group.release)
    write_part(rows, report, group.parts / group.part_name)
    return report


def _renamed(table: pa.Table, choice: Choice) -> tuple[list[PartRow], Report]:
    rows, report = [], Report(proofs=table.num_rows)
    for pair_id, proof_id, statement, text, tokens in _read_rows(table):
        # Seeded by the id, so that the choice depends neither on the order nor on other proofs.
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
    """Read the rows with lists joined by spaces, which is faster than lists."""
    columns = (
        pc.binary_join(column, " ") if pa.types.is_list(column.type) else column for column in table.columns
    )
    return zip(*(column.to_pylist() for column in columns), strict=True)


@dataclass(frozen=True, slots=True)
class _Table:
    """A file of a table to write, with the same path as in the original release."""

    release: Path  # the original one
    shard: Shard
    parts: Sequence[Path]  # the proofs that replace the original ones

    def __str__(self) -> str:
        return str(self.shard.path)


def _write_table(table: _Table) -> WrittenShard:
    """Write a table with other proofs, with the row groups of the original; runs in a worker."""
    return write_shard(table.shard, _replaced_groups(table))


def _replaced_groups(table: _Table) -> Iterator[pa.Table]:
    path, config = table.release / table.shard.path, table.shard.config
    names = {source: name for name, source in config.columns.items()}
    known = proof_ids(table.parts) if "proof" in names else None
    with readable_release_file(path):
        file = pq.ParquetFile(path)
    for number in range(file.num_row_groups):
        with readable_release_file(path):
            group = file.read_row_group(number).select(config.schema.names)
        if known is not None and group.num_rows:
            places = pc.index_in(group.column("proof_id").combine_chunks(), value_set=known)
            if places.null_count:
                raise ProofmatchError(
                    f"{path} has proofs that belong to no pair; "
                    f"`proofmatch check {table.release}` says what else is wrong"
                )
            proofs = read_proofs(table.parts, as_numpy(places))
            tokens = split_lists(proofs.column("tokens").combine_chunks())
            group = with_column(group, names["proof"], proofs.column("text"))
            group = with_column(group, names["proof_tokens"], tokens)
        yield group.cast(config.schema)
