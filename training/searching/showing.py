"""What was found, as lines for people or as JSON for programs."""

import json
from dataclasses import asdict
from textwrap import wrap
from typing import Any

from ..explaining.explanation import Explanation
from ..explaining.summary import Line, summarize
from ..lexical.explanation import ASSOCIATED, SHARED
from .search import Hit

_INDENT = "    "
_LINES = 6
_CUT = " …"
_SHARED, _ASSOCIATED = 6, 4  # things in a line of reasons
_REASONS_IN_JSON = 20  # of each kind
_NO_BREAK = "\N{NO-BREAK SPACE}"
_LEAST = 0.005  # what is less would be shown as 0.00


def as_text(hit: Hit, width: int, *, full: bool = False) -> str:
    """Write a proof that was found for people, and why it was found, where that is known.

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
    if hit.explanation is not None:
        lines += _reasons(hit.explanation, inside)
    return "\n".join([head, *(_INDENT + line for line in lines)])


def _reasons(explanation: Explanation, width: int) -> list[str]:
    parts = [f"shared {explanation.shared:.2f}", f"associated {explanation.associated:.2f}"]
    if explanation.encoder:
        parts.append(f"encoder {explanation.encoder:.2f}")
    if explanation.hub:
        parts.append(f"near to all kinds of statements {explanation.hub:.2f}")
    summary = summarize(explanation)
    shared = [f"{line.statement} {line.contribution:.2f}" for line in _shown(summary.shared, _SHARED)]
    associated = [
        # No arrow: formulas have arrows of their own.
        f"{line.statement} ~ {line.proof} {line.contribution:.2f}"
        for line in _shown(summary.associated, _ASSOCIATED)
    ]
    lines = []
    for name, items in (("why", parts), ("shared", shared), ("associated", associated)):
        if items:
            # What belongs together stays on one line.
            text = f"{name}: " + " · ".join(item.replace(" ", _NO_BREAK) for item in items)
            wrapped = wrap(
                text, width, subsequent_indent=_INDENT, break_long_words=False, break_on_hyphens=False
            )
            lines += [line.replace(_NO_BREAK, " ") for line in wrapped]
    return lines


def _shown(lines: list[Line], most: int) -> list[Line]:
    return [line for line in lines[:most] if line.contribution >= _LEAST]


def json_of(hit: Hit) -> str:
    """Write a proof that was found as a line of JSON."""
    names = ("rank", "score", "proof_id", "article_id", "title", "text")
    fields: dict[str, Any] = {name: getattr(hit, name) for name in names}
    if hit.explanation is not None:
        fields |= _fields_of(hit.explanation)
    return json.dumps(fields, ensure_ascii=False)


def _fields_of(explanation: Explanation) -> dict[str, Any]:
    strongest = [
        reason
        for kind in (SHARED, ASSOCIATED)
        for reason in [reason for reason in explanation.reasons if reason.kind == kind][:_REASONS_IN_JSON]
    ]
    return {
        "parts": {part: getattr(explanation, part) for part in ("shared", "associated", "encoder", "hub")},
        # Those of the proof are in the release, to which its id leads.
        "statement_tokens": list(explanation.statement),
        "reasons": [asdict(reason) for reason in strongest],
    }
