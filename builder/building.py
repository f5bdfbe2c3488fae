"""`build_release`: articles in, release folder out."""

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa

from proofmatch import __version__
from proofmatch.errors import ProofmatchError
from proofmatch.progress import Progress
from proofmatch.workers import WorkerPool, number_of_workers

from .engine.clusters.driver import check_engine, make_parts_on_cluster
from .engine.clusters.plan import make_plan
from .engine.clusters.slurm import refuse_if_active
from .engine.local import cut_into_batches, local_pool, run_batches
from .engine.run_folder import RunFolder
from .filters import load_detector
from .latex.conversion import Latexml, local_latexml
from .pair_parts import PartReport, is_complete, read_discarded, read_report
from .readers.sources import check_sources, have_latex, read_sources
from .readers.urls import public_url
from .release.assemble import Contents, assemble_release, make_once
from .release.splits import build_index, split_by_article, split_pairs
from .settings import BuildSettings, Cluster


def build_release(
    sources: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    workers: int | None = None,
    engine: Literal["local", "ray", "slurm"] = "local",
    cluster: Cluster | None = None,
    conversions: str | os.PathLike[str] | None = None,
    **settings: Any,  # noqa: ANN401 - checked by BuildSettings
) -> Path:
    """Build a release from LaTeXML articles, or from LaTeX sources, which LaTeXML converts first.

    The result depends on the sources and the settings alone. A build that was interrupted, even killed,
    continues where it stopped when it is called again; a finished one is left unchanged.

    Args:
        sources: Folders, globs, archives (`.tar[.gz|.bz2|.xz]`, `.zip`), articles, LaTeX sources (`.tex`,
            arXiv e-prints), or fsspec URLs.
        out: The release folder.
        workers: Number of processes, or of concurrent tasks on a cluster; by default one per CPU.
        engine: Where they run: on this machine, or through datatrove on Ray or Slurm. With Slurm, the call
            returns when the job is submitted; call it again after the job has ended to make the release.
        cluster: Settings of Ray and Slurm.
        conversions: Where converted LaTeX sources are kept for later builds; by default in the user's cache.
        **settings: See `BuildSettings`.

    Returns:
        The release folder, which `datasets.load_dataset` opens.

    Raises:
        ProofmatchError: If a source does not exist or has no article, `out` holds something else, or there
            are LaTeX sources but no LaTeXML.

    Example:
        >>> build_release("articles/", "release", min_tokens=10)  # doctest: +SKIP
        PosixPath('release')
    """
    given = [sources] if isinstance(sources, str | os.PathLike) else sources
    names, chosen = [os.fspath(source) for source in given], BuildSettings(**settings)
    check_sources(names)
    latexml = local_latexml(Path(conversions) if conversions else None) if have_latex(names) else None
    build = _Build(
        names,
        chosen,
        latexml,
        build_parameters(chosen, names, latexml),
        number_of_workers(workers if engine == "local" else None),
        engine,
        replace(cluster or Cluster(), workers=workers),
    )
    check_engine(engine, build.cluster)
    load_detector(chosen.detector)
    run = RunFolder(Path(out), is_complete)
    refuse_if_active(run)
    make_once(run, build.parameters, build.make)
    return run.output


def build_parameters(
    settings: BuildSettings, sources: list[str], latexml: Latexml | None = None
) -> dict[str, Any]:
    """List everything that determines the content of a release, apart from the content of its sources.

    Local sources are named without their folders, and URLs without passwords and queries, because manifests
    are published.
    """
    names = [public_url(source) if "://" in source else Path(source).absolute().name for source in sources]
    parameters = {"made_by": "build", "proofmatch": __version__, "sources": names, **asdict(settings)}
    if latexml:
        return {**parameters, "latexml": latexml.version}
    return {name: value for name, value in parameters.items() if not name.startswith("conversion_")}


@dataclass(frozen=True, slots=True)
class _Build:
    """The arguments of a build.

    Attributes:
        sources: The sources.
        settings: Everything else that determines the content.
        latexml: What converts LaTeX sources, if there are any.
        parameters: Sources and settings, as the manifest lists them.
        workers: Number of processes on this machine.
        engine: Where the articles are read.
        cluster: Settings of Ray and Slurm.
    """

    sources: list[str]
    settings: BuildSettings
    latexml: Latexml | None
    parameters: dict[str, Any]
    workers: int
    engine: str
    cluster: Cluster

    def make(self, run: RunFolder) -> None:
        """Make the release, or submit a job to make its parts."""
        with local_pool(run, self.settings, self.workers, self.latexml) as pool:
            run.write_note("engine", self.engine)
            with run.cleanup_if_empty():
                if self.latexml:
                    self.latexml.check(run.scratch / "proof")
                if not self._make_parts(run, pool):
                    return
                parts = run.finished_parts()
                total = PartReport.sum_of(map(read_report, parts))
                if not total.pairs_kept:
                    run.remove()
                    raise ProofmatchError(self._why_no_pairs(total))
            index, duplicates = build_index(parts)
            contents = Contents(
                split_pairs(index),
                split_by_article(index, self.settings.seed),
                total,
                pa.concat_tables([duplicates, *map(read_discarded, parts)]),
            )
            assemble_release(run, contents, self.parameters, pool)

    def _make_parts(self, run: RunFolder, pool: WorkerPool) -> bool:
        """Read the articles; return False if a job was submitted to do so."""
        if self.engine != "local":
            plan = make_plan(run, self.sources, self.settings, self.parameters, self.latexml)
            return make_parts_on_cluster(plan, self.engine, self.cluster)
        documents = read_sources(self.sources, self.settings.max_document_bytes, self.latexml is not None)
        batches = cut_into_batches(documents)
        total = PartReport()
        with Progress("reading articles", "batches") as progress:
            for report in run_batches(batches, run, self.settings, pool, self.latexml):
                total.add(report)
                progress.summary = str(total)
                progress.advance()
            total = PartReport.sum_of(map(read_report, run.finished_parts()))  # includes earlier runs
            progress.summary = str(total) if total.pairs_kept else ""
        return True

    def _why_no_pairs(self, total: PartReport) -> str:
        names = ", ".join(map(public_url, self.sources))
        if not total.documents:
            return f"no article (.xhtml, .html, .tex) can be read from {names}"
        return (
            f"no pair was kept of {total.pairs_found} found in the {total.documents} documents of {names}; "
            "check that they are LaTeX(ML) articles with proofs, and the limits for length and language"
        )
