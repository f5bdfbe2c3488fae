"""Search results as text for a terminal, or as JSON."""

import json
from dataclasses import asdict
from textwrap import wrap
from typing import Any

from ..lexical.explanation import ASSOCIATED, SHARED
from .explain import Explanation
from .query import Query
from .searcher import Hit, in_words
from .summary import MIN_CONTRIBUTION, Line, summarize

_INDENT = "    "
_MAX_LINES = 6
_CUT = " …"
_MAX_SHARED, _MAX_ASSOCIATED = 6, 4
_MAX_OTHERS = 3
_REASONS_IN_JSON = 20  # of each kind
_NO_BREAK = "\N{NO-BREAK SPACE}"


def hit_to_text(hit: Hit, width: int, *, full: bool = False, measure: str = "score") -> str:
    """Format a hit for a terminal, with the reasons for its score if it has an explanation.

    Args:
        hit: The hit.
        width: Width of the terminal.
        full: Show all of the statement and the proof instead of their first lines.
        measure: What to call the score.
    """
    inside = max(20, width - len(_INDENT) - len(_CUT))
    sure = "" if hit.confidence is None else f"{in_words(hit.confidence)}, {hit.confidence:.0%}; "
    title = f"“{hit.title}” ({hit.article_id})" if hit.title else hit.article_id
    head = _wrapped(
        f"{hit.rank}. {sure}{measure} {hit.score:.3f}: {hit.kind} in {title}, {hit.proof_id}", inside
    )
    texts = _named(hit.statement, hit.kind), _named(hit.proof, "proof")
    lines = [
        *head[1:],
        *([hit.source] if hit.source else []),
        *(line for text in texts for line in _cut(_wrapped(text, inside), full)),
        *_others(hit, inside),
        *(_reasons(hit.explanation, (hit.proof, hit.statement), inside) if hit.explanation else []),
    ]
    return "\n".join([head[0], *(_INDENT + line for line in lines)])


def _named(text: str, kind: str) -> str:
    """Put the kind before a text, unless it already begins with it."""
    return text if text.lower().startswith(kind) else f"{kind.capitalize()}. {text}"


def _wrapped(text: str, width: int) -> list[str]:
    # A formula without spaces may be longer than a line; it is easier to read unbroken.
    return [
        line
        for block in text.splitlines()
        for line in wrap(block, width, break_long_words=False, break_on_hyphens=False)
    ]


def _cut(lines: list[str], full: bool) -> list[str]:
    if len(lines) <= _MAX_LINES or full:
        return lines
    return [*lines[: _MAX_LINES - 1], lines[_MAX_LINES - 1] + _CUT]


def _others(hit: Hit, width: int) -> list[str]:
    if not hit.others:
        return []
    places = [other.source or other.article_id for other in hit.others]
    more = [f"{len(places) - _MAX_OTHERS} more"] if len(places) > _MAX_OTHERS else []
    return _wrapped(f"The same text is in {', '.join(places[:_MAX_OTHERS] + more)}.", width)


def _reasons(explanation: Explanation, texts: tuple[str, str], width: int) -> list[str]:
    summary = summarize(explanation, *texts)
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


def hit_to_json(hit: Hit, query: Query) -> str:
    """Format a hit as one line of JSON."""
    names = ("rank", "score", "confidence", "statement", "proof", "kind", "title", "article_id", "proof_id")
    fields: dict[str, Any] = {name: getattr(hit, name) for name in (*names, "source")}
    fields["others"] = [asdict(other) for other in hit.others]
    fields["not_understood"] = query.not_understood
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
            "agreement": explanation.agreement,
            "hub": explanation.hubness_correction,
        },
        # The release has the tokens of the proof.
        "statement_tokens": list(explanation.statement),
        "reasons": [asdict(reason) for reason in strongest],
    }
