"""A rank: one share of the batches, in a process of its own with a worker pool of its own.

`python -m proofmatch.builder.engine.distributed.rank` is what every engine starts. Crashes, time limits and
the search for a document that kills are those of the local engine, because it is the local engine.
"""

import argparse
import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

from proofmatch.errors import ProofmatchError
from proofmatch.workers import signal_on_parent_death

from ...readers.archives import PlaceReader
from ..batches import Batch
from ..local import local_pool, run_batches
from .failures import note_failure
from .plan import Plan, PlannedBatch, plan_seen_from_here


def main() -> int:
    """Run a rank; what goes wrong is said on standard error and in the run folder."""
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
        plan = plan_seen_from_here(options.release, options.configuration, options.version, machine)
    except ProofmatchError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    try:
        sentences = run_rank(plan, options.rank, options.world, options.workers)
    except ProofmatchError as error:
        sentences = [str(error)]
    except OSError as error:
        sentences = [f"{error.filename or options.release}: {error.strerror or error} (on {machine})"]
    for number, sentence in enumerate(sentences):
        note_failure(plan.run, f"rank-{options.rank:05d}-{number:05d}", sentence)
        print(sentence, file=sys.stderr)
    return 1 if sentences else 0


def run_rank(plan: Plan, rank: int, world: int, workers: int) -> list[str]:
    """Make the missing parts of a share.

    Returns:
        What is wrong with the batches that could not be made; the others are done.
    """
    sentences: list[str] = []
    share = [batch for batch in plan.share(rank, world) if not plan.run.is_done(batch)]

    def load(batches: list[PlannedBatch]) -> Iterator[Batch]:
        with PlaceReader() as places:
            for batch in batches:
                try:
                    yield plan.load(batch, places)
                except ProofmatchError as error:
                    sentences.append(str(error))

    with local_pool(plan.run, plan.settings, workers) as pool:
        for _ in run_batches(load(share), plan.run, plan.settings, pool):
            pass
    return sentences


def _end_with(parent: int, waiting: int) -> None:
    """Do not outlive the process that waits for this one; and if that is killed, free whoever waits for it.

    A process of Ray waits for its child for ever, also when the child is dead. Its own death, Ray notices.
    """
    handle, rank = os.pidfd_open(waiting) if waiting else None, os.getpid()

    def end(*_: object) -> None:
        if handle is not None and os.getpid() == rank:  # and not a worker, which has inherited this
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(handle, signal.SIGKILL)
        os._exit(1)

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal_on_parent_death(signal.SIGTERM)
    if os.getppid() != parent:
        end()


if __name__ == "__main__":
    sys.exit(main())
