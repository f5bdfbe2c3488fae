"""Parts → the complete release in a staging folder → its place, in one go."""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ...dataset_card import render_card
from ..engine.parts import PartReport, read_discarded, read_report
from ..engine.pool import WorkerPool
from ..engine.run_folder import RunFolder
from ..engine.worker import die_with_parent
from ..records import Discarded
from ..settings import BuildSettings
from .index import build_index
from .manifest import MANIFEST, write_manifest
from .splits import split_by_article, split_pairs
from .statistics import compute_statistics
from .tables import TableFile, WrittenFile, plan_files, write_file

_DISCARDED_SCHEMA = pa.schema([("article_id", pa.string()), ("reason", pa.string()), ("detail", pa.string())])


def assemble_release(
    run: RunFolder, release: Path, settings: BuildSettings, parameters: dict[str, Any], workers: int
) -> Iterator[WrittenFile]:
    """Make the release from the finished parts and report each table as it is written."""
    parts = run.finished_parts()
    index, duplicates = build_index(parts)
    discarded = sorted(
        [*duplicates, *(item for part in parts for item in read_discarded(part))],
        key=lambda item: (item.article_id, item.reason, item.detail),
    )
    mixed, by_article = split_pairs(index), split_by_article(index, settings.seed)
    planned = plan_files(index, mixed, by_article, run.staging)
    written: dict[Path, WrittenFile] = {}
    with WorkerPool[TableFile, WrittenFile](workers, write_file, die_with_parent, (os.getpid(),)) as pool:
        for _, file in pool.run(planned, rescue=lambda file: file):
            written[file.path] = file
            yield file
    files = [written[file.path] for file in planned]
    statistics = compute_statistics(index, _total(parts), discarded, files)
    (run.staging / "stats.json").write_text(json.dumps(statistics, indent=2) + "\n")
    _write_discarded(discarded, run.staging / "discarded.parquet")
    (run.staging / "README.md").write_text(render_card(statistics, files))
    write_manifest(run.staging, parameters, {file.path.as_posix(): file.sha256 for file in files})
    _publish(run.staging, release)


def _total(parts: list[Path]) -> PartReport:
    total = PartReport()
    for report in map(read_report, parts):
        total.add(report)
    return total


def _write_discarded(discarded: list[Discarded], path: Path) -> None:
    rows = [{"article_id": d.article_id, "reason": d.reason.value, "detail": d.detail} for d in discarded]
    pq.write_table(pa.Table.from_pylist(rows, _DISCARDED_SCHEMA), path, compression="zstd")


def _publish(staging: Path, release: Path) -> None:
    """Move everything to its place, the manifest last: without one, a release is not complete."""
    for path in sorted(staging.iterdir(), key=lambda path: path.name == MANIFEST):
        target = release / path.name
        if target.is_dir():
            shutil.rmtree(target)
        path.replace(target)
