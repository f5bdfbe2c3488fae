"""Parts → the tables of a release → the release."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from proofmatch.errors import ProofmatchError

from ..engine.parts import PartReport, read_discarded, read_report
from ..engine.pool import WorkerPool
from ..engine.run_folder import RunFolder
from .complete import complete_release
from .splits import SplitPairs
from .statistics import compute_statistics
from .tables import TableFile, WrittenFile, plan_files, write_file


def assemble_release(
    run: RunFolder,
    release: Path,
    mixed: SplitPairs,
    by_article: SplitPairs,
    left_out: pa.Table,
    parameters: dict[str, Any],
    pool: WorkerPool,
) -> Iterator[WrittenFile]:
    """Make the release from the finished parts and report each table as it is written.

    Args:
        run: Has the parts, and room for the release in the making.
        release: Its place.
        mixed: The pairs, split by pair.
        by_article: The pairs, split by article.
        left_out: Rows of `discarded.parquet` beside those of the parts.
        parameters: What decided the content.
        pool: Writes the tables.
    """
    parts = run.finished_parts()
    discarded = pa.concat_tables([left_out, *map(read_discarded, parts)])
    discarded = discarded.sort_by([(name, "ascending") for name in discarded.column_names])
    planned = plan_files(mixed, by_article, run.staging)
    written: dict[Path, WrittenFile] = {}
    for file in pool.run(write_file, planned, rescue=_give_up):
        written[file.path] = file
        yield file
    files = [written[file.path] for file in planned]
    report = PartReport.sum_of(map(read_report, mixed.index.parts))
    statistics = compute_statistics(mixed.index, report, discarded, files)
    pq.write_table(discarded, run.staging / "discarded.parquet", compression="zstd")
    complete_release(run.staging, release, statistics, files, parameters)


def _give_up(file: TableFile) -> TableFile:
    raise ProofmatchError(
        f"workers died repeatedly while writing {file.path}, probably for want of memory; "
        "run the same command again with fewer --workers"
    )
