"""Axes with round numbers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

_LARGE, _SMALL = 1e6, 1e-4  # beyond these, labels with all their digits would not fit beside an axis

_LEAST = 1e-12  # less is nothing


@dataclass(frozen=True, slots=True)
class Axis:
    """A range of values and how far its ticks are apart."""

    low: float
    high: float
    step: float

    def share(self, value: float) -> float:
        """Tell where a value is on the axis, from 0 for its beginning to 1 for its end."""
        return (value - self.low) / (self.high - self.low)

    def ticks(self) -> list[tuple[float, str]]:
        """List the round values on the axis, with their labels."""
        # Divisions do not come out exactly, and a tick at the very end must not be lost.
        first = math.ceil(self.low / self.step - 1e-6)
        last = math.floor(self.high / self.step + 1e-6)
        return [(number * self.step, self._label(number * self.step)) for number in range(first, last + 1)]

    def _label(self, value: float) -> str:
        size = max(abs(self.low), abs(self.high))
        if size >= _LARGE or self.step < _SMALL:
            return f"{value:.{_exponent(size) - _exponent(self.step) + 1}g}"
        return f"{value:,.{max(0, -_exponent(self.step))}f}"


def axis_of_epochs(last: float) -> Axis:
    """Make the axis from the beginning of a training to its last epoch."""
    last = last if last > 0 else 1.0
    step = _round_step(last, 10)
    return Axis(0.0, last, max(1.0, step) if last >= 2 else step)


def axis_of_values(values: Sequence[float]) -> Axis:
    """Make an axis that has all values, and zero unless the values are far from it."""
    low, high = min(values, default=0.0), max(values, default=0.0)
    if 0 <= low <= high / 2 or _are_equal(low, high):
        low, high = min(0.0, low), max(0.0, high)
    if high - low < _LEAST:
        high = low + 1.0
    step = _round_step(high - low, 5)
    return Axis(math.floor(low / step + 1e-6) * step, math.ceil(high / step - 1e-6) * step, step)


def _are_equal(low: float, high: float) -> bool:
    return high - low <= 1e-6 * max(abs(low), abs(high))


def _round_step(span: float, at_most: int) -> float:
    """Find the least of …, 1, 2, 5, 10, 20, … that goes into a span at most so many times."""
    size = 10.0 ** _exponent(span / at_most)
    steps = (factor * size for factor in (1, 2, 5))
    return next((step for step in steps if step * at_most >= span * (1 - 1e-9)), 10 * size)


def _exponent(value: float) -> int:
    return math.floor(math.log10(value) + 1e-9)
