"""`build_release`: articles in, release folder out."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa

from proofmatch.errors import ProofmatchError
from proofmatch.progress import Progress
from proofmatch.workers import WorkerPool, number_of_workers

from .engine.batches import cut_into_batches
from .engine.distributed.cluster import Cluster
from .engine.distributed.job import refuse_if_active
from .engine.distributed.run import check_engine, make_parts_elsewhere
from .engine.local import local_pool, run_batches
from .engine.run_folder import RunFolder
from .filters import load_detector
from .pair_parts import PartReport, read_discarded, read_report
from .readers.sources import check_sources, read_sources
from .readers.urls import public_url
from .release.assemble import Contents, assemble_release
from .release.complete import make_unless_complete
from .release.index import build_index
from .release.manifest import build_parameters
from .release.splits import split_by_article, split_pairs
from .settings import BuildSettings


def build_release(
    sources: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    workers: int | None = None,
    engine: Literal["local", "ray", "slurm"] = "local",
    cluster: Cluster | None = None,
    **settings: Any,  # noqa: ANN401 - checked by BuildSettings
) -> Path:
    """Build a release from LaTeXML articles.

    The result depends on the sources and the settings alone. A build that was interrupted, even killed,
    goes on where it stopped when it is called again; a finished one is left as it is.

    Args:
        sources: Folders, globs, archives (`.tar[.gz|.bz2|.xz]`, `.zip`), articles, or fsspec URLs.
        out: The release folder.
        workers: Number of processes, or on a cluster of tasks at a time; by default what there is room for.
        engine: Where they run: on this machine, or through datatrove on Ray or Slurm. With Slurm, the call
            returns when the job is submitted; the same call makes the release when the job has ended.
        cluster: Details of the latter two.
        **settings: See `BuildSettings`.

    Returns:
        The release folder, which `datasets.load_dataset` opens.

    Raises:
        ProofmatchError: If a source does not exist or has no article, or `out` holds something else.

    Example:
        >>> build_release("articles/", "release", min_tokens=10)  # doctest: +SKIP
        PosixPath('release')
    """
    given = [sources] if isinstance(sources, str | os.PathLike) else sources
    names = [os.fspath(source) for source in given]
    release, chosen = Path(out), BuildSettings(**settings)
    processes = number_of_workers(workers if engine == "local" else None)
    shares = replace(cluster or Cluster(), workers=workers)
    check_engine(engine, shares)
    parameters = build_parameters(chosen, names)
    load_detector(chosen.detector)
    check_sources(names)
    refuse_if_active(RunFolder(release))
    make_unless_complete(
        release,
        parameters,
        lambda run: _build(run, names, release, chosen, parameters, processes, engine, shares),
    )
    return release


def _build(
    run: RunFolder,
    sources: list[str],
    release: Path,
    settings: BuildSettings,
    parameters: dict[str, Any],
    workers: int,
    engine: str,
    cluster: Cluster,
) -> None:
    with local_pool(run, settings, workers) as pool:
        run.note_engine(engine)
        with run.removed_if_in_vain():
            if engine == "local":
                _read_here(sources, run, settings, pool)
            elif not make_parts_elsewhere(run, sources, settings, parameters, engine, cluster):
                return  # a job was submitted that does so
            total = PartReport.sum_of(map(read_report, run.finished_parts()))
            if not total.pairs_kept:
                run.remove()
                raise ProofmatchError(_why_nothing(total, sources))
        with Progress("writing tables", "files") as progress:
            parts = run.finished_parts()
            index, duplicates = build_index(parts)
            contents = Contents(
                split_pairs(index),
                split_by_article(index, settings.seed),
                total,
                pa.concat_tables([duplicates, *map(read_discarded, parts)]),
            )
            for file in assemble_release(run, release, contents, parameters, pool):
                progress.summary = f"{file.config}, {file.split}"
                progress.advance()
            progress.summary = str(release)
        run.remove()


def _read_here(sources: list[str], run: RunFolder, settings: BuildSettings, pool: WorkerPool) -> None:
    batches = cut_into_batches(read_sources(sources, settings.max_document_bytes))
    total = PartReport()
    with Progress("reading articles", "batches") as progress:
        for report in run_batches(batches, run, settings, pool):
            total.add(report)
            progress.summary = str(total)
            progress.advance()
        total = PartReport.sum_of(map(read_report, run.finished_parts()))  # an earlier run's too
        progress.summary = str(total) if total.pairs_kept else ""


def _why_nothing(total: PartReport, sources: list[str]) -> str:
    names = ", ".join(map(public_url, sources))
    if not total.documents:
        return f"no article (.xhtml, .html) can be read from {names}"
    return (
        f"no pair was kept of {total.pairs_found} found in the {total.documents} documents of {names}; "
        "check that they are LaTeXML articles with proofs, and the limits for length and language"
    )
