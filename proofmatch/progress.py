"""Progress of long operations: a bar on a terminal, a plain line now and then elsewhere."""

import sys
import time
from types import TracebackType

_SECONDS_BETWEEN_LINES = 10.0


class Progress:
    """Shows how far an operation is, on standard error.

    Args:
        title: What is going on.
        unit: What is counted.
        total: How many there are, if known.
    """

    def __init__(self, title: str, unit: str, total: int | None = None) -> None:
        self._title = title
        self._unit = unit
        self._total = total
        self._count = 0
        self._last_line = time.monotonic()
        self._detail = ""
        self._bar = None

    def __enter__(self) -> "Progress":
        if sys.stderr.isatty():
            from tqdm import tqdm

            self._bar = tqdm(desc=self._title, unit=f" {self._unit}", total=self._total, leave=False)
        return self

    def advance(self, detail: str = "") -> None:
        """Count one more."""
        self._count += 1
        self._detail = detail
        if self._bar is not None:
            self._bar.set_postfix_str(detail, refresh=False)
            self._bar.update()
        elif time.monotonic() - self._last_line >= _SECONDS_BETWEEN_LINES:
            self._print("")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.close()
        if kind is None:
            self._print("done, ")

    def _print(self, state: str) -> None:
        of_total = f" of {self._total:,}" if self._total else ""
        detail = f": {self._detail}" if self._detail else ""
        print(
            f"{self._title}: {state}{self._count:,}{of_total} {self._unit}{detail}",
            file=sys.stderr,
            flush=True,
        )
        self._last_line = time.monotonic()
