"""Parts → tables, statistics, card and manifest → the complete release folder."""

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from proofmatch.errors import ProofmatchError
from proofmatch.progress import Progress
from proofmatch.storage import disk_reason
from proofmatch.workers import WorkerPool

from ...dataset_card.card import CardFacts, ConfigFacts, render_card
from ..engine.run_folder import RunFolder, refuse_other_settings
from ..pair_parts import PartReport
from .release import origin, read_manifest, write_manifest
from .schema import CONFIGS, DISCARDED, MANIFEST, SPLITS, STATISTICS
from .splits import SplitPairs
from .statistics import compute_statistics
from .tables import Shard, WrittenShard, plan_shards, write_planned

RESUMES = "run the same command again to continue"


def make_once(
    run: RunFolder,
    parameters: dict[str, Any],
    make: Callable[[RunFolder], None],
    remedy: str = RESUMES,
    settings: dict[str, Any] | None = None,
) -> None:
    """Make a release unless it is already complete; of several processes that try, only one makes it.

    Args:
        run: The run folder in the release folder.
        parameters: Everything that determines the content of the release.
        make: Makes the release and removes the run folder at the end.
        remedy: What to do after the cause of a disk error is fixed.
        settings: The parameters that unfinished work must share; by default all.

    Raises:
        ProofmatchError: If the folder holds something else, or another process is writing to it.
    """
    release = run.output
    with _explaining_disk_errors(release, remedy):
        # List the folder before reading the manifest: a build that finishes writes the manifest first and
        # then removes its run folder. List it once: another build may create the run folder at any moment.
        present = list(release.iterdir()) if release.is_dir() else []
        has_other_files = bool(present) and run.path not in present
        if _is_complete(release, parameters):
            if run.path.exists():  # the build was killed just before removing it
                run.remove_leftovers()
            return
        if has_other_files:
            raise ProofmatchError(f"{release} is not empty and not a release; choose another --out")
        with run.opened(parameters if settings is None else settings):
            if _is_complete(release, parameters):  # another process has just finished it
                run.remove()
            else:
                make(run)


def _is_complete(release: Path, parameters: dict[str, Any]) -> bool:
    """Tell whether a folder already holds the release that these parameters make."""
    if release.is_file():
        raise ProofmatchError(f"{release} is a file; choose another --out")
    manifest = read_manifest(release)
    if manifest:
        refuse_other_settings(manifest["parameters"], parameters, release)
    return bool(manifest)


@contextmanager
def _explaining_disk_errors(release: Path, remedy: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ProofmatchError(
            f"{error.filename or release}: {disk_reason(error)}; once that is fixed, {remedy}"
        ) from error


class HasShard(Protocol):
    """Everything a worker needs to write a shard."""

    @property
    def shard(self) -> Shard: ...  # noqa: D102


Planned = TypeVar("Planned", bound=HasShard)


def write_shards(
    write: Callable[[Planned], WrittenShard], planned: Sequence[Planned], pool: WorkerPool
) -> list[WrittenShard]:
    """Write the shards of a release in parallel, and return them in the order of `planned`."""
    written: dict[Path, WrittenShard] = {}
    with Progress("writing tables", "files", len(planned)) as progress:
        for file in pool.run(write, planned):
            written[file.path] = file
            progress.summary = f"{file.config}, {file.split}"
            progress.advance()
        progress.summary = f"{len(planned)} files"
    return [written[task.shard.path] for task in planned]


@dataclass(frozen=True, slots=True)
class Contents:
    """The content of a release.

    Attributes:
        mixed: The pairs, split by pair.
        by_article: The pairs, split by article.
        report: Counts of documents and pairs read.
        discarded: Rows of `discarded.parquet`.
    """

    mixed: SplitPairs
    by_article: SplitPairs
    report: PartReport
    discarded: pa.Table


def assemble_release(
    run: RunFolder, contents: Contents, parameters: dict[str, Any], pool: WorkerPool
) -> None:
    """Write all files of a release from the finished parts, and move them into the release folder."""
    planned = plan_shards(contents.mixed, contents.by_article, run.staging)
    files = write_shards(write_planned, planned, pool)
    discarded = contents.discarded.sort_by([(name, "ascending") for name in contents.discarded.column_names])
    statistics = compute_statistics(contents.mixed, contents.report, discarded, files)
    pq.write_table(discarded, run.staging / DISCARDED, compression="zstd")
    complete_release(run, statistics, files, parameters)


def complete_release(
    run: RunFolder, statistics: dict[str, Any], files: Iterable[WrittenShard], parameters: dict[str, Any]
) -> None:
    """Add statistics, card and manifest to the tables in the staging folder, and publish everything.

    Args:
        run: The run folder; removed at the end.
        statistics: The content of `stats.json`.
        files: The tables.
        parameters: Everything that determined the content.
    """
    staging = run.staging
    describe_release(staging, statistics, list(files), parameters)
    # The manifest last: a release without one is not complete.
    for path in sorted(staging.iterdir(), key=lambda path: path.name == MANIFEST):
        target = run.output / path.name
        if target.is_dir():
            shutil.rmtree(target)
        path.replace(target)
    run.remove()


def describe_release(
    staging: Path, statistics: dict[str, Any], files: Sequence[WrittenShard], parameters: dict[str, Any]
) -> None:
    """Write statistics, card and manifest beside the tables of a release."""
    (staging / STATISTICS).write_text(json.dumps(statistics, indent=2) + "\n", encoding="utf-8")
    for name, text in render_card(card_facts(statistics, files, parameters)):
        (staging / name).parent.mkdir(exist_ok=True)
        (staging / name).write_text(text, encoding="utf-8")
    write_manifest(staging, parameters, {file.path.as_posix(): file.sha256 for file in files})


def card_facts(
    statistics: dict[str, Any], files: Iterable[WrittenShard], parameters: dict[str, Any]
) -> CardFacts:
    """Gather the facts that the card is rendered from."""
    configs = {
        config.name: ConfigFacts(
            config.name, [(column.name, pa.types.is_list(column.type)) for column in config.schema]
        )
        for config in CONFIGS
    }
    for file in files:
        configs[file.config].add_file(file.split, file.rows, file.arrow_bytes, file.file_bytes)
    return CardFacts(statistics, list(configs.values()), SPLITS, parameters, origin(parameters))
