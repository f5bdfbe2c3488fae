"""Measures the memory of a process."""

from pathlib import Path


def peak_mb() -> float:
    """The most memory that this process ever had, in megabytes.

    `resource.getrusage` does not tell: a process inherits the peak of the one that started it.
    """
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")) / 1024
