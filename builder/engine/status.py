"""How far a build is, as its folder tells."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from proofmatch.errors import ProofmatchError

from ..pair_parts import PartReport, is_complete, read_report
from ..release.release import read_manifest
from .distributed.job import LAUNCH, active_tasks, noted_job
from .distributed.job_log import reasons_of_failure
from .distributed.plan import read_plan
from .run_folder import RunFolder, configuration_hash


@dataclass(frozen=True, slots=True)
class BuildStatus:
    """The state of a release folder.

    Attributes:
        release: The folder.
        configuration: The hash of everything that was asked for.
        complete: Whether the release is there. If so, the rest says nothing.
        running: Whether a build is at work.
        engine: The engine of the last attempt.
        job: Its Slurm job.
        tasks: Those that wait or run, in Slurm's words.
        done: Number of finished batches.
        planned: Number of all batches, if that is known yet.
        missing: The parts that are missing.
        report: What the finished batches had.
        failures: What ranks said that failed.
    """

    release: Path
    configuration: str
    complete: bool
    running: bool = False
    engine: str = "local"
    job: str | None = None
    tasks: str = ""
    done: int = 0
    planned: int | None = None
    missing: tuple[str, ...] = ()
    report: PartReport = field(default_factory=PartReport)
    failures: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Write it for people."""
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
                lines["logs"] = RunFolder(self.release).path / LAUNCH
        lines["state"] = self.state
        return "\n".join(f"{name:<14} {value}" for name, value in lines.items())

    @property
    def state(self) -> str:
        """What is going on, and what to do."""
        if self.complete:
            return "complete"
        if self.running:
            return "at work"
        if self.planned is not None and not self.missing:
            return "all is read; the same command makes the release"
        return "interrupted; the same command goes on"


def status_of(release: Path) -> BuildStatus:
    """Find out how far a build is.

    Raises:
        ProofmatchError: If the folder has no build.
    """
    try:
        return _look_at(release)
    except FileNotFoundError:  # it was finished meanwhile
        return _look_at(release)


def _look_at(release: Path) -> BuildStatus:
    manifest, run = read_manifest(release), RunFolder(release)
    if manifest:
        return BuildStatus(release, configuration_hash(manifest["parameters"]), complete=True)
    try:
        parameters = json.loads((run.path / "settings.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise ProofmatchError(f"{release} has no build, neither a finished nor an unfinished one") from None
    plan, job = read_plan(run), noted_job(run)
    tasks = active_tasks(job) if job else {}
    there = {path.name: path for path in sorted(run.parts.glob("*.arrow")) if is_complete(path)}
    names = [batch.part_name for batch in plan.batches] if plan else list(there)
    there = {name: there[name] for name in names if name in there}
    missing = tuple(name for name in names if name not in there)
    return BuildStatus(
        release,
        configuration_hash(parameters),
        complete=False,
        running=run.is_in_use() or bool(tasks),
        engine=run.engine,
        job=job if run.engine == "slurm" else None,
        tasks=", ".join(f"{number} {state}" for state, number in tasks.items()),
        done=len(there),
        planned=len(plan.batches) if plan else None,
        missing=missing,
        report=PartReport.sum_of(map(read_report, there.values())),
        failures=tuple(reasons_of_failure(run)) if missing else (),
    )


def _first(missing: Sequence[str]) -> str:
    if not missing:
        return ""
    more = ", …" if len(missing) > 1 else ""
    return f", {len(missing):,} missing ({missing[0]}{more})"
