"""A rank: one share of the batches, in a process with its own worker pool.

Every cluster engine starts `python -m proofmatch.builder.engine.clusters.rank`. It is the local engine, so
crashes, time limits and the search for documents that kill a worker are handled as on one machine. Ranks
explain their failures in files of the run folder, where the driver finds them.
"""

import argparse
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proofmatch import __version__
from proofmatch.errors import ProofmatchError
from proofmatch.storage import write_atomically
from proofmatch.workers import signal_on_parent_death

from ...readers.archives import PlaceReader
from ..local import Batch, local_pool, run_batches
from ..run_folder import RunFolder
from .plan import Plan, PlannedBatch, read_shared_plan

# A rank can be killed for reasons unrelated to its work; its finished parts are kept.
_ATTEMPTS = 3


@dataclass
class RunRank:
    """The step of a datatrove pipeline that runs a rank in its own process and waits for it.

    Attributes:
        release: The absolute path of the release folder.
        configuration: The hash of the planned configuration.
        workers: Number of processes of a rank.
        version: The driver's version of this package.
        waiting: Process that waits for the rank's parent, and must be killed if that is killed; 0 for none.
    """

    release: str
    configuration: str
    workers: int
    version: str = __version__
    waiting: int = 0

    def __call__(self, _data: Any, rank: int, world_size: int) -> Iterator[Any]:  # noqa: ANN401 - datatrove's
        """Run the rank.

        Raises:
            RuntimeError: With the error message of the rank.
        """
        numbers = (rank, world_size, self.workers, os.getpid(), self.waiting)
        command = [sys.executable, "-m", __name__, self.release, self.configuration, self.version]
        for attempt in range(_ATTEMPTS):
            result = subprocess.run(
                [*command, *map(str, numbers)],
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
            )
            is_killed = result.returncode < 0
            if result.returncode and (not is_killed or attempt == _ATTEMPTS - 1):
                raise RuntimeError(result.stderr.strip() or f"rank {rank} ended with {result.returncode}")
            if not is_killed:
                break
        return iter(())


def main() -> int:
    """Run a rank; its failures go to standard error and to the run folder."""
    parser = argparse.ArgumentParser()
    parser.add_argument("release", type=Path)
    for name in ("configuration", "version"):
        parser.add_argument(name)
    for name in ("rank", "world", "workers", "parent", "waiting"):
        parser.add_argument(name, type=int)
    options = parser.parse_args()
    _end_with(options.parent, options.waiting)
    machine = os.uname().nodename
    try:
        plan = read_shared_plan(options.release, options.configuration, options.version, machine)
    except ProofmatchError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    try:
        failures = run_rank(plan, options.rank, options.world, options.workers)
    except ProofmatchError as error:
        failures = [str(error)]
    except OSError as error:
        failures = [f"{error.filename or options.release}: {error.strerror or error} (on {machine})"]
    for number, failure in enumerate(failures):
        write_failure(plan.run, f"rank-{options.rank:05d}-{number:05d}", failure)
        print(failure, file=sys.stderr)
    return 1 if failures else 0


def run_rank(plan: Plan, rank: int, world: int, workers: int) -> list[str]:
    """Make the missing parts of a share.

    Returns:
        The reasons why batches could not be processed; the other batches are done.
    """
    failures: list[str] = []
    share = [batch for batch in plan.share(rank, world) if not plan.run.is_done(batch)]

    def load(batches: list[PlannedBatch]) -> Iterator[Batch]:
        with PlaceReader() as places:
            for batch in batches:
                try:
                    yield plan.load(batch, places)
                except ProofmatchError as error:
                    failures.append(str(error))

    if plan.latexml and share:
        plan.latexml.check(plan.run.scratch / f"proof-{rank}")
    with local_pool(plan.run, plan.settings, workers, plan.latexml) as pool:
        for _ in run_batches(load(share), plan.run, plan.settings, pool, plan.latexml):
            pass
    return failures


def _end_with(parent: int, waiting: int) -> None:
    """Exit when the parent dies, and kill the process that waits for the parent.

    A Ray process waits forever for a child that was killed, but Ray notices when that process dies.
    """
    handle, rank = os.pidfd_open(waiting) if waiting else None, os.getpid()

    def end(*_: object) -> None:
        if handle is not None and os.getpid() == rank:  # workers inherit this handler
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(handle, signal.SIGKILL)
        os._exit(1)

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal_on_parent_death(signal.SIGTERM)
    if os.getppid() != parent:
        end()


def launch_folder(run: RunFolder) -> Path:
    """Return the folder in which the cluster engine itself writes scripts, logs and statistics."""
    return run.path / "launch"


def clear_failures(run: RunFolder) -> None:
    """Delete the failures of earlier attempts."""
    folder = _failure_folder(run)
    folder.mkdir(exist_ok=True)
    for file in folder.iterdir():
        file.unlink(missing_ok=True)


def write_failure(run: RunFolder, who: str, sentence: str) -> None:
    """Record a failure for the driver, if the folder can still be written."""
    with contextlib.suppress(OSError):
        write_atomically(_failure_folder(run) / f"{who}.txt", sentence + "\n")


def read_failure(run: RunFolder, who: str) -> str | None:
    """Read the failure that a process recorded, if any."""
    return run.read_note(f"failures/{who}.txt")


def read_failures(run: RunFolder) -> list[str]:
    """Read all recorded failures, each sentence once."""
    try:
        files = sorted(_failure_folder(run).glob("*.txt"))
        return list(dict.fromkeys(file.read_text(encoding="utf-8").strip() for file in files))
    except OSError:
        return []


def _failure_folder(run: RunFolder) -> Path:
    return run.path / "failures"


if __name__ == "__main__":
    sys.exit(main())
