"""The processors that this process may use, and how the threads of numerical libraries wait for work."""

import os
from pathlib import Path

_QUOTA_VERSION_2 = Path("/sys/fs/cgroup/cpu.max")
_QUOTA_VERSION_1 = tuple(
    Path("/sys/fs/cgroup/cpu", name) for name in ("cpu.cfs_quota_us", "cpu.cfs_period_us")
)

# Each of these says how long threads of OpenMP spin before they sleep: the standard's, GNU's, and LLVM's.
_WAITING = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME")


def available_processors() -> int:
    """Count the processors that this process may use: its affinity, and the quota of its container."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota = _quota()
    return allowed if quota is None else max(1, min(allowed, round(quota)))


def configure_threads() -> None:
    """Let threads of numerical libraries sleep while they wait, and be no more than there are processors.

    Threads of OpenMP spin by default. If another process needs the processor of one of them, all others wait
    for it, and none lets the other process finish: training becomes slower than with a single thread. This is
    for programs, before they import a library with OpenMP. What the user has set is left as it is.
    """
    if not any(name in os.environ for name in _WAITING):
        os.environ["OMP_WAIT_POLICY"] = "PASSIVE"
    # Libraries count the processors of the affinity themselves, but know nothing of quotas.
    if _quota() is not None:
        os.environ.setdefault("OMP_NUM_THREADS", str(available_processors()))


def _quota() -> float | None:
    """Read how many processors a container may keep busy; None if as many as there are."""
    try:
        if _QUOTA_VERSION_2.exists():
            quota, period = _QUOTA_VERSION_2.read_text(encoding="ascii").split()
        else:
            quota, period = (path.read_text(encoding="ascii").strip() for path in _QUOTA_VERSION_1)
        return int(quota) / int(period) if quota not in ("max", "-1") else None
    except (OSError, ValueError, ZeroDivisionError):  # not Linux, or no container
        return None
