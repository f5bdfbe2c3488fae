"""Results → the tables that people compare systems by, in Markdown, and the learning curves."""

import tomllib
from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Any

from proofmatch.builder.variants.renaming import SYMBOLS
from proofmatch.errors import ProofmatchError
from proofmatch.evaluation.system import normalization_in_words
from proofmatch.storage import write_atomically
from proofmatch.training.trainer.learning_curve import compare_curves

from .store import EXPERIMENTS, History, Result, Store

CURVES = "learning-curves.svg"
CLAIMS_CURVES = "claims.svg"
_CLAIMS_DRAWN = "both-seed-0"  # one seed and one input are enough to see when a training stops to rise
_HEADER = (
    "| split | system | input | MRR | accuracy | one-to-one accuracy, best 500 | one-to-one accuracy, exact "
    "| training, minutes |\n"
    "|---|---|---|---:|---:|---:|---:|---:|\n"
)
_TRANSDUCTIVE_HEADER = (
    "| split | system | input | normalization | MRR | accuracy |\n|---|---|---|---|---:|---:|\n"
)
_CLAIMS_COLUMNS = {
    "MRR": ("local", "mrr"),
    "accuracy": ("local", "accuracy"),
    "one-to-one": ("global", "accuracy"),
}
_FRONT_SYSTEMS = ("tfidf", "bm25", "fast", "best")
_FRONT_MEASURES = {"MRR": ("local", "mrr"), "one-to-one accuracy": ("global", "accuracy")}
_SPLITS = {"pairs": "mixed", "pairs_by_article": "by article"}
_INPUTS = ("both", "text", "math")


def write_pages(experiments: Path = EXPERIMENTS) -> str:
    """Put tables and curves where people look for them.

    Args:
        experiments: The folder of `README.md`, the curves and the results, at the top of the repository.

    Returns:
        The main table.
    """
    stacks, other, both = (Store(name, experiments / "results") for name in ("stacks", "open", "both"))
    table, page = results_table(stacks.results("main")), experiments / "README.md"
    update_between_marks(experiments.parent / "README.md", "results", front_table(stacks, other))
    for place, content in (
        ("results", table),
        ("validation", results_table(stacks.results("validation"))),
        ("parts", ablation_table(stacks)),
        ("transductive", transductive_table(stacks.results("transductive"))),
        ("symbols", symbols_table(_results_by_renaming(stacks))),
        ("transfer", transfer_table({"stacks → open": other, "open → stacks": stacks})),
        ("works", works_table(other)),
        ("categories", categories_table(other.results("transfer"))),
        ("open", results_table(other.results("main"))),
        ("both", results_table(both.results("main"))),
        ("claims", claims_table(both)),
    ):
        update_between_marks(page, place, content)
    systems = tomllib.loads((experiments / "models.toml").read_text(encoding="utf-8"))
    mixed = [name for name, system in sorted(systems.items()) if not system.get("by_article")]
    histories = stacks.histories()
    curves = {name: histories[name] for name in mixed if name in histories}
    if any(_evaluations(history) > 1 for history in curves.values()):
        write_atomically(experiments / CURVES, learning_curves(curves))
    claims = {name: both.histories()[name] for name in both.histories() if name.endswith(_CLAIMS_DRAWN)}
    if claims:
        write_atomically(experiments / CLAIMS_CURVES, learning_curves(claims))
    return table


def front_table(store: Store, other: Store) -> str:
    """Lay out the systems that a newcomer compares, in the few settings that matter most.

    Args:
        store: The results on the release that the systems were trained on.
        other: The results on a release that they were not trained on.
    """
    main, renamed = _by_system(store.results("main")), _by_system(store.results("symbols/full"))
    columns = {
        "as is": ("pairs", main),
        "variables renamed": ("pairs", renamed),
        "by article": ("pairs_by_article", main),
        "other books": ("pairs", _by_system(other.results("transfer"))),
    }
    lines = [
        f"| {name} | {title} | "
        + " | ".join(_short(found, config, name, *kind) for config, found in columns.values())
        for name in _FRONT_SYSTEMS
        if ("pairs", name, "both") in main
        for title, kind in _FRONT_MEASURES.items()
    ]
    head = f"| system | score | {' | '.join(columns)} |\n|---|---|{'---:|' * len(columns)}\n"
    return head + "".join(f"{line} |\n" for line in lines)


