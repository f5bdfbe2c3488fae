"""`make_variant` and `undo_variant`: a release in, the same release with other names in its proofs out."""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import pyarrow.parquet as pq
from jinja2 import UndefinedError

from proofmatch import __version__
from proofmatch.errors import CheckFailed, ProofmatchError
from proofmatch.progress import Progress
from proofmatch.workers import WorkerPool, number_of_workers

from ...dataset_card.card import render_card
from ..engine.run_folder import RunFolder
from ..release.assemble import complete_release, make_once, write_tables
from .parts import Report
from .record import RECORD, write_record
from .renaming import SYMBOLS, Symbols
from .source import Source, open_source, reading
from .worker import Choice, GroupWork, TableWork, rename_group, write_variant_table

_Work = TypeVar("_Work", GroupWork, TableWork)


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
    (*BERT is not The Count*, EACL 2023). Everything else stays as it is, and `renamed.parquet` has the names.

    Args:
        release: A release as its articles were written; of a variant there is no variant, because its names
            say nothing about what the authors shared between statement and proof.
        out: The folder of the new release.
        symbols: `full` renames all variables of a proof, `partial` half of them (rounded up), `transpose`
            exchanges those that statement and proof share.
        seed: Salt of the random choice.
        workers: Number of processes; by default one for each processor.

    Returns:
        The folder of the new release, which `datasets.load_dataset` opens.

    Raises:
        ProofmatchError: If the release is not complete, or `out` holds something else.
    """
    if symbols not in SYMBOLS:
        raise ProofmatchError(f"symbols must be one of {', '.join(SYMBOLS)}, not {symbols!r}")
    source = open_source(Path(release))
    if source.is_variant:
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
    """Give back the release that a variant was made from: the same tables, byte for byte.

    Args:
        release: The variant.
        out: The folder of the restored release.
        workers: Number of processes; by default one for each processor.

    Returns:
        The folder of the restored release.

    Raises:
        ProofmatchError: If the release is not a complete variant, or `out` holds something else.
        CheckFailed: If what comes out is not what went in when the variant was made.
    """
    source = open_source(Path(release))
    if "variant_of" not in source.parameters:
        raise ProofmatchError(f"{release} is not a variant of ours, so there is nothing to undo")
    restored = _make(source, Path(out), source.parameters["variant_of"], None, workers)
    if open_source(restored).tables_sha256 != source.parameters.get("variant_of_tables"):
        raise CheckFailed(
            f"{restored} is not the release that {release} was made from: its {RECORD} or its tables have "
            "changed since; make or download the variant again"
        )
    return restored


def _make(
    source: Source, release: Path, parameters: dict[str, Any], choice: Choice | None, workers: int | None
) -> Path:
    processes = number_of_workers(workers)
    if release.resolve().is_relative_to(source.folder.resolve()):
        raise ProofmatchError(f"{release} is the release itself or inside of it; choose another --out")
    statistics = _read_statistics(source)
    make_once(
        RunFolder(release),
        parameters,
        lambda run: _run(run, source, parameters, statistics, choice, processes),
        "run the same command again",
    )
    return release


def _run(
    run: RunFolder,
    source: Source,
    parameters: dict[str, Any],
    statistics: dict[str, Any],
    choice: Choice | None,
    workers: int,
) -> None:
    with run.cleanup_if_empty(), WorkerPool(workers) as pool:
        total, parts = Report(), list[Path]()
        with Progress("renaming variables" if choice else "restoring names", "row groups") as progress:
            # The two splits have the same pairs, unless their authors chose otherwise.
            for config in ("pairs", "pairs_by_article"):
                groups = list(_groups(source, config, run, parts, choice))
                for report in pool.run(rename_group, groups, _give_up):
                    total.add(report)
                    progress.summary = f"{total.proofs:,} proofs"
                    progress.advance()
                parts += [group.part for group in groups]
        tables = [TableWork(source.folder, *table, parts, run.staging) for table in source.tables]
        files = write_tables(write_variant_table, tables, pool, run.output)
        shutil.copyfile(source.folder / "discarded.parquet", run.staging / "discarded.parquet")
        if choice:
            write_record(parts, total, run.staging)
        complete_release(run, statistics, files, parameters)


def _read_statistics(source: Source) -> dict[str, Any]:
    """Read the statistics, and see now rather than at the end whether a card can be made of them."""
    path = source.folder / "stats.json"
    try:
        statistics = json.loads(path.read_text(encoding="utf-8"))
        render_card(statistics, [], source.parameters)
    except (KeyError, ValueError, TypeError, RecursionError, UndefinedError) as error:
        raise ProofmatchError(
            f"{path} is damaged or of another version of proofmatch ({error}); make the release again"
        ) from None
    return statistics


def _groups(
    source: Source, config: str, run: RunFolder, done: list[Path], choice: Choice | None
) -> Iterator[GroupWork]:
    for table in source.tables:
        if table.config.name == config:
            with reading(source.folder / table.path):
                row_groups = pq.read_metadata(source.folder / table.path).num_row_groups
            for number in range(row_groups):
                part = run.parts / f"{config}-{table.path.stem}-{number:05d}.arrow"
                yield GroupWork(source.folder, table.path, number, tuple(done), part, choice)


def _give_up(work: _Work) -> _Work:
    raise ProofmatchError(
        f"workers died repeatedly while working on {work.path}, probably for want of memory; "
        "run the same command again with fewer --workers"
    )
