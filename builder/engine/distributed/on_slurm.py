"""The Slurm engine: datatrove writes the script of a job array, and a task of it is a rank."""

# pyright: reportMissingImports=false
# (The extra `distributed` need not be installed where types are checked.)

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from datatrove.executor import slurm

from proofmatch.errors import ProofmatchError

from .cluster import Cluster
from .job import note_job, script_of
from .plan import Plan
from .step import RunRank

# What a command within another job still needs of Slurm's variables: where the cluster is, and who asks.
_KEPT = ("SLURM_CONF", "SLURM_CLUSTERS", "SLURM_JWT")


class RankArray(slurm.SlurmPipelineExecutor):
    """A job array of our ranks."""

    def get_sbatch_args(self, max_array: int = 1) -> dict[str, Any]:
        """Tell sbatch's options; Slurm wants the memory of a task in one of two ways, and not in both."""
        options = super().get_sbatch_args(max_array)
        if "mem" in options:
            del options["mem-per-cpu"]
        return options


def submit(plan: Plan, cluster: Cluster, folder: Path) -> None:
    """Write the script of the job array and, unless this is a dry run, submit it.

    Raises:
        ProofmatchError: If there is no Slurm here, or it refuses.
    """
    _silence()
    if not cluster.dry_run and shutil.which("sbatch") is None:
        raise ProofmatchError("there is no sbatch here; --dry-run writes the script without it")
    with _datatrove_submitting_nothing():
        _array(plan, cluster, folder).launch_job()
    if not cluster.dry_run:
        note_job(plan.run, _sbatch(script_of(plan.run)))


@contextmanager
def _datatrove_submitting_nothing() -> Iterator[None]:
    """Have it write the script alone: it loses what sbatch says, and adds a job to sum up statistics."""
    before, slurm.launch_slurm_job = slurm.launch_slurm_job, lambda *_: ""
    try:
        yield
    finally:
        slurm.launch_slurm_job = before


def _array(plan: Plan, cluster: Cluster, folder: Path) -> RankArray:
    release = _borne(str(plan.run.path.parent.absolute()))
    options = dict(option.lstrip("-").split("=", 1) for option in cluster.sbatch)
    return RankArray(
        [RunRank(release, plan.configuration, cluster.cpus_per_task)],
        tasks=cluster.number_of_tasks(len(plan.missing()), cluster.workers or 1),
        workers=cluster.workers or -1,
        time=cluster.time,
        partition=cluster.partition or "",
        cpus_per_task=cluster.cpus_per_task,
        mem_per_cpu_gb=cluster.mem_per_cpu,
        # Since Slurm 22.05 a step has one processor unless it is told to have those of its job.
        srun_args={"cpus-per-task": cluster.cpus_per_task},
        job_name=f"proofmatch-{plan.configuration}",
        qos="",
        env_command=_environment(cluster),
        sbatch_args={name: shlex.quote(value) for name, value in options.items()},
        # A mark says that a task has ended, not that its parts are there.
        skip_completed=False,
        logging_dir=str(folder),
    )


def _environment(cluster: Cluster) -> str:
    """Make the command by which a task finds this installation: what was given, or else our environment's."""
    lines = [cluster.env_command] if cluster.env_command else []
    if cluster.venv or not (lines or sys.prefix == sys.base_prefix):
        script = Path(cluster.venv or sys.prefix).absolute() / "bin" / "activate"
        if script.exists():
            # Without it, a task would take whatever it finds.
            lines.append(f"source {_borne(str(script))} || exit 1")
        elif cluster.venv:
            raise ProofmatchError(f"{cluster.venv} is not a virtual environment: it has no bin/activate")
    return "; ".join(lines)


def _borne(path: str) -> str:
    if shlex.quote(path) != path or "%" in path:  # which Slurm replaces in the names of logs
        raise ProofmatchError(f"{path} has characters that Slurm scripts do not bear; choose another path")
    return path


def _sbatch(script: Path) -> str:
    """Submit a script, and tell the number of its job."""
    environment = dict(os.environ)
    if "SLURM_JOB_ID" in environment:
        # A job hands its variables down, and this one's tasks would be bound to that one's processors.
        environment = {
            name: value
            for name, value in environment.items()
            if name in _KEPT or not name.startswith("SLURM_")
        }
    result = subprocess.run(
        ["sbatch", "--parsable", str(script)], env=environment, capture_output=True, text=True, check=False
    )
    if result.returncode:
        said = "; ".join(
            line.removeprefix("sbatch: ").removeprefix("error: ") for line in result.stderr.splitlines()
        )
        raise ProofmatchError(
            f"sbatch refused the job ({said or f'exit code {result.returncode}'}); "
            "check --partition, --tasks, --time, --cpus-per-task, --mem-per-cpu and --sbatch"
        )
    print(result.stderr, end="", file=sys.stderr)  # warnings
    return result.stdout.split()[-1].partition(";")[0]  # 17;cluster


def _silence() -> None:
    """Take datatrove's messages off the console, where the import has put them."""
    from loguru import logger

    logger.remove()
