"""The parameters of a build: those that determine the release, and those of the machines it runs on."""

import re
from dataclasses import dataclass
from typing import Literal

from proofmatch.errors import ProofmatchError, check_choice

from .filters import DETECTORS

MEBIBYTE = 1 << 20
DAY = 86_400
OTHER_LICENSE = "other"  # the Hub's name for a licence that is not in its list

_LICENSE = re.compile(r"[a-z0-9]+(?:[-.][a-z0-9]+)*")


def check_license(name: str) -> None:
    """Refuse a name that cannot be a licence name of the Hub.

    Raises:
        ProofmatchError: With an example of a valid name.
    """
    if not _LICENSE.fullmatch(name):
        raise ProofmatchError(f"license must be the Hub's name of a licence such as cc-by-4.0, not {name!r}")


@dataclass(frozen=True, slots=True)
class BuildSettings:
    """Parameters of a build. The number of workers is not among them: it never changes the result.

    Attributes:
        min_tokens: Shortest statement or proof that is kept.
        max_tokens: Longest statement or proof that is kept.
        detector: Language detector: `cld2`, `polyglot` or `none`.
        titles: Whether titles ("Lemma 2.1.", "Proof.") stay part of the texts.
        seed: Salt of the hash that determines the splits.
        max_document_mb: Larger documents are discarded unread, which bounds a worker's memory.
        document_seconds: Documents that take more CPU time than this are discarded.
        conversion_seconds: LaTeX sources that take LaTeXML more CPU time than this are discarded.
        conversion_mb: LaTeX sources that take LaTeXML more memory than this are discarded.
        license: Licence of the texts as the Hub names it, for the card.
    """

    min_tokens: int = 20
    max_tokens: int = 500
    detector: str = "cld2"
    titles: Literal["keep", "drop"] = "keep"
    seed: int = 0
    max_document_mb: int = 24
    document_seconds: float = 60.0
    conversion_seconds: float = 300.0
    conversion_mb: int = 1536
    license: str = OTHER_LICENSE

    def __post_init__(self) -> None:
        if not 0 <= self.min_tokens <= self.max_tokens:
            raise ProofmatchError(
                f"min_tokens ({self.min_tokens}) must be between 0 and max_tokens ({self.max_tokens})"
            )
        check_choice("detector", self.detector, DETECTORS)
        if self.titles not in ("keep", "drop"):
            raise ProofmatchError(f"titles must be keep or drop, not {self.titles!r}")
        check_license(self.license)
        if self.max_document_mb <= 0 or not 0 < self.document_seconds <= DAY:
            raise ProofmatchError(
                f"max_document_mb ({self.max_document_mb}) must be positive, "
                f"and document_seconds ({self.document_seconds}) positive and at most a day"
            )
        if self.conversion_mb <= 0 or not 0 < self.conversion_seconds <= DAY:
            raise ProofmatchError(
                f"conversion_mb ({self.conversion_mb}) must be positive, "
                f"and conversion_seconds ({self.conversion_seconds}) positive and at most a day"
            )

    @property
    def max_document_bytes(self) -> int:
        """The size limit in bytes."""
        return self.max_document_mb * MEBIBYTE


ENGINES = ("local", "ray", "slurm")

# A task takes seconds to start, so it should run for minutes.
_BATCHES_PER_TASK = 400

# The limit for job arrays on most Slurm clusters.
_MOST_TASKS = 1000


@dataclass(frozen=True, slots=True)
class Cluster:
    """How batches are distributed over several machines. Nothing here changes the result.

    Attributes:
        tasks: Number of tasks that share the work; by default, each runs for some minutes.
        workers: Number of tasks that run at a time; by default as many as the cluster has room for.
        cpus_per_task: CPUs, and therefore processes, of a task.
        mem_per_cpu: Gigabytes of memory per CPU.
        address: The Ray cluster; by default one that runs on this machine, or else a new one for this build.
        partition: Slurm's partition.
        time: Slurm's time limit for a task.
        env_command: Shell command that makes this installation available in a Slurm task.
        venv: Virtual environment to activate in a Slurm task; by default the current one.
        sbatch: More options of sbatch, as `name=value`.
        dry_run: Write the Slurm script and submit nothing.
    """

    tasks: int | None = None
    workers: int | None = None
    cpus_per_task: int = 1
    mem_per_cpu: int = 2
    address: str | None = None
    partition: str | None = None
    time: str = "24:00:00"
    env_command: str | None = None
    venv: str | None = None
    sbatch: tuple[str, ...] = ()
    dry_run: bool = False

    def __post_init__(self) -> None:
        for name in ("tasks", "workers", "cpus_per_task", "mem_per_cpu"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ProofmatchError(f"{name} must be at least 1, not {value}")
        if self.tasks is not None and self.tasks > _MOST_TASKS:
            raise ProofmatchError(
                f"tasks must be at most {_MOST_TASKS}, not {self.tasks}; any number gives the same result"
            )
        for option in self.sbatch:
            if "=" not in option.strip("="):
                raise ProofmatchError(f"sbatch options must have the form name=value, not {option!r}")

    def number_of_tasks(self, missing: int, workers: int) -> int:
        """Choose the number of tasks for a number of missing batches."""
        wanted = self.tasks or max(workers, -(-missing // _BATCHES_PER_TASK))
        return max(1, min(wanted, missing, _MOST_TASKS))
