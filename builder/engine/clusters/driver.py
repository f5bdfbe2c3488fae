"""The driver of a distributed build: it starts the ranks, and relies only on the parts that they write."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path

from proofmatch.errors import ProofmatchError, check_choice
from proofmatch.progress import Progress

from ...pair_parts import PartReport, is_complete, read_report
from ...settings import ENGINES, Cluster
from .plan import Plan, PlannedBatch
from .rank import clear_failures, launch_folder, read_failure, read_failures, write_failure
from .slurm import failure_reasons, submit

LAUNCHER = "launcher"  # the process that runs the tasks on Ray, in the records of failures
_LOG = "driver.log"
_REQUIRES = {"local": (), "ray": ("datatrove", "ray"), "slurm": ("datatrove",)}

_SECONDS_TO_CONNECT = 10.0
_SECONDS_TO_END = 20.0
_SECONDS_BETWEEN_LOOKS = 0.3
_WAIT_PER_LOOK = (
    20  # wait this many times as long as a check takes, so that checks take a twentieth of the time
)

# After this many seconds without a new part, the tasks seem stuck and are restarted. Each time, the limit
# doubles, because the cause may be a long queue.
PATIENCE = 600.0


def check_engine(engine: str, cluster: Cluster) -> None:
    """Refuse settings with which the build would fail later.

    Raises:
        ProofmatchError: If there is no such engine, or a setting it needs is missing.
        ModuleNotFoundError: If a package it needs is not installed.
    """
    check_choice("engine", engine, ENGINES)
    for name in _REQUIRES[engine]:
        if find_spec(name) is None:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    if engine == "slurm" and not cluster.partition:
        raise ProofmatchError("--engine slurm needs --partition; `sinfo` lists the partitions of a cluster")
    if engine == "ray":
        _probe(cluster.address or os.environ.get("RAY_ADDRESS") or "")
    if cluster.dry_run and engine != "slurm":
        raise ProofmatchError("--dry-run is an option of --engine slurm; other engines have no script")


def _probe(address: str) -> None:
    """Make sure that a server listens at the address; Ray itself would retry for minutes."""
    host, _, port = address.rpartition(":")
    if not host or "://" in address or not port.isdecimal():
        return
    try:
        socket.create_connection((host, int(port)), _SECONDS_TO_CONNECT).close()
    except OSError as error:
        raise ProofmatchError(
            f"no Ray cluster answers at {address} ({error.strerror or error}); "
            "check the address, or leave it out to use this machine alone"
        ) from None


def make_parts_on_cluster(plan: Plan, engine: str, cluster: Cluster) -> bool:
    """Make the missing parts of a planned build on a cluster.

    Returns:
        Whether all parts are there; False if a Slurm job was submitted to make them.

    Raises:
        ProofmatchError: If parts are missing after Ray has run.
    """
    missing = list(plan.run.unfinished(plan.batches))
    if engine == "ray":
        run_on_ray(plan, cluster)
    elif missing:
        for reason in failure_reasons(plan.run):
            print(f"the last job reported: {reason}", file=sys.stderr)
        submit(plan, cluster, fresh_launch_folder(plan))
        return False
    return True


def fresh_launch_folder(plan: Plan) -> Path:
    """Make an empty folder for the files of the cluster engine."""
    folder = launch_folder(plan.run).absolute()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(exist_ok=True)  # a network file system may keep a log that is still open somewhere
    clear_failures(plan.run)
    return folder


def _refuse_missing(plan: Plan) -> None:
    """Make sure that every part is complete, even if the engine reported success.

    Raises:
        ProofmatchError: If one is not.
    """
    missing = plan.missing()
    if not missing:
        return
    reasons = read_failures(plan.run) or [f"{launch_folder(plan.run)} has the logs"]
    more = f", and {len(reasons) - 1} more reasons" if len(reasons) > 1 else ""
    raise ProofmatchError(
        f"{len(missing)} of {len(plan.batches)} parts are missing ({missing[0].part_name}, …): "
        f"{reasons[0]}{more}; run the same command again to make them"
    )


class _PartCounter:
    """Counts the parts of a plan as they appear, and shows the progress."""

    def __init__(self, plan: Plan, missing: list[PlannedBatch], progress: Progress) -> None:
        self._parts = plan.run.parts
        self._progress = progress
        self.missing = {batch.part_name for batch in missing}
        done = [batch.part_name for batch in plan.batches if batch.part_name not in self.missing]
        self._total = PartReport.sum_of(read_report(self._parts / name) for name in done)
        progress.summary = str(self._total) if done else ""

    def look(self) -> bool:
        """Count new parts, and tell whether there are any."""
        before = len(self.missing)
        # Opening the folder makes a network file system refresh it.
        for name in self.missing.intersection(path.name for path in self._parts.iterdir()):
            if is_complete(self._parts / name):
                self.missing.discard(name)
                self._total.add(read_report(self._parts / name))
                self._progress.summary = str(self._total)
                self._progress.advance()
        return len(self.missing) < before

    def close(self) -> None:
        if not self._total.pairs_kept:
            self._progress.summary = ""


def run_on_ray(plan: Plan, cluster: Cluster, patience: float = PATIENCE) -> None:
    """Make the missing parts on Ray, and show the progress.

    Raises:
        ProofmatchError: If parts are still missing, with the reason if it is known.
    """
    missing = plan.missing()
    total = len(plan.batches)
    with Progress("reading articles", "batches", total, total - len(missing)) as progress:
        parts = _PartCounter(plan, missing, progress)
        while parts.missing:
            with _started(plan, cluster) as launcher:
                is_over = _watch(launcher, parts, patience)
                if is_over:
                    _wait(launcher)
                    _record_unexplained_end(plan, launcher)
            if is_over:
                break
            progress.say(f"no part was finished for {patience:.0f} seconds; restarting the tasks")
            patience *= 2
        parts.close()
    if failure := read_failure(plan.run, LAUNCHER):
        raise ProofmatchError(failure)
    _refuse_missing(plan)


@contextmanager
def _started(plan: Plan, cluster: Cluster) -> Iterator[subprocess.Popen[bytes]]:
    folder = fresh_launch_folder(plan)
    arguments = [
        str(plan.run.output.absolute()),
        json.dumps(asdict(cluster)),
        str(os.getpid()),
        str(folder),
    ]
    with (folder / _LOG).open("wb") as log:
        launcher = subprocess.Popen(
            [sys.executable, "-m", f"{__package__}.ray", *arguments],
            env={"RAY_USAGE_STATS_ENABLED": "0", **os.environ},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,  # Ctrl-C must reach only the driver
        )
    try:
        yield launcher
    finally:
        for stop in (launcher.terminate, launcher.kill):
            if launcher.poll() is None:
                stop()
                _wait(launcher)


def _wait(launcher: subprocess.Popen[bytes]) -> None:
    """Give the launcher time to exit by itself."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        launcher.wait(_SECONDS_TO_END)


def _record_unexplained_end(plan: Plan, launcher: subprocess.Popen[bytes]) -> None:
    """Record why the launcher ended, if it could not do so itself."""
    code, what = launcher.returncode or 0, "the process that runs the tasks on Ray"
    if code < 0:
        write_failure(plan.run, "ended", f"{what} was killed ({signal.Signals(-code).name})")
    elif code and not read_failures(plan.run):
        log = launch_folder(plan.run) / _LOG
        write_failure(plan.run, "ended", f"{what} ended, as it does when the Ray cluster ends (see {log})")


def _watch(launcher: subprocess.Popen[bytes], parts: _PartCounter, patience: float) -> bool:
    """Count parts until the launcher ends or none is missing; return False if it seems stuck."""
    last = time.monotonic()
    while True:
        has_ended = launcher.poll() is not None
        began = time.monotonic()
        if parts.look():
            last = time.monotonic()
        if has_ended or not parts.missing:
            return True
        if time.monotonic() - last > patience:
            return False
        time.sleep(max(_SECONDS_BETWEEN_LOOKS, _WAIT_PER_LOOK * (time.monotonic() - began)))
