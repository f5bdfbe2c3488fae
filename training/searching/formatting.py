"""Search results as text for a terminal, or as JSON."""

import json
from dataclasses import asdict
from textwrap import wrap
from typing import Any

from ..lexical.explanation import ASSOCIATED, SHARED
from .explain import Explanation
from .searcher import Hit
from .summary import Line, summarize

# A smaller contribution would be shown as 0.00.
MIN_CONTRIBUTION = 0.005

_INDENT = "    "
_MAX_LINES = 6
_CUT = " …"
_MAX_SHARED, _MAX_ASSOCIATED = 6, 4
_REASONS_IN_JSON = 20  # of each kind
_NO_BREAK = "\N{NO-BREAK SPACE}"


def hit_to_text(hit: Hit, width: int, *, full: bool = False) -> str:
    """Format a hit for a terminal, with the reasons for its score if it has an explanation.

    Args:
        hit: The hit.
        width: Width of the terminal.
        full: Show all of the proof instead of its first lines.
    """
    title = f"“{hit.title}” ({hit.article_id})" if hit.title else hit.article_id
    head = f"{hit.rank}. score {hit.score:.3f}: {hit.kind} in {title}, {hit.proof_id}"
    inside = max(20, width - len(_INDENT) - len(_CUT))
    # A formula without spaces may be longer than a line; it is easier to read unbroken.
    lines = [
        line
        for block in hit.text.splitlines()
        for line in wrap(block, inside, break_long_words=False, break_on_hyphens=False)
    ]
    if len(lines) > _MAX_LINES and not full:
        lines = [*lines[: _MAX_LINES - 1], lines[_MAX_LINES - 1] + _CUT]
    if hit.source is not None:
        lines.insert(0, hit.source)
    if hit.explanation is not None:
        lines += _reasons(hit.explanation, inside)
    return "\n".join([head, *(_INDENT + line for line in lines)])


def _reasons(explanation: Explanation, width: int) -> list[str]:
    summary = summarize(explanation)
    parts = [f"{name} {contribution:.2f}" for name, contribution in explanation.parts]
    shared = [f"{line.statement} {line.contribution:.2f}" for line in _shown(summary.shared, _MAX_SHARED)]
    associated = [
        # Not an arrow, because formulas contain arrows.
        f"{line.statement} ~ {line.proof} {line.contribution:.2f}"
        for line in _shown(summary.associated, _MAX_ASSOCIATED)
    ]
    lines = []
    for name, items in (("why", parts), ("shared", shared), ("associated", associated)):
        if items:
            # An item is not broken across lines.
            text = f"{name}: " + " · ".join(item.replace(" ", _NO_BREAK) for item in items)
            wrapped = wrap(
                text, width, subsequent_indent=_INDENT, break_long_words=False, break_on_hyphens=False
            )
            lines += [line.replace(_NO_BREAK, " ") for line in wrapped]
    return lines


def _shown(lines: list[Line], most: int) -> list[Line]:
    return [line for line in lines[:most] if line.contribution >= MIN_CONTRIBUTION]


def hit_to_json(hit: Hit) -> str:
    """Format a hit as one line of JSON."""
    names = ("rank", "score", "proof_id", "article_id", "title", "source", "text")
    fields: dict[str, Any] = {name: getattr(hit, name) for name in names}
    if hit.explanation is not None:
        fields |= _explanation_fields(hit.explanation)
    return json.dumps(fields, ensure_ascii=False)


def _explanation_fields(explanation: Explanation) -> dict[str, Any]:
    strongest = [
        reason
        for kind in (SHARED, ASSOCIATED)
        for reason in [reason for reason in explanation.reasons if reason.kind == kind][:_REASONS_IN_JSON]
    ]
    return {
        "parts": {
            "shared": explanation.shared,
            "associated": explanation.associated,
            "encoder": explanation.encoder,
            "hub": explanation.hubness_correction,
        },
        # The release has the tokens of the proof.
        "statement_tokens": list(explanation.statement),
        "reasons": [asdict(reason) for reason in strongest],
    }
