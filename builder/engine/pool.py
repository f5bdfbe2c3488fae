"""A pool of worker processes that outlives its processes."""

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from proofmatch.errors import ProofmatchError

Item = TypeVar("Item")
Result = TypeVar("Result")

# A worker can die for reasons that are not its work's (the kernel's memory killer, an administrator).
DEATHS_BEFORE_RESCUE = 2

_HOPELESS = (
    "worker processes die as soon as they start; "
    'in a script, call build_release under `if __name__ == "__main__":`'
)

# Work that waits in the queue while all workers are busy; each item may hold megabytes.
_AHEAD = 2


class WorkerPool:
    """Runs tasks for many items in several processes.

    Args:
        workers: Number of processes.
        start: Prepares a process.
        arguments: Arguments of `start`.
    """

    def __init__(self, workers: int, start: Callable[..., None], arguments: tuple[Any, ...]) -> None:
        self._workers = workers
        self._start = start
        self._arguments = arguments
        self._executor: ProcessPoolExecutor | None = None

    def __enter__(self) -> "WorkerPool":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and self._executor is not None:
            # Whatever went wrong, nobody waits for the rest of the work; what is half done is not kept.
            for process in list((self._executor._processes or {}).values()):
                process.kill()
        with _undisturbed():
            self._stop()

    def run(
        self, task: Callable[[Item], Result], items: Iterable[Item], rescue: Callable[[Item], Item]
    ) -> Iterator[Result]:
        """Do the work and hand out results as they come.

        Args:
            task: What to do with an item; both travel to another process.
            items: The work; taken from the iterable only as fast as the workers go.
            rescue: Called with an item whose worker has died repeatedly; returns what to do instead.
        """
        source, again = iter(items), deque[tuple[Item, int]]()
        running: dict[Future[Result], tuple[Item, int]] = {}
        while True:
            while len(running) < self._workers + _AHEAD:
                item, deaths = again.popleft() if again else (next(source, None), 0)
                if item is None:
                    break
                if deaths == DEATHS_BEFORE_RESCUE:
                    item = rescue(item)
                elif deaths == 2 * DEATHS_BEFORE_RESCUE:
                    raise ProofmatchError(_HOPELESS)
                running[self._submit(task, item)] = item, deaths
            if not running:
                return
            for future in self._next_done(running):
                item, deaths = running.pop(future)
                try:
                    result = future.result()
                except BrokenProcessPool:
                    again.append((item, deaths + 1))
                else:
                    yield result

    def _next_done(self, running: Collection[Future[Result]]) -> Collection[Future[Result]]:
        done = wait(running, return_when=FIRST_COMPLETED).done
        if any(isinstance(future.exception(), BrokenProcessPool) for future in done):
            # When one process dies all lose their work; stopping the pool settles every future.
            self._stop()
            return list(running)
        return done

    def survives(self, task: Callable[[Item], object], item: Item) -> bool:
        """Tell whether a process can do the task for an item without dying of it."""
        for _ in range(DEATHS_BEFORE_RESCUE):
            try:
                self._submit(task, item).result()
            except BrokenProcessPool:
                self._stop()
            else:
                return True
        return False

    def _submit(self, task: Callable[[Item], Result], item: Item) -> Future[Result]:
        if self._executor is None:
            self._executor = ProcessPoolExecutor(
                self._workers,
                mp_context=multiprocessing.get_context("fork" if _is_single_threaded() else "spawn"),
                initializer=self._start,
                initargs=self._arguments,
            )
        try:
            return self._executor.submit(task, item)
        except BrokenProcessPool:
            self._stop()
            return self._submit(task, item)

    def _stop(self) -> None:
        if self._executor is not None:
            self._executor.shutdown(wait=True, cancel_futures=True)
            self._executor = None


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Let an impatient second Ctrl-C wait until the processes are gone."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _is_single_threaded() -> bool:
    """Tell whether a fork is safe: with other threads around, it would copy the locks they hold."""
    try:
        threads = [(task / "comm").read_text().strip() for task in Path("/proc/self/task").iterdir()]
    except OSError:  # not Linux
        return False
    # Arrow's allocator has a thread that puts its locks in order when the process forks.
    return len([name for name in threads if name != "jemalloc_bg_thd"]) == 1


def number_of_workers(wanted: int | None) -> int:
    """Take the number asked for, and by default one for each processor.

    Raises:
        ProofmatchError: If it is less than one.
    """
    if wanted is None:
        return _processors()
    if wanted < 1:
        raise ProofmatchError(f"workers must be at least 1, not {wanted}")
    return wanted


def _processors() -> int:
    """Count the processors this process may use, which in a container are fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
