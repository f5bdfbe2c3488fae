"""The rows of a chart that is a table with bars."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bar:
    """A row.

    Attributes:
        label: What it is about.
        share: Length of the bar, from 0 to 1.
        figures: What stands beside it.
        interval: A line from here to there over the bar, from 0 to 1.
        hint: What is said of the row to those who point at it.
        colour: Of the palette, if it is another than that of the chart.
    """

    label: str
    share: float
    figures: tuple[str, ...]
    interval: tuple[float, float] | None = None
    hint: str | None = None
    colour: str | None = None


def percent(fraction: float) -> str:
    """Write a fraction in percent, as all pages do."""
    return f"{100 * fraction:.1f}"


def percent_between(interval: tuple[float, float]) -> str:
    """Write an interval in percent."""
    return f"{percent(interval[0])}–{percent(interval[1])}"
