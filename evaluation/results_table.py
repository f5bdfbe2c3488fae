"""Result files → the table that people compare systems by, in Markdown."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from proofmatch.errors import ProofmatchError

from .predictions.transduction import normalization_in_words

_HEADER = (
    "| split | system | input | MRR | accuracy | one-to-one accuracy, best 500 | the same, exact "
    "| training, minutes |\n"
    "|---|---|---|---:|---:|---:|---:|---:|\n"
)
_TRANSDUCTIVE_HEADER = (
    "| split | system | input | normalisation | MRR | accuracy |\n|---|---|---|---|---:|---:|\n"
)
_SPLITS = {"pairs": "mixed", "pairs_by_article": "by article"}
_INPUTS = ("both", "text", "math")


def read_results(folder: Path) -> list[dict[str, Any]]:
    """Read all result files of a folder."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))]


def results_table(results: Iterable[dict[str, Any]]) -> str:
    """Lay out results, one line for what the same system has with the three decodings.

    Transductive ones are left out: they have a table of their own.

    Args:
        results: Contents of result files, of one release.
    """
    results = list(results)
    lines, minutes = _by_system(results), {}
    for result in results:
        if "training_seconds" in result["system"]:
            minutes[_key(result)] = f"{result['system']['training_seconds'] / 60:.1f}"
    return _HEADER + "".join(
        _line(*key, lines[key], minutes.get(key, "–")) for key in sorted(lines, key=_order)
    )


def symbols_table(variants: dict[str, list[dict[str, Any]]]) -> str:
    """Lay out what systems have on releases whose proofs have other names: MRR, and one-to-one accuracy.

    Args:
        variants: Contents of result files for each kind of renaming. Only systems that all of them have are
            laid out.
    """
    by_system = {symbols: _by_system(results) for symbols, results in variants.items()}
    keys = set.intersection(*(set(lines) for lines in by_system.values()))
    head = f"| split | system | input | {' | '.join(variants)} |\n|---|---|---|{'---:|' * len(variants)}\n"
    return head + "".join(
        f"| {_SPLITS[key[0]]} | {key[1]} | {key[2]} | "
        + " | ".join(
            f"{_percent(lines[key].get('local'), 'mrr')} · {_percent(lines[key].get('global'), 'accuracy')}"
            for lines in by_system.values()
        )
        + " |\n"
        for key in sorted(keys, key=_order)
    )


def transductive_table(results: Iterable[dict[str, Any]]) -> str:
    """Lay out the rankings that use the whole candidate set, and no others.

    One-to-one matchings are left out: normalisation does not change which one is the best.

    Args:
        results: Contents of result files, of one release.
    """
    lines: dict[tuple[str, str, str, str], dict[str, Any]] = {}
    for result in results:
        system, config = result["system"], result["dataset"]["config"]
        if system.get("transductive") and system["decoding"] == "local":
            words = normalization_in_words(system.get("normalization"))
            lines[config, system["name"], system["input"], words] = result["scores"]
    return _TRANSDUCTIVE_HEADER + "".join(
        f"| {_SPLITS[key[0]]} | {' | '.join(key[1:])} | "
        f"{_percent(lines[key], 'mrr')} | {_percent(lines[key], 'accuracy')} |\n"
        for key in sorted(lines, key=lambda key: (_order(key[:3]), key[3]))
    )


def _by_system(results: Iterable[dict[str, Any]]) -> dict[tuple[str, str, str], dict[str, dict[str, Any]]]:
    """Put together the scores of a system with its decodings, but for transductive ones."""
    lines: dict[tuple[str, str, str], dict[str, dict[str, Any]]] = {}
    for result in results:
        if not result["system"].get("transductive"):
            lines.setdefault(_key(result), {})[result["system"]["decoding"]] = result["scores"]
    return lines


def _key(result: dict[str, Any]) -> tuple[str, str, str]:
    return result["dataset"]["config"], result["system"]["name"], result["system"]["input"]


def _order(key: tuple[str, str, str]) -> tuple[int, str, int]:
    config, name, reads = key
    return list(_SPLITS).index(config), name, _INPUTS.index(reads)


def _line(config: str, name: str, reads: str, scores: dict[str, dict[str, Any]], minutes: str) -> str:
    cells = [
        _percent(scores.get(decoding), measure)
        for decoding, measure in (
            ("local", "mrr"),
            ("local", "accuracy"),
            ("global", "accuracy"),
            ("exact", "accuracy"),
        )
    ]
    return f"| {_SPLITS[config]} | {name} | {reads} | {' | '.join(cells)} | {minutes} |\n"


def _percent(scores: dict[str, Any] | None, measure: str) -> str:
    """Write a score with its interval, in percent."""
    if scores is None:
        return "–"
    low, high = scores["ci95"][measure]
    return f"{100 * scores[measure]:.1f} ({100 * low:.1f}–{100 * high:.1f})"


def marks(place: str) -> tuple[str, str]:
    """Name the marks between which a page has a table."""
    return f"<!-- {place} -->", f"<!-- end of {place} -->"


def update_between_marks(page: Path, table: str, place: str = "results") -> None:
    """Put a table into the place that is marked for it on a page."""
    begin, end = marks(place)
    text = page.read_text(encoding="utf-8")
    if begin not in text or end not in text:
        raise ProofmatchError(f"{page} has no place for {place}: {begin} … {end}")
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    page.write_text(f"{before}{begin}\n{table}{end}{after}", encoding="utf-8")
