"""Lines over epochs, as SVG in the style of the dataset card's figures.

Drawn from a template, so that a history gives the same bytes on every machine. Lines differ in colour and in
dashes, so that they can be told apart without seeing colours.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ...dataset_card.templates import render
from ..templates import FOLDER
from .axes import Axis, axis_of_epochs, axis_of_values
from .history import Point

_COLOURS = 4
_DASHES = 4

_WIDTH, _LEFT, _RIGHT = 760, 64, 16
_HEADING, _LEGEND_ROW, _BELOW = 34, 24, 62
_SAMPLE = 36  # a piece of line in the legend
_LETTER = 7.2  # about as wide as a letter is
_MANY = 60  # dots, which would cover the dashes of their line


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a panel.

    Attributes:
        label: Its name in the legend and in the hints at its points; none in the legend if empty.
        points: In the order of their epochs.
        colour: Number of its colour.
        dashes: Number of its pattern of dashes, 0 for none.
        is_faint: Whether it is there as the background of another.
        has_dots: Whether every point is marked.
        marked: The point that stands out, if there is one.
    """

    label: str
    points: Sequence[Point]
    colour: int = 0
    dashes: int = 0
    is_faint: bool = False
    has_dots: bool = False
    marked: Point | None = None


@dataclass(frozen=True, slots=True)
class Panel:
    """One plot.

    Attributes:
        heading: What is shown.
        lines: The lines, what is in front last.
        note: A remark at the right of the heading.
        empty: What to say if there is nothing to draw.
        marked_epoch: Where a line goes from top to bottom.
        height: Of the plot, without what is above and below.
    """

    heading: str
    lines: Sequence[Line]
    note: str = ""
    empty: str = "nothing was logged"
    marked_epoch: float | None = None
    height: int = 180


@dataclass(frozen=True, slots=True)
class _Placed:
    """A panel with all its places."""

    panel: Panel
    heading_y: float
    top: float
    base: float
    x_axis: Axis
    y_axis: Axis
    legend: list[tuple[float, float, Line]] = field(default_factory=list)

    def x(self, epoch: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * self.x_axis.share(epoch)

    def y(self, value: float) -> float:
        return self.base - (self.base - self.top) * self.y_axis.share(value)

    def path(self, line: Line) -> str:
        return " ".join(f"{self.x(point.epoch):.1f},{self.y(point.value):.1f}" for point in line.points)

    @property
    def is_empty(self) -> bool:
        return not any(line.points for line in self.panel.lines)


def line_style(number: int) -> tuple[int, int]:
    """Choose colour and dashes of one of many lines: neighbours differ in both, any two of 16 in one."""
    return number % _COLOURS, (number + number // _COLOURS) % _DASHES


def draw_panels(title: str, description: str, panels: Sequence[Panel]) -> str:
    """Draw panels one below the other, over the same epochs.

    Args:
        title: What the picture is, for those who do not see it.
        description: What is to be seen in it.
        panels: The plots.
    """
    last = max(
        (point.epoch for panel in panels for line in panel.lines for point in line.points), default=0.0
    )
    placed = list(_placed(panels, axis_of_epochs(last)))
    return render(
        "curves.svg.jinja",
        FOLDER,
        title=title,
        description=description,
        panels=placed,
        width=_WIDTH,
        height=round(placed[-1].base + _BELOW) if placed else _BELOW,
        left=_LEFT,
        right=_WIDTH - _RIGHT,
        sample=_SAMPLE,
        epochs=epochs_text,
        many=_MANY,
    )


def epochs_text(epoch: float) -> str:
    """Write an epoch with as many decimals as it needs, two at most."""
    return f"{epoch:,.2f}".rstrip("0").rstrip(".")


def _placed(panels: Sequence[Panel], x_axis: Axis) -> Iterator[_Placed]:
    y = 0.0
    for panel in panels:
        legend = list(_legend(panel.lines, y + _HEADING + 14))
        top = (legend[-1][1] + 18) if legend else (y + _HEADING + 8)
        values = [point.value for line in panel.lines for point in line.points]
        yield _Placed(panel, y + 24, top, top + panel.height, x_axis, axis_of_values(values), legend)
        y = top + panel.height + _BELOW


def _legend(lines: Sequence[Line], y: float) -> Iterator[tuple[float, float, Line]]:
    """Place the labels one after the other, in as many rows as they need."""
    x = float(_LEFT)
    for line in lines:
        if not line.label:
            continue
        width = _SAMPLE + _LETTER * len(line.label)
        if x > _LEFT and x + width > _WIDTH - _RIGHT:
            x, y = float(_LEFT), y + _LEGEND_ROW
        yield x, y, line
        x += width + 24
