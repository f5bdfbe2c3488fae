"""What the engines beyond one machine can be told. None of it changes the result."""

from dataclasses import dataclass

from proofmatch.errors import ProofmatchError

ENGINES = ("local", "ray", "slurm")

# A task costs seconds to start, so it should work for minutes.
BATCHES_PER_TASK = 400

# What a job array may have on most Slurm clusters.
MOST_TASKS = 1000


@dataclass(frozen=True, slots=True)
class Cluster:
    """How the batches are shared out.

    Attributes:
        tasks: Number of shares; by default as many as keep each busy for minutes.
        workers: How many tasks run at a time; by default as many as there is room for.
        cpus_per_task: Processors, and so processes, of a task.
        mem_per_cpu: Gigabytes of memory for each of them.
        address: The Ray cluster; by default the one that runs here, or else one started for this build.
        partition: Slurm's.
        time: Slurm's time limit for a task.
        env_command: Shell command by which a Slurm task finds this installation.
        venv: Or the virtual environment that has it; by default the one we run in.
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
        if self.tasks is not None and self.tasks > MOST_TASKS:
            raise ProofmatchError(
                f"tasks must be at most {MOST_TASKS}, not {self.tasks}; the result is the same for any number"
            )
        for option in self.sbatch:
            if "=" not in option.strip("="):
                raise ProofmatchError(f"an option of sbatch is given as name=value, not {option!r}")

    def number_of_tasks(self, missing: int, workers: int) -> int:
        """Decide on the number of shares for the batches that are missing."""
        wanted = self.tasks or max(workers, -(-missing // BATCHES_PER_TASK))
        return max(1, min(wanted, missing, MOST_TASKS))
