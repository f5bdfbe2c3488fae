"""Self-contained pages: style and scripts are inline, and access to the network is forbidden."""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from proofmatch import __version__

from ...dataset_card.templates import render

TEMPLATES = Path(__file__).parent / "templates"
_STYLE = "style.css.jinja"


@dataclass(frozen=True, slots=True)
class Bar:
    """A row of a chart, which is a table with bars.

    Attributes:
        label: The row's heading.
        share: The length of the bar, from 0 to 1.
        figures: The cells beside it.
        interval: The ends of a line over the bar, from 0 to 1.
        hint: A tooltip.
        colour: A colour of the palette other than the chart's.
        link: The target of a link on the label.
    """

    label: str
    share: float
    figures: tuple[str, ...]
    interval: tuple[float, float] | None = None
    hint: str | None = None
    colour: str | None = None
    link: str | None = None


def percent(fraction: float) -> str:
    """Write a fraction in percent, as all pages do."""
    return f"{100 * fraction:.1f}"


def percent_between(interval: tuple[float, float]) -> str:
    """Write an interval in percent."""
    return f"{percent(interval[0])}–{percent(interval[1])}"


def render_page(
    template: str,
    folder: Path,
    *,
    title: str,
    style: str | None = None,
    scripts: Sequence[str] = (),
    connects: bool = False,
    **values: Any,  # noqa: ANN401 - whatever the template asks for
) -> str:
    """Render a page whose template extends `page.html.jinja`.

    Args:
        template: The template's file name.
        folder: The folder of the template, its style and its scripts; the shared ones are found as well.
        title: The page's title.
        style: A style sheet in addition to the shared one.
        scripts: Scripts that are concatenated to one module.
        connects: Whether scripts may talk to the server of the page.
        **values: The template's variables.
    """
    css = render(_STYLE, TEMPLATES) + (_content(style, folder) if style else "")
    script = "".join(_content(name, folder) for name in scripts)
    # Only this script may run, so no script in a text can, however it got there.
    policy = "; ".join(
        [
            "default-src 'none'",
            "img-src data:",
            f"style-src {_hash(css)}",
            f"script-src {_hash(script)}",
            "connect-src 'self'" if connects else "connect-src 'none'",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    return render(
        template,
        folder,
        TEMPLATES,
        title=title,
        css=css,
        script=script,
        policy=policy,
        version=__version__,
        **values,
    )


def _content(name: str, folder: Path) -> str:
    """Read a style sheet or script of the page, or a shared one."""
    own = folder / name
    return (own if own.exists() else TEMPLATES / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
