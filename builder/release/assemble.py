"""Parts → the complete release in a staging folder → its place, in one go."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from proofmatch.errors import ProofmatchError

from ...dataset_card import render_card
from ..engine.parts import PartReport, read_discarded, read_report
from ..engine.pool import WorkerPool
from ..engine.run_folder import RunFolder
from ..settings import BuildSettings
from .index import build_index
from .manifest import MANIFEST, write_manifest
from .splits import split_by_article, split_pairs
from .statistics import compute_statistics
from .tables import TableFile, WrittenFile, plan_files, write_file


def assemble_release(
    run: RunFolder, release: Path, settings: BuildSettings, parameters: dict[str, Any], pool: WorkerPool
) -> Iterator[WrittenFile]:
    """Make the release from the finished parts and report each table as it is written."""
    parts = run.finished_parts()
    index, duplicates = build_index(parts)
    discarded = pa.concat_tables([duplicates, *map(read_discarded, parts)])
    discarded = discarded.sort_by([(name, "ascending") for name in discarded.column_names])
    mixed, by_article = split_pairs(index), split_by_article(index, settings.seed)
    planned = plan_files(index, mixed, by_article, run.staging)
    written: dict[Path, WrittenFile] = {}
    for file in pool.run(write_file, planned, rescue=_give_up):
        written[file.path] = file
        yield file
    files = [written[file.path] for file in planned]
    statistics = compute_statistics(index, PartReport.sum_of(map(read_report, parts)), discarded, files)
    (run.staging / "stats.json").write_text(json.dumps(statistics, indent=2) + "\n", encoding="utf-8")
    pq.write_table(discarded, run.staging / "discarded.parquet", compression="zstd")
    (run.staging / "README.md").write_text(render_card(statistics, files), encoding="utf-8")
    write_manifest(run.staging, parameters, {file.path.as_posix(): file.sha256 for file in files})
    _publish(run.staging, release)


def _give_up(file: TableFile) -> TableFile:
    raise ProofmatchError(
        f"workers died repeatedly while writing {file.path}, probably for want of memory; "
        "run the same command again with fewer --workers"
    )


def _publish(staging: Path, release: Path) -> None:
    """Move everything to its place, the manifest last: without one, a release is not complete."""
    for path in sorted(staging.iterdir(), key=lambda path: path.name == MANIFEST):
        target = release / path.name
        if target.is_dir():
            shutil.rmtree(target)
        path.replace(target)
