"""`stats.json`: the numbers of the paper's two tables, and counts of what was discarded."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa

from ..extraction.pairs import most_carriers
from ..pair_parts import PartReport
from ..reasons import Reason
from .splits import Index, SplitPairs
from .tables import WrittenShard

SCHEMA_VERSION = 2
_LENGTH_CLASSES = 25


def compute_statistics(
    pairs: SplitPairs, report: PartReport, discarded: pa.Table, files: Iterable[WrittenShard]
) -> dict[str, Any]:
    """Describe a release in numbers.

    Args:
        pairs: Its pairs, and the split of each.
        report: Counts of documents and pairs read.
        discarded: Rows of `discarded.parquet`.
        files: The files of its tables.
    """
    index = pairs.index
    reasons, details = discarded["reason"].to_pylist(), discarded["detail"].to_pylist()
    languages = [
        detail for reason, detail in zip(reasons, details, strict=True) if reason == Reason.NOT_ENGLISH
    ]
    return {
        "schema_version": SCHEMA_VERSION,
        "documents": {
            "read": report.documents,
            "with_pairs": len(set(index.column("article_id").to_pylist())),
        },
        "pairs": {"found": report.pairs_found, "kept": len(index)},
        "categories": _categories(index),
        "kinds": _counts(index.column("kind").to_pylist()),
        "licenses": _counts(index.column("license").to_pylist()),
        "lengths": {side: _lengths(index, side.removesuffix("s")) for side in ("statements", "proofs")},
        "length_histogram": _histogram(index),
        "labels": _labels(pairs),
        "duplicates": _duplicates(pairs),
        "leftovers": _leftovers(files),
        "discarded": _counts(reasons),
        "languages_of_discarded": _counts(languages),
        "rows": count_rows(files),
    }


def _leftovers(files: Iterable[WrittenShard]) -> dict[str, int]:
    """Count the pairs with something that was not converted, by its kind."""
    found: Counter[str] = Counter()
    for file in files:
        if file.config == "pairs":
            found.update(file.leftovers)
    return dict(sorted(found.items()))


def _counts(values: Iterable[str]) -> dict[str, int]:
    """Count values, the most frequent first."""
    return dict(sorted(Counter(values).items(), key=lambda item: (-item[1], item[0])))


def _categories(index: Index) -> dict[str, Any]:
    joined = dict(
        zip(*(index.column(name).to_pylist() for name in ("article_id", "categories")), strict=True)
    )
    articles = [categories.split() for categories in joined.values()]
    every = Counter(category for categories in articles for category in categories)
    primary = Counter(categories[0] for categories in articles if categories)
    pairs = Counter(index.column("primary_category").drop_null().to_pylist())
    return {
        "all": len(every),
        "primary": len(primary),
        "mean_per_article": sum(every.values()) / len(articles) if articles else 0.0,
        "by_primary": [
            {"category": category, "articles": primary[category], "pairs": pairs[category]}
            for category in sorted(primary, key=lambda name: (-primary[name], -pairs[name], name))
        ],
    }


def _lengths(index: Index, side: str) -> dict[str, dict[str, float]]:
    """Count tokens as the length filter does: words of text separated by spaces, leaves of formulas."""
    text, math = index.numbers(f"{side}_text_length"), index.numbers(f"{side}_math_length")
    total = text + math
    return {
        "text+math": _summary(total),
        "text": _summary(text),
        "math": _summary(math),
        "math_proportion": _summary(math / np.maximum(total, 1)),
    }


def _summary(values: np.ndarray) -> dict[str, float]:
    if not len(values):
        return {"min": 0, "max": 0, "mean": 0.0, "sd": 0.0}
    low, high = values.min().item(), values.max().item()
    return {"min": low, "max": high, "mean": float(values.mean()), "sd": float(values.std())}


def _histogram(index: Index) -> dict[str, Any]:
    """Count texts by length, in about 25 classes."""
    totals = {
        side: index.numbers(f"{side[:-1]}_text_length") + index.numbers(f"{side[:-1]}_math_length")
        for side in ("statements", "proofs")
    }
    longest = max(values.max(initial=0).item() for values in totals.values())
    width = max(5, -(-longest // _LENGTH_CLASSES // 5) * 5)
    counts = {
        side: np.bincount(values // width, minlength=longest // width + 1).tolist()
        for side, values in totals.items()
    }
    return {"class_width": width, **counts}


def _labels(pairs: SplitPairs) -> dict[str, int]:
    """Count statements with a label of their own, and proofs that mention the label of their statement.

    A label leaks if it distinguishes the statements of its split.
    """
    labels, splits = pairs.index.column("label").to_pylist(), pairs.split.tolist()
    named = pairs.index.numbers("names_label") == 1
    carriers = Counter(zip(splits, labels, strict=True))
    few = {split: most_carriers(size) for split, size in Counter(splits).items()}
    is_rare = [carriers[place] <= few[place[0]] for place in zip(splits, labels, strict=True)]
    return {
        "labelled": sum(label is not None for label in labels),
        "named_in_proof": int(np.count_nonzero(named)),
        "leaking": int(np.count_nonzero(named & np.array(is_rare, bool))),
    }


def _duplicates(pairs: SplitPairs) -> dict[str, int]:
    """Count texts whose tokens have occurred before."""
    hashes = [pairs.index.column(f"{side}_hash").to_pylist() for side in ("statement", "proof")]
    whole = list(zip(*hashes, strict=True))
    splits: dict[tuple[str, str], set[int]] = {}
    for pair, split in zip(whole, pairs.split.tolist(), strict=True):
        splits.setdefault(pair, set()).add(split)
    return {
        "statements": len(whole) - len(set(hashes[0])),
        "proofs": len(whole) - len(set(hashes[1])),
        "pairs": len(whole) - len(splits),
        "pairs_across_splits": sum(len(places) > 1 for places in splits.values()),
    }


def count_rows(files: Iterable[WrittenShard]) -> dict[str, dict[str, int]]:
    """Count the rows by config and split."""
    rows: dict[str, dict[str, int]] = {}
    for file in files:
        splits = rows.setdefault(file.config, {})
        splits[file.split] = splits.get(file.split, 0) + file.rows
    return rows
