"""A target that crashes, hangs and so on, to test that the watcher detects it."""

import os
import signal
import time
from pathlib import Path
from random import Random

SECONDS = 1.0
MEGABYTES = 50

CRASH, RAISE, HANG, SLEEP, SWELL, FINE = "crash", "raise", "hang", "sleep", "swell", "fine"

_kept: list[bytes] = []


def make(chance: Random) -> int:
    return chance.randrange(10**9)


def run(number: int, _folder: Path) -> str:
    return _done(os.environ.get("TROUBLE", FINE), number)


def _done(what: str, number: int) -> str:
    if what == CRASH:
        os.kill(os.getpid(), signal.SIGSEGV)
    if what == RAISE:
        raise IndexError(f"of {number}")
    while what == HANG:
        pass
    if what == SLEEP:
        time.sleep(600)
    if what == SWELL:
        _kept.append(b"x" * (1 << 20))
    return FINE
