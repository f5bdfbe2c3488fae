"""Line charts with logarithmic axes, on which proportional growth is a straight line."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from proofmatch.dataset_card.style import draw_svg, line_style

TEMPLATES = Path(__file__).parent / "templates"

_HEIGHT = 324  # pixels of a chart
_LONG = 2000  # from this ratio of the ends, an axis has ticks at powers of ten only


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a chart: its name and its points, both numbers positive."""

    label: str
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Chart:
    """One plot: what it shows and its unit, what is below, and the lines."""

    heading: str
    x_label: str
    lines: Sequence[Line]


def draw_charts(title: str, description: str, charts: Sequence[Chart]) -> str:
    """Draw charts one below the other; return the SVG."""

    def draw(figure: Figure) -> None:
        grid = figure.subplots(len(charts), squeeze=False)
        for axes, chart in zip(grid[:, 0], charts, strict=True):
            _draw_chart(axes, chart)

    return draw_svg(title, description, _HEIGHT * len(charts), draw)


def _draw_chart(axes: Axes, chart: Chart) -> None:
    axes.set(xscale="log", yscale="log", xlabel=chart.x_label)
    for number, line in enumerate(chart.lines):
        x, y = zip(*line.points, strict=True)
        axes.plot(x, y, **line_style(number), marker="o", label=line.label, clip_on=False)
    for axis, limits in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
        factors = (1, 2, 5) if limits[1] / limits[0] < _LONG else (1,)
        axis.set_major_locator(LogLocator(subs=factors, numticks=20))
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axes.grid(visible=True, axis="both")
    axes.autoscale_view()
    axes.legend(
        title=chart.heading,
        title_fontproperties={"weight": "bold", "size": 15},
        alignment="left",
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=len(chart.lines),
    )
