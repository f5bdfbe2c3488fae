"""The options of `proofmatch build` for engines beyond one machine."""

import argparse
from pathlib import Path

from proofmatch.errors import ProofmatchError

from ..engine.distributed.cluster import Cluster

# Option → the engines that have a use for it.
_OPTIONS = {
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


def add_cluster_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    group = parser.add_argument_group(
        "beyond one machine (--engine ray or slurm, extra `distributed`)",
        "Sources and RELEASE must lie on a file system that all machines share. The bytes are the same.",
    )
    add = group.add_argument
    add("--tasks", type=int, metavar="N", help="shares of the work (default: each takes some minutes)")
    add("--cpus-per-task", type=int, metavar="N", help="processes of a task (default: 1)")
    add("--mem-per-cpu", type=int, metavar="GB", help="memory for each (default: 2)")
    add(
        "--ray-address", dest="address", metavar="HOST:PORT", help="the Ray cluster (default: one found here)"
    )
    add("--partition", metavar="NAME", help="Slurm's partition")
    add("--time", metavar="H:M:S", help="Slurm's time limit for a task (default: 24:00:00)")
    add("--env-command", metavar="COMMAND", help="makes proofmatch available in a Slurm task")
    add("--venv", metavar="DIR", help="or a virtual environment that has it (default: this one)")
    add("--sbatch", action="append", metavar="NAME=VALUE", help="more options of sbatch, such as account=me")
    add("--dry-run", action="store_true", default=None, help="write the Slurm script, submit nothing")


def cluster_of(options: argparse.Namespace) -> Cluster:
    """Take what was given of the options.

    Raises:
        ProofmatchError: If one belongs to another engine.
    """
    given = {name: getattr(options, name) for name in _OPTIONS if getattr(options, name) is not None}
    for name in given:
        if options.engine not in _OPTIONS[name]:
            option = "--ray-address" if name == "address" else "--" + name.replace("_", "-")
            raise ProofmatchError(f"{option} is an option of --engine {' and '.join(_OPTIONS[name])}")
    return Cluster(**{**given, "sbatch": tuple(given.get("sbatch", ()))})


def say_submitted(release: Path, options: argparse.Namespace) -> None:
    """Say what to do after a job was submitted, or show what would have been."""
    from ..engine.distributed.job import noted_job, script_of
    from ..engine.run_folder import RunFolder

    run = RunFolder(release)
    if options.dry_run:
        print(script_of(run).read_text(encoding="utf-8"), end="")
        return
    print(
        f"Slurm job {noted_job(run)} is submitted; `proofmatch build --status --out {release}` tells how far "
        "it is, and the same command makes the release when it has ended"
    )
