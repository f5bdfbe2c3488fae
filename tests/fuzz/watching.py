"""Fuzzing from outside: a process that crashes, hangs or grows is ended, recorded and replaced."""

import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from tests.fuzz.child import BROKEN, FOUND
from tests.fuzz.targets import Target, target

REPOSITORY = Path(__file__).resolve().parents[2]
MOST_MEGABYTES = 2000  # of a process, all in all
_BETWEEN_LOOKS = 0.1
_LOADING = 20.0  # seconds; the first input also pays for what has to be loaded
_PATIENCE = 10  # real seconds of sleep for each of processor time


@dataclass
class Report:
    """What came of the inputs of a target.

    Attributes:
        target: Its name.
        seed: Makes the inputs, together with their numbers.
        inputs: How many were tried.
        outcomes: How often each came of an input.
        findings: The number of an input and what it did, of those that did what must not be.
        seconds: How long it took.
        peak_mb: The most memory of a process.
    """

    target: str
    seed: int
    inputs: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    findings: list[tuple[int, str]] = field(default_factory=list)
    seconds: float = 0.0
    peak_mb: float = 0.0

    def as_dict(self) -> dict[str, object]:
        return {
            "target": self.target,
            "inputs": self.inputs,
            "seed": self.seed,
            "findings": [{"input": number, "what": what} for number, what in self.findings],
            "outcomes": dict(self.outcomes.most_common()),
            "seconds": round(self.seconds, 1),
            "inputs_per_second": round(self.inputs / self.seconds, 1) if self.seconds else None,
            "peak_mb": round(self.peak_mb),
        }


def fuzz(name: str, count: int, seed: int = 0, first: int = 0) -> Report:
    """Try inputs of a target.

    Args:
        name: The target.
        count: How many inputs.
        seed: Makes them, together with their numbers.
        first: The number of the first one.
    """
    report, start = Report(name, seed), time.perf_counter()
    chosen = target(name)
    with tempfile.TemporaryDirectory() as folder:
        outcomes = Path(folder, "outcomes")
        outcomes.touch()
        while report.inputs < count:
            begun = first + report.inputs
            why = _watch(chosen, seed, begun, count - report.inputs, outcomes, report)
            lines = outcomes.read_text(encoding="utf-8").splitlines()
            if why is not None and not (lines and lines[-1].startswith(f"{FOUND}memory")):
                lines.append(FOUND + why)
            outcomes.write_text("")
            report.inputs += len(lines)
            for number, line in enumerate(lines, begun):
                if line.startswith(FOUND):
                    report.findings.append((number, line.removeprefix(FOUND)))
                report.outcomes["finding" if line.startswith(FOUND) else line] += 1
    report.seconds = time.perf_counter() - start
    return report


def _watch(chosen: Target, seed: int, first: int, count: int, outcomes: Path, report: Report) -> str | None:
    """Run a process over inputs; why it did not come to its end, unless it did."""
    arguments = [chosen.name, str(seed), str(first), str(count), str(outcomes)]
    command = [sys.executable, "-m", "tests.fuzz.child", *arguments]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    with subprocess.Popen(
        command, cwd=REPOSITORY, env=environment, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL
    ) as process:
        why = _why_ended(process, chosen, outcomes, report)
        said = process.stderr.read().decode("utf-8", "replace") if process.stderr else ""
    if why is None and process.returncode == BROKEN:
        raise RuntimeError(f"no input could be made: {said}")
    if why is None and process.returncode:
        why = f"the process ended with {process.returncode}: {said.strip()[-300:]!r}"
    return why


def _why_ended(
    process: subprocess.Popen[bytes], chosen: Target, outcomes: Path, report: Report
) -> str | None:
    size, used, before, awake = -1, 0.0, 0.0, time.monotonic()
    while process.poll() is None:
        time.sleep(_BETWEEN_LOOKS)
        try:
            watched = psutil.Process(process.pid)
            resident, times = watched.memory_info().rss / 2**20, watched.cpu_times()
            # One that waits for a processor does not sleep: the machine may be busy with other things.
            is_awake = watched.status() == psutil.STATUS_RUNNING
        except psutil.NoSuchProcess:
            continue
        report.peak_mb = max(report.peak_mb, resident)
        total = times.user + times.system
        if outcomes.stat().st_size != size:
            size, used = outcomes.stat().st_size, total
        if is_awake or total > before:
            before, awake = total, time.monotonic()
        limit = chosen.seconds if size > 0 else chosen.seconds + _LOADING
        why = None
        if total - used > limit:
            why = f"took more than {limit:g} seconds"
        elif time.monotonic() - awake > _PATIENCE * limit:
            why = f"slept for more than {_PATIENCE * limit:g} seconds"
        elif resident > MOST_MEGABYTES:
            why = f"took more than {MOST_MEGABYTES} MB"
        if why is not None:
            process.kill()
            return why
    return None
