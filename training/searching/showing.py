"""What was found, as lines for people or as JSON for programs."""

import json
from textwrap import wrap

from .search import Hit

_INDENT = "    "
_LINES = 6
_CUT = " …"


def as_text(hit: Hit, width: int, *, full: bool = False) -> str:
    """Write a proof that was found for people.

    Args:
        hit: The proof.
        width: Of the terminal.
        full: All of the proof, instead of its first lines.
    """
    title = f"“{hit.title}” ({hit.article_id})" if hit.title else hit.article_id
    head = f"{hit.rank}. score {hit.score:.3f}: {hit.kind} in {title}, {hit.proof_id}"
    inside = max(20, width - len(_INDENT) - len(_CUT))
    # A formula without spaces may be longer than a line, and is easier to read whole.
    lines = [
        line
        for block in hit.text.splitlines()
        for line in wrap(block, inside, break_long_words=False, break_on_hyphens=False)
    ]
    if len(lines) > _LINES and not full:
        lines = [*lines[: _LINES - 1], lines[_LINES - 1] + _CUT]
    return "\n".join([head, *(_INDENT + line for line in lines)])


def json_of(hit: Hit) -> str:
    """Write a proof that was found as a line of JSON."""
    fields = ("rank", "score", "proof_id", "article_id", "title", "text")
    return json.dumps({name: getattr(hit, name) for name in fields}, ensure_ascii=False)
