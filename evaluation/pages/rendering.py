"""Pages that need nothing but themselves: style and scripts are inside, and the network is forbidden."""

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from proofmatch import __version__

from ...dataset_card.templates import render
from .templates import FOLDER

_STYLE = "style.css.jinja"


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
    """Fill in a page that extends `page.html.jinja`.

    Args:
        template: Its file name.
        folder: Where it is, with its style and scripts; those that all pages share are found as well.
        title: Of the page.
        style: A style sheet that comes after that of all pages.
        scripts: Scripts, one after the other, that make one module.
        connects: Whether scripts may talk to the server that the page is from.
        **values: What it shows.
    """
    css = render(_STYLE, FOLDER) + (_content(style, folder) if style else "")
    script = "".join(_content(name, folder) for name in scripts)
    # A page has no other scripts, so that nothing in a text could ever run, however it came there.
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
        FOLDER,
        title=title,
        css=css,
        script=script,
        policy=policy,
        version=__version__,
        **values,
    )


def _content(name: str, folder: Path) -> str:
    """Read a style sheet or script, of the page or of all pages."""
    own = folder / name
    return (own if own.exists() else FOLDER / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
