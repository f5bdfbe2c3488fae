"""The colours of all figures and pages, light and dark.

After Okabe and Ito's palette, whose colours people with any kind of colour vision tell apart; two of them are
a little darker or lighter here, for contrast with the paper.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours of a page.

    Attributes:
        ink: Of text.
        faint_ink: Of remarks.
        paper: Behind all.
        panel: Behind what stands apart.
        grid: Of lines that guide the eye.
        blue: Of the first of several things.
        orange: Of the second.
        green: Of the third.
        purple: Of the fourth.
    """

    ink: str
    faint_ink: str
    paper: str
    panel: str
    grid: str
    blue: str
    orange: str
    green: str
    purple: str


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