def _short(
    found: dict[tuple[str, str, str], dict[str, dict[str, Any]]],
    config: str,
    name: str,
    decoding: str,
    measure: str,
) -> str:
    """Write a score in percent without its interval."""
    scores = found.get((config, name, "both"), {}).get(decoding)
    return "–" if scores is None else f"{100 * scores[measure]:.1f}"


def learning_curves(histories: dict[str, History]) -> str:
    """Draw the trainings that were evaluated more than once; the others have no curve."""
    return compare_curves({name: history for name, history in histories.items() if _evaluations(history) > 1})


def _evaluations(history: History) -> int:
    return sum("eval_mrr" in entry for entry in history)


def ablation_table(store: Store) -> str:
    """Lay out the systems that lack something, beside the complete ones."""
    complete = [result for result in store.results("main") if _is_complete(result)]
    return results_table([*store.results("ablation"), *complete])


def _is_complete(result: Result) -> bool:
    system = result["system"]
    return system["name"] in ("fast", "best") and system["input"] == "both"


def _results_by_renaming(store: Store) -> dict[str, list[Result]]:
    renamed = {symbols: store.results(f"symbols/{symbols}") for symbols in SYMBOLS}
    return {"names as they are": store.results("main") + store.results("ablation"), **renamed}


def results_table(results: Iterable[Result]) -> str:
    """Lay out results, one line per system with the scores of its three decodings.

    Transductive results are left out: they have a table of their own.

    Args:
        results: Contents of result files of one release.
    """
    results = list(results)
    lines, minutes = _by_system(results), {}
    for result in results:
        if "training_seconds" in result["system"]:
            minutes[_key(result)] = f"{result['system']['training_seconds'] / 60:.1f}"
    return _HEADER + "".join(
        _line(*key, lines[key], minutes.get(key, "–")) for key in sorted(lines, key=_order)
    )


