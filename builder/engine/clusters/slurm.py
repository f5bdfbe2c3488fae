"""The Slurm engine: a job array whose tasks are ranks, its state, and the reasons of failures in its logs.

datatrove writes the script of the array. The call that submits it returns; a later one makes the release.
"""

# pyright: reportMissingImports=false
# (The extra `distributed` need not be installed where types are checked.)

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

from proofmatch.errors import CheckFailed, ProofmatchError

from ...settings import Cluster
from ..run_folder import RunFolder
from .plan import Plan
from .rank import RunRank, launch_folder, read_failures

_JOB = "slurm-job"
_UNKNOWN_JOB = "Invalid job id"  # what Slurm answers some minutes after a job has ended

# Variables of Slurm that a command inside another job still needs: the cluster and the credentials.
_KEPT = ("SLURM_CONF", "SLURM_CLUSTERS", "SLURM_JWT")

_ERROR = re.compile(r"error|fatal|exception|killed|no such|not found", re.IGNORECASE)
_REMEDIES = {
    "launch_pickled_pipeline|bin/activate|No module named": "check --venv or --env-command",
    "TIME LIMIT": "raise --time or --tasks",
    "oom|out.of.memory": "raise --mem-per-cpu",
}
_PREFIX = re.compile(r"^(\d+: )?(.*/slurm_script: line \d+: )?")  # added by srun -l, and by the shell


def submit(plan: Plan, cluster: Cluster, folder: Path) -> None:
    """Write the script of the job array and, unless this is a dry run, submit it.

    Raises:
        ProofmatchError: If there is no Slurm here, or it refuses the job.
    """
    if not cluster.dry_run and shutil.which("sbatch") is None:
        raise ProofmatchError("there is no sbatch here; --dry-run writes the script without it")
    _write_script(plan, cluster, folder)
    if not cluster.dry_run:
        plan.run.write_note(_JOB, _sbatch(script_of(plan.run)))


def script_of(run: RunFolder) -> Path:
    """Return the path of the script that datatrove writes."""
    return launch_folder(run) / "launch_script.slurm"


def _write_script(plan: Plan, cluster: Cluster, folder: Path) -> None:
    from datatrove.executor import slurm
    from loguru import logger

    logger.remove()  # importing datatrove sends its messages to the console
    release = _checked_path(str(plan.run.output.absolute()))
    options = dict(option.lstrip("-").split("=", 1) for option in cluster.sbatch)
    array = slurm.SlurmPipelineExecutor(
        [RunRank(release, plan.configuration, cluster.cpus_per_task)],
        tasks=cluster.number_of_tasks(len(plan.missing()), cluster.workers or 1),
        workers=cluster.workers or -1,
        time=cluster.time,
        partition=cluster.partition or "",
        cpus_per_task=cluster.cpus_per_task,
        mem_per_cpu_gb=cluster.mem_per_cpu,
        # Since Slurm 22.05, a step has one CPU unless this option is given.
        srun_args={"cpus-per-task": cluster.cpus_per_task},
        job_name=f"proofmatch-{plan.configuration}",
        qos="",
        env_command=_environment(cluster),
        sbatch_args={name: shlex.quote(value) for name, value in options.items()},
        # datatrove marks a task as completed when it has ended, even if parts are missing.
        skip_completed=False,
        logging_dir=str(folder),
    )
    # We submit the script ourselves: datatrove would drop sbatch's messages and add a job for statistics.
    before, slurm.launch_slurm_job = slurm.launch_slurm_job, lambda *_: ""
    try:
        array.launch_job()
    finally:
        slurm.launch_slurm_job = before
    if "mem" in options:  # Slurm accepts the memory of a task or of a CPU, not both
        script = script_of(plan.run)
        text = script.read_text(encoding="utf-8")
        script.write_text(re.sub(r"#SBATCH --mem-per-cpu=.*\n", "", text), encoding="utf-8")


def _environment(cluster: Cluster) -> str:
    """Make the command that makes this installation available in a task."""
    lines = [cluster.env_command] if cluster.env_command else []
    if cluster.venv or not (lines or sys.prefix == sys.base_prefix):
        script = Path(cluster.venv or sys.prefix).absolute() / "bin" / "activate"
        if script.exists():
            # Without `exit`, a task would use any Python that it finds.
            lines.append(f"source {_checked_path(str(script))} || exit 1")
        elif cluster.venv:
            raise ProofmatchError(f"{cluster.venv} is not a virtual environment: it has no bin/activate")
    return "; ".join(lines)


