"""What was made: counts by kind, to compare with what a build finds."""

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

from .documents import SyntheticDocument
from .settings import SyntheticSettings

MANIFEST = "synthetic.json"
SCHEMA_VERSION = 1

# Part of the manifest → name → how many.
Tally = dict[str, Counter[str]]

PARTS = ("documents", "discarded_documents", "damage", "languages", "markup", "pairs", "discarded_pairs")


def tally(documents: Iterable[SyntheticDocument]) -> Tally:
    """Count what documents there are, and what a build has to make of them."""
    counts: Tally = {part: Counter() for part in PARTS}
    for document in documents:
        counts["documents"]["all"] += 1
        counts["documents"]["bytes"] += len(document.data)
        counts["documents"]["formulas"] += document.data.count(b"</math>") + document.data.count(b"</m:math>")
        counts["documents"]["with_pairs"] += document.kept > 0
        counts["markup"][document.generation] += 1
        if document.reason:
            counts["discarded_documents"][document.reason] += 1
        if document.damage:
            counts["damage"][document.damage] += 1
        else:
            counts["languages"][document.language] += 1
        counts["pairs"]["found"] += len(document.pairs)
        counts["pairs"]["kept"] += document.kept
        counts["discarded_pairs"].update(document.dropped)
    return counts


def add(total: Tally, more: Tally) -> None:
    """Add counts to others."""
    for part, counts in more.items():
        total.setdefault(part, Counter()).update(counts)


def manifest_of(settings: SyntheticSettings, counts: Tally) -> dict[str, Any]:
    """Put the settings and the counts together; what is most frequent comes first."""
    return {
        "schema_version": SCHEMA_VERSION,
        "settings": settings.as_dict(),
        **{
            part: _sorted(counts[part]) if part not in ("documents", "pairs") else counts[part]
            for part in PARTS
        },
    }


def as_json(manifest: dict[str, Any]) -> bytes:
    """Write a manifest."""
    return (json.dumps(manifest, indent=2) + "\n").encode()


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