def symbols_table(variants: dict[str, list[Result]]) -> str:
    """Lay out MRR and one-to-one accuracy on releases whose proofs have renamed variables.

    Args:
        variants: Results for each kind of renaming. Only systems with results for all of them are shown.
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


def transfer_table(stores: dict[str, Store]) -> str:
    """Lay out systems on all pairs of a release that they were not trained on.

    Args:
        stores: The results on the second release, by what was trained on and what was evaluated on.
    """
    head = (
        "| trained on → all pairs of | system | candidates "
        "| MRR | accuracy | one-to-one accuracy, best 500 |\n"
        "|---|---|---:|---:|---:|---:|\n"
    )
    lines = []
    for transfer, store in stores.items():
        results = store.results("transfer")
        sizes = {_key(result): result["n_proofs"] for result in results}
        by_system = _by_system(results)
        for key in sorted(by_system, key=_order):
            scores = by_system[key]
            cells = [
                _percent(scores.get(decoding), measure)
                for decoding, measure in (("local", "mrr"), ("local", "accuracy"), ("global", "accuracy"))
            ]
            lines.append(f"| {transfer} | {key[1]} | {sizes[key]:,} | {' | '.join(cells)} |\n")
    return head + "".join(lines)


_BROKEN_DOWN = ("bm25", "fast", "best")


def works_table(store: Store) -> str:
    """Lay out the MRR on each work of another release, the largest first."""
    works = store.works("transfer")
    systems = [name for name in _BROKEN_DOWN if name in works]
    counts = {work: scores["n"] for name in systems for work, scores in works[name].items()}
    lines = [
        (work, n, [f"{100 * works[name][work]['mrr']:.1f}" for name in systems]) for work, n in counts.items()
    ]
    return _breakdown("work", systems, lines)


def categories_table(results: Iterable[Result]) -> str:
    """Lay out the MRR on each category, the largest first."""
    found = {
        result["system"]["name"]: result["by_category"]
        for result in results
        if result["system"]["decoding"] == "local"
    }
    systems = [name for name in _BROKEN_DOWN if name in found]
    counts = {category: scores["n"] for name in systems for category, scores in found[name].items()}
    lines = [
        (category, n, [f"{100 * found[name][category]['mrr']:.1f}" for name in systems])
        for category, n in sorted(counts.items(), key=lambda item: -item[1])
    ]
    return _breakdown("category", systems, lines)


def _breakdown(what: str, systems: list[str], lines: list[tuple[str, float, list[str]]]) -> str:
    head = f"| {what} | pairs | {' | '.join(systems)} |\n|---|---:|{'---:|' * len(systems)}\n"
    return head + "".join(f"| {name} | {n:,} | {' | '.join(cells)} |\n" for name, n, cells in lines)


def claims_table(store: Store) -> str:
    """Lay out the systems of `claims.toml` as the paper does: by split, input, training and decoding.

    A cell has the mean over the seeds, then the score of each seed.
    """
    scores: dict[tuple[str, str, str, str], list[float]] = {}
    for split in ("validation", "test"):
        for result in store.results(f"claims/{split}"):
            system = result["system"]
            for title, (decoding, measure) in _CLAIMS_COLUMNS.items():
                if system["decoding"] == decoding:
                    key = split, system["input"], system["name"], title
                    scores.setdefault(key, []).append(100 * result["scores"][measure])
    if not scores:
        return "Not measured yet; `make claims` does it.\n"
    columns = list(product(sorted({training for _, _, training, _ in scores}), _CLAIMS_COLUMNS))
    titles = " | ".join(f"{training}: {title}" for training, title in columns)
    rows = product(dict.fromkeys(split for split, *_ in scores), _INPUTS)
    return f"| split | input | {titles} |\n|---|---|{'---:|' * len(columns)}\n" + "".join(
        f"| {' | '.join([*row, *(_mean(scores.get((*row, *column), [])) for column in columns)])} |\n"
        for row in rows
    )


def _mean(values: list[float]) -> str:
    each = ", ".join(f"{value:.1f}" for value in values)
    return f"{sum(values) / len(values):.1f} ({each})" if values else "–"


def transductive_table(results: Iterable[Result]) -> str:
    """Lay out only the transductive rankings.

    One-to-one matchings are left out: normalization does not change the best one.

    Args:
        results: Contents of result files of one release.
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


def _by_system(results: Iterable[Result]) -> dict[tuple[str, str, str], dict[str, dict[str, Any]]]:
    """Collect the scores of each system by decoding, without transductive ones."""
    lines: dict[tuple[str, str, str], dict[str, dict[str, Any]]] = {}
    for result in results:
        if not result["system"].get("transductive"):
            lines.setdefault(_key(result), {})[result["system"]["decoding"]] = result["scores"]
    return lines


def _key(result: Result) -> tuple[str, str, str]:
    return result["dataset"]["config"], result["system"]["name"], result["system"]["input"]


def _order(key: tuple[str, str, str]) -> tuple[int, str, int]:
    config, name, input_ = key
    return list(_SPLITS).index(config), name, _INPUTS.index(input_)


def _line(config: str, name: str, input_: str, scores: dict[str, dict[str, Any]], minutes: str) -> str:
    cells = [
        _percent(scores.get(decoding), measure)
        for decoding, measure in (
            ("local", "mrr"),
            ("local", "accuracy"),
            ("global", "accuracy"),
            ("exact", "accuracy"),
        )
    ]
    return f"| {_SPLITS[config]} | {name} | {input_} | {' | '.join(cells)} | {minutes} |\n"


def _percent(scores: dict[str, Any] | None, measure: str) -> str:
    """Write a score with its interval, in percent."""
    if scores is None:
        return "–"
    low, high = scores["ci95"][measure]
    return f"{100 * scores[measure]:.1f} ({100 * low:.1f}–{100 * high:.1f})"


def update_between_marks(page: Path, place: str, table: str) -> None:
    """Put a table between `<!-- place -->` and `<!-- end of place -->` of a page."""
    begin, end = f"<!-- {place} -->", f"<!-- end of {place} -->"
    text = page.read_text(encoding="utf-8")
    if begin not in text or end not in text:
        raise ProofmatchError(f"{page} has no place for the table; add the lines {begin} and {end}")
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    write_atomically(page, f"{before}{begin}\n{table}{end}{after}")
