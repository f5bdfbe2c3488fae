"""A pool of worker processes that survives the death of its workers."""

import ctypes
import gc
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

from .errors import ProofmatchError
from .processors import available_processors

Item = TypeVar("Item")
Result = TypeVar("Result")

# A worker can die for reasons unrelated to its item (the kernel's OOM killer, an administrator).
_DEATHS_BEFORE_RESCUE = 2

_START_FAILED = (
    "worker processes die as soon as they start; "
    'in a script, call build_release under `if __name__ == "__main__":`'
)

# Items queued while all workers are busy; each may hold megabytes.
_QUEUED = 2

_PR_SET_PDEATHSIG = 1  # Linux: the signal to receive when the parent dies


class WorkerPool:
    """Runs a task for many items in several processes, which start with the first item.

    Args:
        workers: Number of processes.
        start: Prepares a process; by default `prepare_process`.
        arguments: Arguments of `start`.
    """

    def __init__(
        self, workers: int, start: Callable[..., None] | None = None, arguments: tuple[Any, ...] = ()
    ) -> None:
        self._workers = workers
        self._start = start or prepare_process
        self._arguments = arguments if start else (os.getpid(),)
        self._executor: ProcessPoolExecutor | None = None

    def __enter__(self) -> "WorkerPool":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and self._executor is not None:
            # After an error, the remaining results are not needed, and unfinished parts are not kept.
            for process in list((self._executor._processes or {}).values()):
                process.kill()
        with _ctrl_c_ignored():
            self._stop()

    def run(
        self,
        task: Callable[[Item], Result],
        items: Iterable[Item],
        rescue: Callable[[Item], Item] | None = None,
    ) -> Iterator[Result]:
        """Run a task for all items and yield results as they arrive, in any order.

        Args:
            task: What to do with an item; both are sent to another process.
            items: The items; taken from the iterable only as fast as the workers process them.
            rescue: Called with an item whose worker has died repeatedly; returns the item to try instead.

        Raises:
            ProofmatchError: If an item keeps killing workers; the message names it by its `str`.
        """
        source, again = iter(items), deque[tuple[Item, int]]()
        running: dict[Future[Result], tuple[Item, int]] = {}
        while True:
            while len(running) < self._workers + _QUEUED:
                item, deaths = again.popleft() if again else (next(source, None), 0)
                if item is None:
                    break
                if deaths == _DEATHS_BEFORE_RESCUE:
                    item = (rescue or _give_up)(item)
                elif deaths == 2 * _DEATHS_BEFORE_RESCUE:
                    raise ProofmatchError(_START_FAILED)
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
            # When one process dies, all futures fail; stopping the pool settles each of them.
            self._stop()
            return list(running)
        return done

    def survives(self, task: Callable[[Item], object], item: Item) -> bool:
        """Tell whether a worker can run the task for an item without dying."""
        for _ in range(_DEATHS_BEFORE_RESCUE):
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


def _give_up(item: Item) -> Item:
    raise ProofmatchError(
        f"workers died repeatedly while working on {item}, probably out of memory; "
        "run the same command again with fewer --workers"
    )


@contextmanager
def _ctrl_c_ignored() -> Iterator[None]:
    """Postpone a second Ctrl-C until the processes have ended."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _is_single_threaded() -> bool:
    """Tell whether a fork is safe: it would also copy locks that other threads hold."""
    try:
        threads = [(task / "comm").read_text().strip() for task in Path("/proc/self/task").iterdir()]
    except OSError:  # not Linux
        return False
    # Arrow's allocator has a thread that handles forks itself.
    return len([name for name in threads if name != "jemalloc_bg_thd"]) == 1


def number_of_workers(wanted: int | None) -> int:
    """Check the number of workers asked for; the default is one per CPU.

    Raises:
        ProofmatchError: If it is less than one.
    """
    if wanted is None:
        return available_processors()
    if wanted < 1:
        raise ProofmatchError(f"workers must be at least 1, not {wanted}")
    return wanted


def prepare_process(driver: int) -> None:
    """Prepare a worker process: it ends with its driver, ignores Ctrl-C, and uses one CPU and little memory.

    Args:
        driver: Process id of the driver.
    """
    import pyarrow as pa

    die_with_parent(driver)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the driver decides
    # Reference counting frees trees and tokens; the cycle collector would scan millions and find nothing.
    gc.disable()
    # One process per CPU is enough; threads would only compete for it.
    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    # Arrow's default allocator retains 50 MB more than the others and is no faster here.
    others = {"jemalloc": pa.jemalloc_memory_pool, "system": pa.system_memory_pool}
    pa.set_memory_pool(next(others[name] for name in others if name in pa.supported_memory_backends())())


def die_with_parent(driver: int) -> None:
    """Have the kernel kill this process when its driver dies, so that no orphan is left."""
    if signal_on_parent_death(signal.SIGKILL) and os.getppid() != driver:  # it died before we asked
        os._exit(1)


def signal_on_parent_death(number: signal.Signals) -> bool:
    """Have the kernel send this process a signal when its parent dies; False where it cannot."""
    try:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number)
    except (AttributeError, OSError):  # not Linux; the pool's pipes end a worker soon enough
        return False
    return True
