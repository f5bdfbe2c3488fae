"""Parts → the tables of a release → the release."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from proofmatch.workers import WorkerPool

from ..engine.run_folder import RunFolder
from ..pair_parts import PartReport
from .complete import complete_release
from .splits import SplitPairs
from .statistics import compute_statistics
from .tables import WrittenFile, plan_files, write_file


@dataclass(frozen=True, slots=True)
class Contents:
    """What a release is made of.

    Attributes:
        mixed: The pairs, split by pair.
        by_article: The pairs, split by article.
        report: What was read to find them.
        discarded: Rows of `discarded.parquet`.
    """

    mixed: SplitPairs
    by_article: SplitPairs
    report: PartReport
    discarded: pa.Table


def assemble_release(
    run: RunFolder, release: Path, contents: Contents, parameters: dict[str, Any], pool: WorkerPool
) -> Iterator[WrittenFile]:
    """Make the release from the finished parts and report each table as it is written."""
    planned = plan_files(contents.mixed, contents.by_article, run.staging)
    written: dict[Path, WrittenFile] = {}
    for file in pool.run(write_file, planned):
        written[file.path] = file
        yield file
    files = [written[file.path] for file in planned]
    discarded = contents.discarded.sort_by([(name, "ascending") for name in contents.discarded.column_names])
    statistics = compute_statistics(contents.mixed, contents.report, discarded, files)
    pq.write_table(discarded, run.staging / "discarded.parquet", compression="zstd")
    complete_release(run.staging, release, statistics, files, parameters)