def _checked_path(path: str) -> str:
    if shlex.quote(path) != path or "%" in path:  # Slurm replaces % in the names of logs
        raise ProofmatchError(f"{path} has characters that Slurm scripts cannot use; choose another path")
    return path


def _sbatch(script: Path) -> str:
    """Submit a script and return the id of its job."""
    environment = dict(os.environ)
    if "SLURM_JOB_ID" in environment:
        # Variables of an enclosing job would bind our tasks to its CPUs.
        environment = {
            name: value
            for name, value in environment.items()
            if name in _KEPT or not name.startswith("SLURM_")
        }
    result = subprocess.run(
        ["sbatch", "--parsable", str(script)], env=environment, capture_output=True, text=True, check=False
    )
    if result.returncode:
        message = "; ".join(
            line.removeprefix("sbatch: ").removeprefix("error: ") for line in result.stderr.splitlines()
        )
        raise ProofmatchError(
            f"sbatch refused the job ({message or f'exit code {result.returncode}'}); "
            "check --partition, --tasks, --time, --cpus-per-task, --mem-per-cpu and --sbatch"
        )
    print(result.stderr, end="", file=sys.stderr)  # warnings
    return result.stdout.split()[-1].partition(";")[0]  # 17;cluster


def submitted_job(run: RunFolder) -> str | None:
    """Return the id of the job that was submitted last."""
    return run.read_note(_JOB)


def active_tasks(job: str) -> Counter[str]:
    """Count the waiting and running tasks of a job by Slurm's name for their state.

    Raises:
        ProofmatchError: If Slurm does not answer.
    """
    if shutil.which("squeue") is None:
        return Counter()
    asked = subprocess.run(
        ["squeue", "--noheader", "--array", "--jobs", job, "--format=%T %r"],
        capture_output=True,
        text=True,
        check=False,
    )
    if asked.returncode and _UNKNOWN_JOB not in asked.stderr:
        reason = asked.stderr.strip().rpartition("\n")[2]
        raise ProofmatchError(
            f"cannot find out from Slurm whether job {job} is running ({reason}); "
            "run the same command again later"
        )
    return Counter(map(_state, asked.stdout.splitlines()))


def _state(line: str) -> str:
    state, _, reason = line.strip().partition(" ")
    return state.lower() + (f" ({reason})" if state == "PENDING" and reason != "None" else "")


def refuse_if_active(run: RunFolder) -> None:
    """Refuse to touch a folder for which a job is waiting or running.

    Raises:
        CheckFailed: If there is one.
    """
    job = submitted_job(run)
    if job and active_tasks(job):
        raise CheckFailed(
            f"Slurm job {job} for {run.output} has not ended; `proofmatch build --status --out {run.output}` "
            "shows its progress; when it has ended, run the same command again to make the release "
            f"(`scancel {job}` ends it)"
        )


def failure_reasons(run: RunFolder) -> list[str]:
    """Collect why parts are missing, from the records of ranks, or else from the logs."""
    return read_failures(run) or _reasons_in_logs(launch_folder(run) / "slurm_logs")


def _reasons_in_logs(folder: Path) -> list[str]:
    kinds: dict[str, list[str]] = {}
    for log in sorted(folder.glob("*.out")):
        if line := _last_error(log.read_text(encoding="utf-8", errors="replace")):
            # Tasks that fail for the same reason name different steps, times and machines.
            kind = re.sub(r"\d+", "", line)
            kinds.setdefault(kind, []).append(f"task {log.stem}: {line}{_remedy(line)}")
    return [
        first + (f" (and {len(others)} more like this)" if others else "")
        for first, *others in kinds.values()
    ]


def _last_error(text: str) -> str | None:
    lines = [line for line in text.splitlines() if _ERROR.search(line) and not line.startswith("+ ")]
    # srun only repeats how the program ended.
    lines = [line for line in lines if not line.startswith("srun: ")] or lines
    return _PREFIX.sub("", lines[-1]).strip() if lines else None


def _remedy(line: str) -> str:
    return next(
        (f"; {remedy}" for cause, remedy in _REMEDIES.items() if re.search(cause, line, re.IGNORECASE)), ""
    )
