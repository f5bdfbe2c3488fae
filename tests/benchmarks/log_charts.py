"""Lines over logarithmic axes, as SVG in the style of other figures: what grows in proportion is straight.

Lines differ in colour and in dashes, so that they can be told apart without seeing colours.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from proofmatch.dataset_card.templates import render

TEMPLATES = Path(__file__).parent / "templates"

_WIDTH, _LEFT, _RIGHT, _HEIGHT = 760, 72, 36, 200
_ABOVE, _BELOW = 62, 62
_SAMPLE, _LETTER = 36, 7.2  # a piece of line in the legend; about as wide as a letter is


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a chart: its name and its points, both numbers positive."""

    label: str
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Chart:
    """One plot.

    Attributes:
        heading: What is shown, and its unit.
        x_label: What is below.
        lines: The lines, four at most.
    """

    heading: str
    x_label: str
    lines: Sequence[Line]


@dataclass(frozen=True, slots=True)
class LogAxis:
    """A range of positive numbers, whose ends are round."""

    low: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float]) -> "LogAxis":
        """Make an axis that has all values."""
        values = list(values)
        low, high = _round_down(min(values)), -_round_down(-max(values))
        return cls(low, high if high > low else 10 * low)

    def share(self, value: float) -> float:
        """Tell where a value is on the axis, from 0 for its beginning to 1 for its end."""
        return math.log(value / self.low) / math.log(self.high / self.low)

    def ticks(self) -> list[tuple[float, str]]:
        """List 1, 2, 5, 10, … on the axis with their labels; only powers of ten if it is long."""
        factors = (1, 2, 5) if self.high / self.low < 2000 else (1,)
        first, last = (math.floor(math.log10(end) + 1e-9) for end in (self.low, self.high))
        values = [factor * 10.0**power for power in range(first, last + 1) for factor in factors]
        return [(value, f"{value:,g}") for value in values if self.low * 0.999 <= value <= self.high * 1.001]


@dataclass(frozen=True, slots=True)
class _Placed:
    chart: Chart
    top: float
    x_axis: LogAxis
    y_axis: LogAxis

    @property
    def base(self) -> float:
        return self.top + _HEIGHT

    def x(self, value: float) -> float:
        return round(_LEFT + (_WIDTH - _LEFT - _RIGHT) * self.x_axis.share(value), 1)

    def y(self, value: float) -> float:
        return round(self.base - _HEIGHT * self.y_axis.share(value), 1)

    def legend(self) -> list[tuple[float, Line]]:
        places, x = [], float(_LEFT)
        for line in self.chart.lines:
            places.append((round(x, 1), line))
            x += _SAMPLE + _LETTER * len(line.label) + 24
        return places


def draw_charts(title: str, description: str, charts: Sequence[Chart]) -> str:
    """Draw charts one below the other.

    Args:
        title: What the picture is, for those who do not see it.
        description: What is to be seen in it.
        charts: The plots.
    """
    placed = []
    for number, chart in enumerate(charts):
        points = [point for line in chart.lines for point in line.points]
        axes = (LogAxis.of(point[side] for point in points) for side in (0, 1))
        placed.append(_Placed(chart, number * (_ABOVE + _HEIGHT + _BELOW) + _ABOVE, *axes))
    return render(
        "log_charts.svg.jinja",
        TEMPLATES,
        title=title,
        description=description,
        charts=placed,
        width=_WIDTH,
        height=len(placed) * (_ABOVE + _HEIGHT + _BELOW),
        left=_LEFT,
        right=_WIDTH - _RIGHT,
        sample=_SAMPLE,
    )


def _round_down(value: float) -> float:
    """Find the greatest of …, 1, 2, 5, 10, … that is not above a number, or the mirror image of that."""
    size = abs(value)
    power = 10.0 ** math.floor(math.log10(size) + 1e-9)
    if value > 0:
        return max(factor * power for factor in (1, 2, 5) if factor * power <= size * (1 + 1e-9))
    return -min(factor * power for factor in (1, 2, 5, 10) if factor * power >= size * (1 - 1e-9))
