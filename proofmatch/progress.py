"""Progress of long operations: a bar on a terminal, occasional plain lines elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType

_SECONDS_BETWEEN_LINES = 10.0
_is_silent = ContextVar("is_silent", default=False)


@contextmanager
def no_progress() -> Iterator[None]:
    """Suppress progress output in a `with` block, for commands that describe their own steps."""
    before = _is_silent.set(True)
    try:
        yield
    finally:
        _is_silent.reset(before)


class Progress:
    """Shows the progress of an operation on standard error.

    Args:
        title: What the operation does.
        unit: What is counted.
        total: How many there are in all, if that is known.
        done: How many are done already.

    Attributes:
        summary: The current status in a few words; the last one stays on the screen.
    """

    def __init__(self, title: str, unit: str, total: int | None = None, done: int = 0) -> None:
        self.summary = ""
        self._title = title
        self._unit = unit
        self._total = total
        self._count = done
        self._last_line = time.monotonic()
        self._bar = None

    def __enter__(self) -> "Progress":
        if sys.stderr.isatty() and not _is_silent.get():
            from tqdm import tqdm

            class Bar(tqdm):
                monitor_interval = 0  # tqdm's monitor thread would make it unsafe to fork workers

            self._bar = Bar(
                desc=self._title, unit=f" {self._unit}", total=self._total, initial=self._count, leave=False
            )
        return self

    def advance(self) -> None:
        """Count one more."""
        self._count += 1
        if self._bar is not None:
            self._bar.set_postfix_str(self.summary, refresh=False)
            self._bar.update()
        elif time.monotonic() - self._last_line >= _SECONDS_BETWEEN_LINES:
            of_total = f" of {self._total:,}" if self._total else ""
            self._print(f"{self._count:,}{of_total} {self._unit} ({self.summary}) …")
            self._last_line = time.monotonic()

    def say(self, message: str) -> None:
        """Print a line that stays."""
        if self._bar is not None:
            self._bar.clear()
        self._print(message)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.close()
        if kind is None and self.summary:
            self._print(self.summary)

    def _print(self, message: str) -> None:
        if not _is_silent.get():
            print(f"{self._title}: {message}", file=sys.stderr, flush=True)
