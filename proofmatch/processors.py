"""The CPUs that this process may use, and how the threads of numerical libraries wait for work."""

import os
from pathlib import Path

_QUOTA_VERSION_2 = Path("/sys/fs/cgroup/cpu.max")
_QUOTA_VERSION_1 = tuple(
    Path("/sys/fs/cgroup/cpu", name) for name in ("cpu.cfs_quota_us", "cpu.cfs_period_us")
)

# Variables that set how long OpenMP threads spin before they sleep: the standard's, GNU's and LLVM's.
_WAITING = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME")

# Of GNU's threads: long enough for the pauses between the operations of a small model on an idle machine, and
# short enough to lose little beside a busy process. `tests/benchmarks/threads.py` measures both.
_SPINS = 600


def available_processors() -> int:
    """Count the CPUs that this process may use, by its affinity and the quota of its container."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota = _quota()
    return allowed if quota is None else max(1, min(allowed, round(quota)))


def configure_threads() -> None:
    """Let the threads of numerical libraries soon sleep while they wait, and start at most one per CPU.

    OpenMP threads spin for milliseconds by default. If another process needs the CPU of one thread, all other
    threads spin until that thread continues, and slow the other process down: training becomes slower than
    with a single thread. Call this before importing a library that uses OpenMP. Variables that the user has
    set are kept.
    """
    if not any(name in os.environ for name in _WAITING):
        os.environ |= {"OMP_WAIT_POLICY": "PASSIVE", "GOMP_SPINCOUNT": str(_SPINS)}
    # Libraries respect the affinity by themselves, but ignore quotas.
    if _quota() is not None:
        os.environ.setdefault("OMP_NUM_THREADS", str(available_processors()))


def _quota() -> float | None:
    """Read how many CPUs a container may use; None if there is no limit."""
    try:
        if _QUOTA_VERSION_2.exists():
            quota, period = _QUOTA_VERSION_2.read_text(encoding="ascii").split()
        else:
            quota, period = (path.read_text(encoding="ascii").strip() for path in _QUOTA_VERSION_1)
        return int(quota) / int(period) if quota not in ("max", "-1") else None
    except (OSError, ValueError, ZeroDivisionError):  # not Linux, or no container
        return None
