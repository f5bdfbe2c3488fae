"""Measures the CPU time and real time of a command, and the memory of its processes."""

import os
import resource
import subprocess
import threading
import time
from dataclasses import dataclass, field

import psutil

_SECONDS_BETWEEN_LOOKS = 0.05


@dataclass
class Measurement:
    """What a command and all its processes used."""

    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    peak_mb: dict[int, float] = field(default_factory=dict)  # by process
    peak_total_mb: float = 0.0  # of all at one moment; what they share is counted once
    driver: int = 0

    @property
    def peak_worker_mb(self) -> float:
        """The most memory that any process but the driver had at any moment."""
        return max((peak for process, peak in self.peak_mb.items() if process != self.driver), default=0.0)

    @property
    def peak_driver_mb(self) -> float:
        """The most memory that the driver had at any moment."""
        return self.peak_mb.get(self.driver, 0.0)


def measure(
    command: list[str], *, memory: bool = False, environment: dict[str, str] | None = None
) -> Measurement:
    """Run a command to its end.

    Args:
        command: The command.
        memory: Whether to watch its memory too, which itself takes some CPU time.
        environment: Variables to run it with; by default ours.
    """
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    quiet = {**(environment or os.environ), "TQDM_DISABLE": "1"}
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=quiet)
    measurement = Measurement(driver=process.pid)
    watcher = threading.Thread(target=_watch, args=(process, measurement))
    if memory:
        watcher.start()
    if process.wait():
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    if memory:
        watcher.join()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    measurement.wall_seconds = time.perf_counter() - start
    measurement.cpu_seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return measurement


def _watch(process: subprocess.Popen[bytes], measurement: Measurement) -> None:
    driver = psutil.Process(process.pid)
    while process.poll() is None:
        total = 0.0
        try:
            for member in (driver, *driver.children(recursive=True)):
                used = member.memory_full_info()
                total += used.pss / 2**20
                resident = used.rss / 2**20
                measurement.peak_mb[member.pid] = max(resident, measurement.peak_mb.get(member.pid, 0.0))
        except psutil.NoSuchProcess:
            pass
        measurement.peak_total_mb = max(measurement.peak_total_mb, total)
        time.sleep(_SECONDS_BETWEEN_LOOKS)
