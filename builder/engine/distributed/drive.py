"""What the driver of a distributed build does: it has the ranks run, and trusts nothing but their parts."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from proofmatch.errors import ProofmatchError
from proofmatch.progress import Progress

from ...pair_parts import PartReport, is_complete, read_report
from .cluster import Cluster
from .failures import clear_failures, failure_of, failures, note_failure
from .job import LAUNCH
from .plan import Plan, fresh_parts

_LOG = "driver.log"
_ENDED = "ended"

# Without a single new part for so long, something has got lost, and the tasks are started anew; after that,
# twice as long, because there may be nothing wrong but a long queue.
PATIENCE = 600.0
_LOOK_EVERY = 0.3
_SHARE_FOR_LOOKING = 20  # looking may take a twentieth of the time
_TIME_TO_END = 20.0


def fresh_launch_folder(plan: Plan) -> Path:
    """Make the empty folder for what the engine itself writes."""
    folder = (plan.run.path / LAUNCH).absolute()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(exist_ok=True)  # a network file system may keep a log that is still open somewhere
    clear_failures(plan.run)
    return folder


def run_on_ray(plan: Plan, cluster: Cluster, patience: float = PATIENCE) -> None:
    """Have Ray make the missing parts, and show how it goes on.

    Raises:
        ProofmatchError: If parts are missing in the end, with the reason so far as one is known.
    """
    missing = {batch.part_name for batch in plan.missing()}
    done = [plan.run.parts / batch.part_name for batch in plan.batches if batch.part_name not in missing]
    total = PartReport.sum_of(map(read_report, done))
    with Progress("reading articles", "batches", len(plan.batches), len(done)) as progress:
        progress.summary = str(total) if done else ""
        while missing:
            with _started(plan, cluster) as program:
                is_over = _watch(program, plan, missing, total, progress, patience)
                if is_over:
                    _wait(program)
                    _note_untold_end(plan, program)
            if is_over:
                break
            progress.say(f"nothing was finished for {patience:.0f} seconds; the tasks are started anew")
            patience *= 2
        if not total.pairs_kept:
            progress.summary = ""
    if sentence := failure_of(plan.run, LAUNCH):
        raise ProofmatchError(sentence)
    refuse_missing(plan)


def refuse_missing(plan: Plan) -> None:
    """Make sure that every part is there and intact, whatever the engine said.

    Raises:
        ProofmatchError: If some are not.
    """
    missing = plan.missing()
    if not missing:
        return
    reasons = failures(plan.run) or [f"{plan.run.path / LAUNCH} has the logs"]
    more = f", and {len(reasons) - 1} more reasons" if len(reasons) > 1 else ""
    raise ProofmatchError(
        f"{len(missing)} of {len(plan.batches)} parts are missing ({missing[0].part_name}, …): "
        f"{reasons[0]}{more}; run the same command again to make them"
    )


@contextmanager
def _started(plan: Plan, cluster: Cluster) -> Iterator[subprocess.Popen[bytes]]:
    folder = fresh_launch_folder(plan)
    arguments = [
        str(plan.run.path.parent.absolute()),
        json.dumps(asdict(cluster)),
        str(os.getpid()),
        str(folder),
    ]
    with (folder / _LOG).open("wb") as log:
        program = subprocess.Popen(
            [sys.executable, "-m", f"{__package__}.on_ray", *arguments],
            env={"RAY_USAGE_STATS_ENABLED": "0", **os.environ},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,  # Ctrl-C is for the driver
        )
    try:
        yield program
    finally:
        for stop in (program.terminate, program.kill):
            if program.poll() is None:
                stop()
                _wait(program)


def _wait(program: subprocess.Popen[bytes]) -> None:
    """Let the engine end by itself, for a while."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        program.wait(_TIME_TO_END)


def _note_untold_end(plan: Plan, program: subprocess.Popen[bytes]) -> None:
    """Say what the engine could not say itself."""
    code, what = program.returncode or 0, "the process that has Ray run the tasks"
    if code < 0:
        note_failure(plan.run, _ENDED, f"{what} was killed ({signal.Signals(-code).name})")
    elif code and not failures(plan.run):
        log = plan.run.path / LAUNCH / _LOG
        note_failure(plan.run, _ENDED, f"{what} ended, as it does when the Ray cluster ends ({log} has more)")


def _watch(
    program: subprocess.Popen[bytes],
    plan: Plan,
    missing: set[str],
    total: PartReport,
    progress: Progress,
    patience: float,
) -> bool:
    """Count the parts as they come; tells whether the engine has ended, or else has to be."""
    last = time.monotonic()
    while True:
        has_ended = program.poll() is not None
        began = time.monotonic()
        for path in fresh_parts(plan.run, missing):
            if is_complete(path):
                missing.discard(path.name)
                total.add(read_report(path))
                progress.summary = str(total)
                progress.advance()
                last = time.monotonic()
        if has_ended or not missing:
            return True
        if time.monotonic() - last > patience:
            return False
        time.sleep(max(_LOOK_EVERY, _SHARE_FOR_LOOKING * (time.monotonic() - began)))
