"""The templates of the card, and how any template is filled in."""

from functools import cache
from pathlib import Path
from typing import Any

import jinja2

from ..style import DARK, LIGHT

_FOLDER = Path(__file__).parent


def render(template: str, /, *folders: Path, **values: Any) -> str:  # noqa: ANN401 - depends on the template
    """Fill in a template; a value that is missing is an error.

    Args:
        template: Its file name. Values are escaped in `.html.jinja` and not in Markdown.
        *folders: Where it is, and what it includes or extends; the templates here are always found.
        **values: What it shows.
    """
    return _environment(*folders).get_template(template).render(**values)


@cache  # compile each template only once, because that takes much longer than rendering it
def _environment(*folders: Path) -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([*folders, _FOLDER]),
        autoescape=jinja2.select_autoescape(["html.jinja"], default=False),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals.update(light=LIGHT, dark=DARK)
    return environment
