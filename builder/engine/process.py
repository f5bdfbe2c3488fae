"""What every worker process needs, whatever its work."""

import ctypes
import gc
import os
import signal

import pyarrow as pa

_PR_SET_PDEATHSIG = 1  # Linux: signal to get when the parent dies


def prepare_process(driver: int) -> None:
    """Make this process one of many that the driver's life and decisions bind.

    Args:
        driver: Process id of the driver.
    """
    die_with_parent(driver)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the driver decides
    # Trees and tokens are freed by counting references; looking for cycles among millions finds none.
    gc.disable()
    # One process for each processor is enough; threads would only get in each other's way.
    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    # Arrow's default allocator holds on to 50 MB more than the others and is no faster here.
    others = {"jemalloc": pa.jemalloc_memory_pool, "system": pa.system_memory_pool}
    pa.set_memory_pool(next(others[name] for name in others if name in pa.supported_memory_backends())())


def die_with_parent(driver: int) -> None:
    """Have the kernel end this process when the driver dies, however it dies: no orphans."""
    if signal_at_death_of_parent(signal.SIGKILL) and os.getppid() != driver:  # it died before we asked
        os._exit(1)


def signal_at_death_of_parent(number: signal.Signals) -> bool:
    """Have the kernel send this process a signal when its parent dies, and tell whether it can."""
    try:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number)
    except (AttributeError, OSError):  # not Linux; the pool's pipes end a worker soon enough
        return False
    return True
