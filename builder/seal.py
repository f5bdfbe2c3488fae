"""`seal_release`: a release in, the same release without the answers of its test split out.

More than the test pairs is withheld. A pair of another split with the texts of a sealed statement and of a
sealed proof would reveal that they belong together, and the other family's splits would narrow the choice.
"""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute generates its functions at run time, where type checkers do not see them.)

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from proofmatch.errors import ProofmatchError
from proofmatch.progress import Progress
from proofmatch.storage import atomic_folder, disk_errors, write_atomically
from proofmatch.workers import WorkerPool, number_of_workers

from .release.assemble import describe_release, write_shards
from .release.gold import GoldPair, gold_lines
from .release.release import Release, Seal, open_release, read_manifest
from .release.schema import CONFIGS, DISCARDED, ROW_GROUP, SCHEMA_VERSION, SPLITS, TEST, config_name
from .release.statistics import count_rows
from .release.tables import Shard, WrittenShard, write_shard
from .variants.record import RECORD

_SIDES = ("statement", "proof")


def seal_release(
    release: str | os.PathLike[str],
    out: str | os.PathLike[str],
    gold: str | os.PathLike[str],
    *,
    by_article: bool = False,
    workers: int | None = None,
) -> Seal:
    """Make a release without the answers of its test split, and write the answers to a file of their own.

    It keeps statements and proofs, so anybody can make predictions; evaluating them requires the gold file.

    Args:
        release: The folder of an open release.
        out: The folder of the sealed release.
        gold: The file with the answers; it must be outside of both folders.
        by_article: Seal the test split by article instead of the mixed one.
        workers: Number of processes; by default one per CPU.

    Raises:
        ProofmatchError: If the release is sealed, incomplete or of an old version, or `out` or `gold` exist.
    """
    processes = number_of_workers(workers)
    source, folder, gold = _open(Path(release)), Path(out), Path(gold)
    _check_places(source, folder, gold)
    pairs = _read_test_pairs(source, by_article)
    answers, seal = gold_lines(pairs), Seal(by_article, len(pairs))
    parameters = {**source.parameters, "sealed": seal.as_parameter()}
    _refuse_other_gold(gold, answers)
    if gold.exists() and _is_complete(folder, parameters, pairs):
        return seal
    with atomic_folder(folder) as staging:
        withheld = _find_withheld(source, by_article)
        tables = list(_plan(source, staging, by_article, withheld))
        with WorkerPool(processes) as pool:
            files = write_shards(_write_table, tables, pool)
        shutil.copyfile(source.folder / DISCARDED, staging / DISCARDED)
        if RECORD in source.files:
            _write_record(source, staging, withheld)
        statistics = {**source.statistics, "rows": count_rows(files)}
        describe_release(staging, statistics, files, parameters)
        # The gold is written before the release appears, so that no sealed release can lack its gold.
        with disk_errors(gold):
            gold.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(gold, answers)
    return seal


def _open(folder: Path) -> Release:
    if not folder.is_dir():
        raise ProofmatchError(
            f"{folder} is not a folder; give a release made by `proofmatch build` or `import`"
        )
    release = open_release(folder)
    if release.sealed is not None:
        raise ProofmatchError(f"{folder} is sealed already; give the release that it was made from")
    if release.schema_version < SCHEMA_VERSION:
        raise ProofmatchError(
            f"{folder} has schema version {release.schema_version}, whose ids confirm guessed pairs; "
            "make the release again, then seal it"
        )
    release.verify()
    return release


def _check_places(source: Release, out: Path, gold: Path) -> None:
    """Refuse places that would publish the gold or mix two releases."""
    release, public, answers = (path.resolve() for path in (source.folder, out, gold))
    if public.is_relative_to(release) or release.is_relative_to(public):
        raise ProofmatchError(f"{out} and {source.folder} must be different folders; choose another --out")
    for folder, path in ((public, out), (release, source.folder)):
        if answers.is_relative_to(folder):
            raise ProofmatchError(
                f"{gold} is inside {path}, where it would be published; choose another --gold"
            )


def _refuse_other_gold(gold: Path, answers: str) -> None:
    """Refuse to overwrite a file, unless it is what an interrupted run has written."""
    with disk_errors(gold):
        if (gold.exists() or gold.is_symlink()) and not (
            gold.is_file() and gold.read_bytes() == answers.encode()
        ):
            raise ProofmatchError(f"{gold} exists; choose another --gold or delete it")


def _is_complete(folder: Path, parameters: dict[str, Any], pairs: list[GoldPair]) -> bool:
    """Tell whether a run that was killed at its very end has left nothing to do."""
    if not folder.is_dir() or not (manifest := read_manifest(folder)) or manifest["parameters"] != parameters:
        return False
    seal = Seal.from_parameters(parameters)
    config = config_name("statements", seal is not None and seal.by_article)
    ids = open_release(folder).table(config, SPLITS[TEST], ["statement_id"]).column(0).to_pylist()
    return set(ids) == {pair.statement_id for pair in pairs}


