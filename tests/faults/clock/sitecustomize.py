"""A clock that somebody sets over and over: at each look it is ten years ahead, right, or ten years behind.

Python runs this file when it starts, if it is found on its path, and a worker has the clock of its driver.
"""

import itertools
import time

_SECOND = 10**9
_TEN_YEARS = 10 * 365 * 86_400 * _SECOND
_changes = itertools.cycle((_TEN_YEARS, 0, -_TEN_YEARS))
_true_time = time.time_ns


def _time_ns() -> int:
    return _true_time() + next(_changes)


time.time_ns = _time_ns
time.time = lambda: _time_ns() / _SECOND
