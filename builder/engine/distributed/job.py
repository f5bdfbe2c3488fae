"""The Slurm job of a build, remembered in its run folder."""

import shutil
import subprocess
from collections import Counter
from pathlib import Path

from proofmatch.errors import CheckFailed, ProofmatchError
from proofmatch.storage import write_atomically

from ..run_folder import RunFolder

LAUNCH = "launch"  # folder for what the engine itself writes
_JOB = "slurm-job"
_FORGOTTEN = "Invalid job id"  # what Slurm says of jobs that have ended minutes ago


def note_job(run: RunFolder, job: str) -> None:
    """Remember the job that was submitted for a build."""
    write_atomically(run.path / _JOB, job + "\n")


def noted_job(run: RunFolder) -> str | None:
    """Recall the job that was submitted last."""
    try:
        return (run.path / _JOB).read_text(encoding="utf-8").strip() or None
    except OSError:
        return None


def script_of(run: RunFolder) -> Path:
    """Tell where the script of the job is, which datatrove has written."""
    return run.path / LAUNCH / "launch_script.slurm"


def active_tasks(job: str) -> Counter[str]:
    """Ask Slurm for the tasks of a job that wait or run: their number by what they do, in Slurm's words.

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
    if asked.returncode and _FORGOTTEN not in asked.stderr:
        reason = asked.stderr.strip().rpartition("\n")[2]
        raise ProofmatchError(
            f"Slurm does not tell whether job {job} is at work ({reason}); run the same command again later"
        )
    return Counter(map(_in_words, asked.stdout.splitlines()))


def _in_words(line: str) -> str:
    state, _, reason = line.strip().partition(" ")
    return state.lower() + (f" ({reason})" if state == "PENDING" and reason != "None" else "")


def refuse_if_active(run: RunFolder) -> None:
    """Leave a folder alone in which a job is at work.

    Raises:
        CheckFailed: If one is.
    """
    job = noted_job(run)
    if job and active_tasks(job):
        release = run.path.parent
        raise CheckFailed(
            f"Slurm job {job} is at work for {release}; `proofmatch build --status --out {release}` tells "
            f"how far it is; the same command makes the release when it has ended (`scancel {job}` ends it)"
        )
