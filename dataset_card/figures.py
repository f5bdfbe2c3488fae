"""The two plots of a card, as SVG: how long the texts are, and what they are about.

Drawn from a template and not by a plotting library, so that a release has the same bytes on every machine and
a build needs nothing more. Readers' preference for light or dark is respected.
"""

from dataclasses import dataclass
from math import log10
from typing import Any

from .describe import describe
from .templates import render

_WIDTH = 760


@dataclass(frozen=True, slots=True)
class Figure:
    """A plot: its place in the release, what it shows, and the drawing."""

    path: str
    title: str
    svg: str


def draw_figures(statistics: dict[str, Any]) -> list[Figure]:
    """Draw the plots that there is something to show for."""
    figures = [_token_lengths(statistics["length_histogram"])]
    if statistics["categories"]["by_primary"]:
        figures.append(_categories(statistics))
    return figures


def _token_lengths(histogram: dict[str, Any]) -> Figure:
    left, base, height = 64, 236, 190
    classes, width = len(histogram["statements"]), histogram["class_width"]
    highest = max(*histogram["statements"], *histogram["proofs"], 1)
    top = _round_up(highest)
    step = (_WIDTH - left - 16) / classes
    bars = [
        {
            "side": side,
            "x": left + number * step + place * step / 2,
            "y": base - height * count / top,
            "height": height * count / top,
            "width": max(1.0, step / 2 - 1),
            "label": f"{count:,} {side} of {number * width} to {number * width + width - 1} tokens",
        }
        for place, side in enumerate(("statements", "proofs"))
        for number, count in enumerate(histogram[side])
        if count
    ]
    every = max(1, classes // 10)
    title = "Length of statements and proofs in tokens, words and math symbols together"
    svg = render(
        "token_lengths.svg.jinja",
        title=title,
        width=_WIDTH,
        base=base,
        left=left,
        bars=bars,
        x_ticks=[(left + number * step, number * width) for number in range(0, classes + 1, every)],
        y_ticks=[(base - height * part / 4, f"{top * part / 4:,.0f}") for part in range(5)],
    )
    return Figure("figures/token_lengths.svg", title, svg)


def _categories(statistics: dict[str, Any]) -> Figure:
    left, row_height = 300, 24
    rows = describe(statistics).categories
    most = max(row.pairs for row in rows) or 1
    room = _WIDTH - left - 90
    bars = [
        {
            "name": row.name,
            "y": 40 + number * row_height,
            "width": max(1.0, room * row.pairs / most),
            "label": f"{row.pairs:,}",
        }
        for number, row in enumerate(rows)
    ]
    title = "Pairs by primary category, most represented categories by articles first"
    height = 40 + row_height * len(rows) + 12
    svg = render("categories.svg.jinja", title=title, width=_WIDTH, height=height, left=left, bars=bars)
    return Figure("figures/categories.svg", title, svg)


def _round_up(value: int) -> float:
    """Round up to a number whose quarters are easy to read."""
    size = 10 ** int(log10(value))
    return next(step * size for step in (1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8, 10) if step * size >= value)