def _read_test_pairs(source: Release, by_article: bool) -> list[GoldPair]:
    pairs = source.table(config_name("pairs", by_article), SPLITS[TEST], list(GoldPair._fields))
    return [GoldPair(*row) for row in zip(*(column.to_pylist() for column in pairs.columns), strict=True)]


@dataclass(frozen=True, slots=True)
class _Withheld:
    """Ids of pairs and texts that a family must not have, apart from the task of the sealed split."""

    id: pa.Array
    statement_id: pa.Array
    proof_id: pa.Array


def _find_withheld(source: Release, by_article: bool) -> dict[bool, _Withheld]:
    """Find the pairs of both families that have the texts of a sealed statement and of a sealed proof.

    The sealed pairs themselves are among them. Whether the two texts belong together does not matter, so that
    `proofmatch check` can verify without the gold that nothing was forgotten.
    """
    sealed = {side: _read_texts(source, side, by_article) for side in _SIDES}
    withheld = {}
    with Progress("searching for sealed texts", "row groups") as progress:
        for family in (False, True):
            found = [
                table
                for split in SPLITS
                for name in source.shards(config_name("pairs", family), split)
                for table in _sealed_rows(source.folder / name, sealed, progress)
            ]
            ids = pa.concat_tables(found).combine_chunks()
            withheld[family] = _Withheld(*(ids.column(name).combine_chunks() for name in _Withheld.__slots__))
        progress.summary = f"{len(withheld[by_article].id):,} pairs are withheld"
    return withheld


_Texts = tuple[pa.Array, pa.Array]  # as they are read, and as tokens joined by spaces


def _read_texts(source: Release, side: str, by_article: bool) -> _Texts:
    table = source.table(config_name(f"{side}s", by_article), SPLITS[TEST], ["text", "tokens"])
    return table.column(0).combine_chunks(), pc.binary_join(table.column(1), " ").combine_chunks()


def _sealed_rows(path: Path, sealed: dict[str, _Texts], progress: Progress) -> Iterator[pa.Table]:
    names = list(_Withheld.__slots__)
    with pq.ParquetFile(path) as file:
        for number in range(file.num_row_groups):
            columns = [name for side in _SIDES for name in (side, f"{side}_tokens")]
            table = file.read_row_group(number, columns=[*names, *columns])
            statement, proof = (
                pc.or_(
                    pc.is_in(table.column(side), value_set=texts),
                    pc.is_in(pc.binary_join(table.column(f"{side}_tokens"), " "), value_set=tokens),
                )
                for side, (texts, tokens) in sealed.items()
            )
            progress.advance()
            yield table.select(names).filter(pc.and_(statement, proof))


@dataclass(frozen=True, slots=True)
class _Table:
    """A file of a table to write, with the same path as in the open release."""

    path: Path  # in the open release
    shard: Shard
    column: str  # of the ids
    withheld: pa.Array  # ids of rows to leave out

    def __str__(self) -> str:
        return str(self.shard.path)


def _plan(
    source: Release, staging: Path, by_article: bool, withheld: dict[bool, _Withheld]
) -> Iterator[_Table]:
    """List the files to write: the sealed split has its task as it was, but no pairs."""
    for config in CONFIGS:
        column = next(iter(config.columns))
        values = getattr(withheld[config.by_article], column)
        for split in SPLITS:
            is_sealed = config.by_article == by_article and split == SPLITS[TEST]
            if is_sealed and column == "id":
                continue
            for name in source.shards(config.name, split):
                shard = Shard(config, split, Path(name), staging)
                yield _Table(source.folder / name, shard, column, values[:0] if is_sealed else values)


def _write_table(table: _Table) -> WrittenShard:
    """Write a table without what is withheld; runs in a worker."""
    return write_shard(table.shard, _row_groups(table))


def _row_groups(table: _Table) -> Iterator[pa.Table]:
    """Read the remaining rows; full row groups, whose sizes do not tell where rows are missing."""
    schema = table.shard.config.schema
    rows = schema.empty_table()
    with pq.ParquetFile(table.path) as file:
        for number in range(file.num_row_groups):
            group = file.read_row_group(number).select(schema.names).cast(schema)
            rows = pa.concat_tables([rows, _without(group, table.column, table.withheld)])
            while rows.num_rows >= ROW_GROUP:
                yield rows.slice(0, ROW_GROUP).combine_chunks()
                rows = rows.slice(ROW_GROUP)
    if rows.num_rows:
        yield rows.combine_chunks()


def _without(table: pa.Table, column: str, withheld: pa.Array) -> pa.Table:
    return table.filter(pc.invert(pc.is_in(table.column(column), value_set=withheld)))


def _write_record(source: Release, staging: Path, withheld: dict[bool, _Withheld]) -> None:
    """Write the names in a variant's proofs, except for sealed ones, whose names reveal their statements."""
    ids = pa.concat_arrays([family.id for family in withheld.values()])
    pq.write_table(
        _without(pq.read_table(source.folder / RECORD), "id", ids), staging / RECORD, compression="zstd"
    )
