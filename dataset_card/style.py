"""The common style of all figures and pages: the colours, and matplotlib figures as SVG.

The SVG uses the light colours, and a style sheet replaces them for readers who prefer dark mode.
The same input and version of matplotlib give the same bytes: there is no date, ids are fixed, and the fonts
bundled with matplotlib determine the layout.
"""

import io
import logging
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from html import escape
from typing import TYPE_CHECKING, Any

from proofmatch.errors import printable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH = 760  # pixels

_FONTS = 'system-ui, -apple-system, "Segoe UI", sans-serif'
_DASHES = ("-", (0, (4, 2)), (0, (1, 1.5)), (0, (5, 1.5, 1, 1.5)))


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours of a page or figure.

    Based on the palette of Okabe and Ito, whose colours can be told apart with any kind of colour vision. Two
    of them are slightly darker or lighter here, for contrast with the background.
    """

    ink: str
    faint_ink: str
    paper: str
    panel: str  # behind boxes and code
    grid: str
    blue: str
    orange: str
    green: str
    purple: str

    @property
    def series(self) -> tuple[str, str, str, str]:
        """Colours of several things that are compared, in order."""
        return self.blue, self.orange, self.green, self.purple


LIGHT = Palette(
    ink="#24292f",
    faint_ink="#656d76",
    paper="#ffffff",
    panel="#f6f8fa",
    grid="#d0d7de",
    blue="#0072b2",
    orange="#d55e00",
    green="#00845f",
    purple="#aa4499",
)
DARK = Palette(
    ink="#e6edf3",
    faint_ink="#8b949e",
    paper="#0d1117",
    panel="#161b22",
    grid="#30363d",
    blue="#56b4e9",
    orange="#e69f00",
    green="#2fc49b",
    purple="#dd8fbd",
)

_STYLE: dict[str, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "proofmatch",
    "text.parse_math": False,  # a "$" in a name is a "$"
    "font.size": 13,
    "font.sans-serif": ["DejaVu Sans"],
    "text.color": LIGHT.ink,
    "figure.facecolor": LIGHT.paper,
    "figure.constrained_layout.use": True,
    "figure.constrained_layout.h_pad": 12 / 72,  # inches
    "figure.constrained_layout.w_pad": 12 / 72,
    "axes.facecolor": "none",
    "axes.edgecolor": LIGHT.grid,
    "axes.labelcolor": LIGHT.ink,
    "axes.autolimit_mode": "round_numbers",
    "axes.xmargin": 0,
    "axes.ymargin": 0,
    "axes.titlelocation": "left",
    "axes.titlepad": 10,
    "axes.titlesize": 15,
    "axes.titleweight": "bold",
    "axes.spines.left": False,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.formatter.limits": (-4, 6),
    "axes.formatter.useoffset": False,
    "grid.color": LIGHT.grid,
    "xtick.major.pad": 6,
    "ytick.major.pad": 8,
    "xtick.color": LIGHT.grid,
    "xtick.labelcolor": LIGHT.ink,
    "ytick.color": LIGHT.grid,
    "ytick.labelcolor": LIGHT.ink,
    "ytick.major.size": 0,
    "lines.linewidth": 2,
    "lines.scale_dashes": True,
    "legend.frameon": False,
    "legend.borderaxespad": 0.8,
    "legend.borderpad": 0,
    "legend.handlelength": 2.2,
    "legend.title_fontsize": 15,
}


def draw_svg(title: str, description: str, height: float, draw: Callable[["Figure"], None]) -> str:
    """Draw a figure as SVG.

    Args:
        title: What the figure shows, for screen readers.
        description: Its content in words, for screen readers.
        height: The height of the figure, in pixels.
        draw: Draws on an empty figure; import matplotlib inside this function.
    """
    buffer = io.StringIO()
    with _drawing():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(WIDTH / 72, height / 72))
        draw(figure)
        unnamed = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        figure.savefig(buffer, format="svg", metadata=unnamed)
    content = re.sub(r".*?<svg [^>]*>", "", buffer.getvalue(), count=1, flags=re.DOTALL)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'viewBox="0 0 {WIDTH} {height:g}" width="{WIDTH}" height="{height:g}" role="img" '
        f'aria-labelledby="title description">\n'
        f'<title id="title">{escape(printable(title))}</title>\n'
        f'<desc id="description">{escape(printable(description))}</desc>\n'
        f"<style>\n{_style_sheet()}</style>{content}"
    )


def line_style(number: int) -> dict[str, Any]:
    """Choose the colour and dashes of a line: neighbours differ in both, any two of 16 in at least one."""
    colours = LIGHT.series
    dashes = _DASHES[(number + number // len(colours)) % len(_DASHES)]
    return {"color": colours[number % len(colours)], "linestyle": dashes}


def label(text: str, longest: int = 60) -> str:
    """Make a label from an untrusted text: one line of limited length, without control characters."""
    line = printable(" ".join(text.split()))
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


@contextmanager
def _drawing() -> Iterator[None]:
    """Have matplotlib draw in our style, whatever the user's own settings are, and without warnings.

    It warns about its font cache, and about characters that its fonts lack but the reader's may have.
    """
    log = logging.getLogger("matplotlib")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        import matplotlib.style

        with warnings.catch_warnings(), matplotlib.style.context(["default", _STYLE]):
            warnings.simplefilter("ignore")
            yield
    finally:
        log.setLevel(level)


def _style_sheet() -> str:
    lines = [f"text {{ font-family: {_FONTS} !important; }}", "@media (prefers-color-scheme: dark) {"]
    for field in fields(Palette):
        light, dark = getattr(LIGHT, field.name), getattr(DARK, field.name)
        for use in ("fill", "stroke"):  # only important rules win over inline colours
            lines.append(f'  [style*="{use}: {light}"] {{ {use}: {dark} !important; }}')
    return "\n".join([*lines, "}\n"])
