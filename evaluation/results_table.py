"""Result files → the table that people compare systems by, in Markdown."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from proofmatch.errors import ProofmatchError

BEGIN, END = "<!-- results -->", "<!-- end of results -->"

_HEADER = (
    "| split | system | input | MRR | accuracy | one-to-one accuracy, best 500 | the same, exact |\n"
    "|---|---|---|---:|---:|---:|---:|\n"
)
_SPLITS = {"pairs": "mixed", "pairs_by_article": "by article"}
_INPUTS = ("both", "text", "math")


def read_results(folder: Path) -> list[dict[str, Any]]:
    """Read all result files of a folder."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))]


def results_table(results: Iterable[dict[str, Any]]) -> str:
    """Lay out results, one line for what the same system has with the three decodings.

    Args:
        results: Contents of result files, of one release.
    """
    lines: dict[tuple[str, str, str], dict[str, dict[str, Any]]] = {}
    for result in results:
        system, config = result["system"], result["dataset"]["config"]
        line = lines.setdefault((config, system["name"], system["input"]), {})
        line[system["decoding"]] = result["scores"]
    return _HEADER + "".join(_line(*key, lines[key]) for key in sorted(lines, key=_order))


def _order(key: tuple[str, str, str]) -> tuple[int, str, int]:
    config, name, reads = key
    return list(_SPLITS).index(config), name, _INPUTS.index(reads)


def _line(config: str, name: str, reads: str, scores: dict[str, dict[str, Any]]) -> str:
    cells = [
        _percent(scores.get(decoding), measure)
        for decoding, measure in (
            ("local", "mrr"),
            ("local", "accuracy"),
            ("global", "accuracy"),
            ("exact", "accuracy"),
        )
    ]
    return f"| {_SPLITS[config]} | {name} | {reads} | {' | '.join(cells)} |\n"


def _percent(scores: dict[str, Any] | None, measure: str) -> str:
    """Write a score with its interval, in percent."""
    if scores is None:
        return "–"
    low, high = scores["ci95"][measure]
    return f"{100 * scores[measure]:.1f} ({100 * low:.1f}–{100 * high:.1f})"


def update_between_marks(page: Path, table: str) -> None:
    """Put a table into the place that is marked for it on a page."""
    text = page.read_text(encoding="utf-8")
    if BEGIN not in text or END not in text:
        raise ProofmatchError(f"{page} has no place for results: {BEGIN} … {END}")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}\n{table}{END}{after}", encoding="utf-8")
