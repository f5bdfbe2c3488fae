"""`proofmatch build`: articles → release folder."""

import argparse
import os
from dataclasses import asdict, fields
from pathlib import Path

from proofmatch.cli import InsteadOf
from proofmatch.errors import ProofmatchError, printable

from ..filters import DETECTORS
from ..settings import ENGINES, BuildSettings, Cluster

# Option → the engines that use it.
_CLUSTER_OPTIONS = {
    "tasks": ("ray", "slurm"),
    "cpus_per_task": ("ray", "slurm"),
    "mem_per_cpu": ("ray", "slurm"),
    "address": ("ray",),
    "partition": ("slurm",),
    "time": ("slurm",),
    "env_command": ("slurm",),
    "venv": ("slurm",),
    "sbatch": ("slurm",),
    "dry_run": ("slurm",),
}

EXAMPLE = "proofmatch build MREC.2011.4.439.tar.bz2 --out release --workers 8"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument
    parser.set_defaults(**asdict(BuildSettings()))
    sources = add(
        "sources",
        nargs="+",
        metavar="SOURCE",
        help="a folder, a glob, .tar[.gz|.bz2|.xz], .zip, an article (.xhtml, .html), a LaTeX source (.tex, "
        "an arXiv e-print), or an fsspec URL",
    )
    add("--out", required=True, type=Path, metavar="RELEASE", help="release folder to write")
    add(
        "--status",
        action=InsteadOf,
        nargs=0,
        const=True,
        default=False,
        other=sources,
        help="only show the status of the build in RELEASE; the exit code is 0 if it is complete, else 1",
    )
    add("--workers", type=int, metavar="N", help="processes (default: one per CPU), or concurrent tasks")
    add("--engine", choices=ENGINES, default="local", help="where the workers run")
    add("--min-tokens", type=int, metavar="N", help="shortest text kept")
    add("--max-tokens", type=int, metavar="N", help="longest text kept")
    add("--detector", choices=list(DETECTORS), help="language identification")
    add("--titles", choices=["keep", "drop"], help='"Lemma 2.1." and "Proof." in the texts')
    add("--seed", type=int, help="salt of the splits")
    add("--max-document-mb", type=int, metavar="N", help="discard larger documents unread")
    add("--document-seconds", type=float, metavar="S", help="CPU time that a document may take")
    add(
        "--conversion-seconds",
        type=float,
        metavar="S",
        help="CPU time that LaTeXML may take for a source",
    )
    add("--conversion-mb", type=int, metavar="N", help="memory that LaTeXML may take for a source")
    add(
        "--conversions",
        type=Path,
        metavar="DIR",
        help="where converted LaTeX sources are kept for later builds (default: the user's cache)",
    )
    add("--license", metavar="NAME", help="the Hub's name of the licence, for the card")
    _add_cluster_arguments(parser)


def _add_cluster_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "several machines (--engine ray or slurm, extra `distributed`)",
        "Sources and RELEASE must be on a file system that all machines share. "
        "The result is the same as on one machine.",
    )
    add = group.add_argument
    add("--tasks", type=int, metavar="N", help="number of tasks (default: each takes some minutes)")
    add("--cpus-per-task", type=int, metavar="N", help="processes of a task (default: 1)")
    add("--mem-per-cpu", type=int, metavar="GB", help="memory for each process (default: 2)")
    add(
        "--ray-address",
        dest="address",
        metavar="HOST:PORT",
        help="the Ray cluster (default: one on this machine)",
    )
    add("--partition", metavar="NAME", help="Slurm's partition")
    add("--time", metavar="H:M:S", help="Slurm's time limit for a task (default: 24:00:00)")
    add(
        "--env-command",
        metavar="COMMAND",
        help="shell command that makes proofmatch available in a Slurm task",
    )
    add("--venv", metavar="DIR", help="virtual environment to activate in a Slurm task (default: this one)")
    add("--sbatch", action="append", metavar="NAME=VALUE", help="more options of sbatch, such as account=me")
    add("--dry-run", action="store_true", default=None, help="write the Slurm script, submit nothing")


def run(options: argparse.Namespace) -> int:
    """Build the release, or show its status."""
    if options.status:
        return _show_status(options)
    # A build multiplies no matrices. Without this, OpenBLAS starts threads when NumPy is imported, and
    # workers cannot be forked.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from ..building import build_release
    from ..release.schema import MANIFEST

    already = (options.out / MANIFEST).exists()
    release = build_release(
        options.sources,
        options.out,
        workers=options.workers,
        engine=options.engine,
        cluster=_cluster(options),
        conversions=options.conversions,
        **{setting.name: getattr(options, setting.name) for setting in fields(BuildSettings)},
    )
    if (release / MANIFEST).exists():
        report_complete(release, already)
    else:
        _report_submitted(release, options)
    return 0


def _show_status(options: argparse.Namespace) -> int:
    from ..status import status_of

    status = status_of(options.out)
    print(printable(str(status)))
    return 0 if status.complete else 1


def _cluster(options: argparse.Namespace) -> Cluster:
    """Collect the given cluster options; options of another engine are refused."""
    given = {name: getattr(options, name) for name in _CLUSTER_OPTIONS if getattr(options, name) is not None}
    for name in given:
        if options.engine not in _CLUSTER_OPTIONS[name]:
            option = "--ray-address" if name == "address" else "--" + name.replace("_", "-")
            raise ProofmatchError(f"{option} is an option of --engine {' and '.join(_CLUSTER_OPTIONS[name])}")
    return Cluster(**{**given, "sbatch": tuple(given.get("sbatch", ()))})


def report_complete(release: Path, already: bool) -> None:
    """Print that a release is complete, and whether it already was before the command."""
    state = "was already complete" if already else "is complete"
    print(f"{release} {state}; `proofmatch stats {release}` describes it")


def _report_submitted(release: Path, options: argparse.Namespace) -> None:
    """Print the id of the submitted job and what to do next, or the script of a dry run."""
    from ..engine.clusters.slurm import script_of, submitted_job
    from ..engine.run_folder import RunFolder

    run = RunFolder(release)
    if options.dry_run:
        print(script_of(run).read_text(encoding="utf-8"), end="")
        return
    print(
        f"Slurm job {submitted_job(run)} is submitted; `proofmatch build --status --out {release}` shows its "
        "progress; when it has ended, run the same command again to make the release"
    )
