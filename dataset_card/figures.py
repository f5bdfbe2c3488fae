"""The two figures of a card: how long the texts are, and what they are about."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from .style import LIGHT, draw_svg, label
from .tables import CategoryRow, represented_categories

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LENGTHS = "Length of statements and proofs in tokens, words and math symbols together"
_CATEGORIES = "Pairs by primary category, most represented categories by articles first"
_LONGEST_CATEGORY = 48


@dataclass(frozen=True, slots=True)
class CardFigure:
    """A figure of a card."""

    path: str  # in the release
    title: str
    description: str
    height: int
    draw: Callable[["Figure"], None]

    def svg(self) -> str:
        """Draw the figure."""
        return draw_svg(self.title, self.description, self.height, self.draw)


def card_figures(statistics: dict[str, Any]) -> list[CardFigure]:
    """List the figures for which there are data."""
    histogram = statistics["length_histogram"]
    draw = partial(_draw_lengths, histogram=histogram)
    figures = [CardFigure("figures/token_lengths.svg", _LENGTHS, _describe_lengths(histogram), 320, draw)]
    if categories := represented_categories(statistics):
        described = "; ".join(f"{row.name}: {row.pairs:,}" for row in categories)
        draw, height = partial(_draw_categories, rows=categories), 92 + 24 * len(categories)
        figures.append(CardFigure("figures/categories.svg", _CATEGORIES, described, height, draw))
    return figures


def _describe_lengths(histogram: dict[str, Any]) -> str:
    width, numbers = histogram["class_width"], zip(histogram["statements"], histogram["proofs"], strict=True)
    return "; ".join(
        f"{place * width} to {place * width + width - 1} tokens: {statements:,} statements, {proofs:,} proofs"
        for place, (statements, proofs) in enumerate(numbers)
        if statements or proofs
    )


def _draw_lengths(figure: "Figure", histogram: dict[str, Any]) -> None:
    from matplotlib.ticker import MaxNLocator

    width = histogram["class_width"]
    axes = figure.add_subplot()
    for place, (side, colour) in enumerate((("statements", LIGHT.blue), ("proofs", LIGHT.orange))):
        starts = [(number + place / 2) * width for number in range(len(histogram[side]))]
        axes.bar(starts, histogram[side], 0.45 * width, align="edge", color=colour, label=side)
    axes.set_title("Length of statements and proofs", loc="left")
    axes.legend(loc="upper right", ncols=2, handlelength=0.9, handleheight=0.9)
    axes.set_xlabel("tokens (words and math symbols)")
    axes.set_ylabel("texts")
    axes.set_xlim(0, max(1, len(histogram["proofs"])) * width)
    axes.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.xaxis.set_major_formatter("{x:,.0f}")


def _draw_categories(figure: "Figure", rows: list[CategoryRow]) -> None:
    axes = figure.add_subplot()
    places = range(len(rows))
    bars = axes.barh(places, [row.pairs for row in rows], 0.72, color=LIGHT.blue)
    axes.bar_label(bars, fmt="{:,.0f}", padding=6)
    axes.set_yticks(places, [label(row.name, _LONGEST_CATEGORY) for row in rows])
    axes.set_title("Pairs by primary category", loc="left")
    axes.set_xlabel("pairs")
    axes.set_ylabel("primary category")
    axes.set_xlim(0, 1.1 * max(1, *(row.pairs for row in rows)))
    axes.grid(visible=False)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set_ylim(len(rows) - 0.5, -0.5)
