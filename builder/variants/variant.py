"""`make_variant` and `undo_variant`: a release in, the same release with renamed variables out."""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute generates its functions at run time, where type checkers do not see them.)

import json
import os
import random
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
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
from ..identifiers import digest, text_key
from ..release.assemble import card_facts, complete_release, make_once, write_shards
from ..release.release import Release, open_release
from ..release.schema import (
    CONFIGS,
    DISCARDED,
    ROW_GROUP,
    SCHEMA_VERSION,
    SPLITS,
    STATISTICS,
    Config,
    config_name,
)
from ..release.tables import Shard, WrittenShard, write_shard
from .record import (
    RECORD,
    NewProofs,
    PartRow,
    Report,
    is_complete_part,
    part_report,
    proof_ids,
    read_renamings,
    readable_release_file,
    write_part,
    write_record,
)
from .renaming import SYMBOLS, Proof, Symbols, rename_proof, restore_proof

AS_WRITTEN = "conservation"  # the published editions' word for the authors' own names

_PROOF_IDS = "proof-ids.arrow"
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
    (*BERT is not The Count*, EACL 2023). Everything else stays the same, except for the ids and the order of
    the proofs, which depend on their texts; `renamed.parquet` has the names. An interrupted call resumes when
    it is repeated.

    Args:
        release: A release with the names of its authors. A variant has no variants, because its names say
            nothing about what the authors shared between statement and proof.
        out: The folder of the new release.
        symbols: `full` renames all variables of a proof, `partial` half of them (rounded up), `transpose`
            permutes those that statement and proof share.
        seed: Salt of the random choice.
        workers: Number of processes; by default one per CPU.

    Returns:
        The folder of the new release, which `datasets.load_dataset` opens.
    """
    check_choice("symbols", symbols, SYMBOLS)
    source = _open(release)
    if source.parameters.get("symbols", AS_WRITTEN) != AS_WRITTEN:
        raise ProofmatchError(f"{release} has renamed variables already; give the original release")
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
        CheckFailed: If the restored tables differ from the tables that the variant was made from.
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
    if source.schema_version < SCHEMA_VERSION:
        raise ProofmatchError(
            f"{release} has schema version {source.schema_version}; make it again with this proofmatch"
        )
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
            proofs = NewProofs.derive_ids(run.finished_parts(), run.path / _PROOF_IDS)
            files = write_shards(_write_table, list(_plan_tables(source, run, proofs)), pool)
            shutil.copyfile(source.folder / DISCARDED, run.staging / DISCARDED)
            if choice:
                write_record(proofs, run.staging)
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
        # Seeded by the pair, so that the choice depends neither on the order nor on other pairs.
        seed = digest("variant", str(choice.seed), f"p-{digest('proof', pair_id, size=10)}", size=16)
        rng = random.Random(seed)  # noqa: S311 - no secret
        renamed = rename_proof(statement.split(), Proof(text, tokens.split()), choice.symbols, rng)
        names = " ".join(renamed.renaming), " ".join(renamed.renaming.values())
        rows.append(_part_row(pair_id, proof_id, renamed.proof, *names))
        report.letters_renamed += len(renamed.renaming)
        report.with_letters_kept += renamed.kept > 0
        report.unread += not renamed.is_read
    return rows, report


def _restored(table: pa.Table, release: Path) -> tuple[list[PartRow], Report]:
    rows = []
    renamings = read_renamings(release, table.column("proof_id").combine_chunks())
    for (pair_id, proof_id, _, text, tokens), renaming in zip(_read_rows(table), renamings, strict=True):
        proof = restore_proof(Proof(text, tokens.split()), renaming)
        rows.append(_part_row(pair_id, proof_id, proof))
    return rows, Report(proofs=len(rows))


def _part_row(pair_id: str, proof_id: str, proof: Proof, original: str = "", renamed: str = "") -> PartRow:
    key, tokens = text_key(proof.text), " ".join(proof.tokens)
    return PartRow(pair_id, proof_id, key, proof.text, tokens, original, renamed)


def _read_rows(table: pa.Table) -> Iterator[tuple[str, ...]]:
    """Read the rows with lists joined by spaces, which is faster than lists."""
    columns = (
        pc.binary_join(column, " ") if pa.types.is_list(column.type) else column for column in table.columns
    )
    return zip(*(column.to_pylist() for column in columns), strict=True)


@dataclass(frozen=True, slots=True)
class _Table:
    """A file of a table to write, with the same path and number of rows as in the original release."""

    release: Path  # the original one
    shard: Shard
    proofs: NewProofs
    places: np.ndarray | None  # for the task's proofs, which are in the order of their new ids

    def __str__(self) -> str:
        return str(self.shard.path)


def _plan_tables(source: Release, run: RunFolder, proofs: NewProofs) -> Iterator[_Table]:
    for config in CONFIGS:
        for split in SPLITS:
            names = source.shards(config.name, split)
            sorted_places: list[np.ndarray | None] = [None] * len(names)
            if config.order == "proof_id":
                sorted_places = _sorted_places(source, names, proofs)
            for name, places in zip(names, sorted_places, strict=True):
                shard = Shard(config, split, Path(name), run.staging)
                yield _Table(source.folder, shard, proofs, places)


def _sorted_places(source: Release, names: list[str], proofs: NewProofs) -> list[np.ndarray | None]:
    """Sort the proofs of a split by their new ids, and cut them into shards of the same sizes as before."""
    shards = []
    for name in names:
        with readable_release_file(path := source.folder / name):
            ids = pq.read_table(path, columns=["proof_id"]).column(0).combine_chunks()
        shards.append(_places_of(ids, proofs, path))
    places = np.concatenate(shards)
    order = as_numpy(pc.sort_indices(proofs.ids(places)))
    return [*np.split(places[order], np.cumsum([len(shard) for shard in shards])[:-1])]


def _places_of(old_ids: pa.Array, proofs: NewProofs, path: Path) -> np.ndarray:
    places = proofs.places_of(old_ids)
    if places is None:
        raise ProofmatchError(
            f"{path} has proofs that belong to no pair; see what `proofmatch check` says about the release"
        )
    return places


def _write_table(table: _Table) -> WrittenShard:
    """Write a table with other proofs, with row groups as in the original; runs in a worker."""
    groups = _replaced(table) if table.places is None else _task_proofs(table, table.places)
    return write_shard(table.shard, groups)


def _task_proofs(table: _Table, places: np.ndarray) -> Iterator[pa.Table]:
    for start in range(0, len(places), ROW_GROUP):
        chosen = places[start : start + ROW_GROUP]
        columns = [table.proofs.ids(chosen), *_texts_and_tokens(table.proofs, chosen)]
        yield pa.Table.from_arrays(columns, schema=table.shard.config.schema)


def _replaced(table: _Table) -> Iterator[pa.Table]:
    path, config = table.release / table.shard.path, table.shard.config
    with readable_release_file(path):
        file = pq.ParquetFile(path)
    for number in range(file.num_row_groups):
        with readable_release_file(path):
            group = file.read_row_group(number).select(config.schema.names)
        if "proof_id" in config.columns and group.num_rows:
            places = _places_of(group.column("proof_id").combine_chunks(), table.proofs, path)
            texts, tokens = _texts_and_tokens(table.proofs, places)
            group = with_column(group, "proof_id", table.proofs.ids(places))
            group = with_column(with_column(group, "proof", texts), "proof_tokens", tokens)
        yield group.cast(config.schema)


def _texts_and_tokens(proofs: NewProofs, places: np.ndarray) -> tuple[pa.ChunkedArray, pa.Array]:
    rows = proofs.texts(places)
    return rows.column("text"), split_lists(rows.column("tokens").combine_chunks())
