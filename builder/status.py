"""The status of a build, read from its folder."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from proofmatch.errors import ProofmatchError

from .engine.clusters.plan import configuration_hash, read_plan
from .engine.clusters.rank import launch_folder
from .engine.clusters.slurm import active_tasks, failure_reasons, submitted_job
from .engine.run_folder import RunFolder
from .pair_parts import PartReport, is_complete, read_report
from .release.release import read_manifest


@dataclass(frozen=True, slots=True)
class BuildStatus:
    """The state of a release folder; the fields after `complete` describe an unfinished build."""

    release: Path
    configuration: str  # the hash of its parameters
    complete: bool
    running: bool = False
    engine: str = "local"  # of the last attempt
    job: str | None = None  # in Slurm
    tasks: str = ""  # how many wait or run, by Slurm's names for their states
    done: int = 0  # finished batches
    planned: int | None = None  # all batches; None while their number is unknown
    missing: tuple[str, ...] = ()  # names of parts
    report: PartReport = field(default_factory=PartReport)
    failures: tuple[str, ...] = ()  # recorded by ranks

    def __str__(self) -> str:
        """Format the status for the terminal."""
        lines = {"release": self.release, "configuration": self.configuration}
        if not self.complete:
            of_planned = f" of {self.planned:,}" if self.planned is not None else ""
            lines |= {
                "engine": ", ".join(filter(None, (self.engine, self.job and f"job {self.job}", self.tasks))),
                "batches": f"{self.done:,}{of_planned} done" + _first(self.missing),
                "so far": self.report,
            }
            if self.failures:
                lines["failed"] = ("\n" + 15 * " ").join(self.failures)
                lines["logs"] = launch_folder(RunFolder(self.release))
        lines["state"] = self.state
        return "\n".join(f"{name:<14} {value}" for name, value in lines.items())

    @property
    def state(self) -> str:
        """Whether the build is complete, running or interrupted, and what to do next."""
        if self.complete:
            return "complete"
        if self.running:
            return "running"
        if self.planned is not None and not self.missing:
            return "all articles are read; run the same command again to make the release"
        return "interrupted; run the same command again to continue"


def status_of(release: Path) -> BuildStatus:
    """Determine the status of a build."""
    try:
        return _read_status(release)
    except FileNotFoundError:  # the build has just finished and removed its run folder
        return _read_status(release)


def _read_status(release: Path) -> BuildStatus:
    manifest, run = read_manifest(release), RunFolder(release, is_complete)
    if manifest:
        return BuildStatus(release, configuration_hash(manifest["parameters"]), complete=True)
    parameters = run.read_settings()
    if parameters is None:
        raise ProofmatchError(f"{release} has no build, finished or unfinished")
    plan, job = read_plan(run), submitted_job(run)
    engine = run.read_note("engine") or "local"
    tasks = active_tasks(job) if job else {}
    finished = {path.name: path for path in sorted(run.parts.glob("*.arrow")) if is_complete(path)}
    names = [batch.part_name for batch in plan.batches] if plan else list(finished)
    done = [finished[name] for name in names if name in finished]
    missing = tuple(name for name in names if name not in finished)
    return BuildStatus(
        release,
        configuration_hash(parameters),
        complete=False,
        running=run.is_locked() or bool(tasks),
        engine=engine,
        job=job if engine == "slurm" else None,
        tasks=", ".join(f"{number} {state}" for state, number in tasks.items()),
        done=len(done),
        planned=len(plan.batches) if plan else None,
        missing=missing,
        report=PartReport.sum_of(map(read_report, done)),
        failures=tuple(failure_reasons(run)) if missing else (),
    )


def _first(missing: Sequence[str]) -> str:
    if not missing:
        return ""
    more = ", …" if len(missing) > 1 else ""
    return f", {len(missing):,} missing ({missing[0]}{more})"
