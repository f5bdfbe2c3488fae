"""`stats.json` has all that tables and card are made of, and tells the numbers of the files."""

from collections.abc import Iterator
from typing import Any

from ...dataset_card.describe import statistics_tables
from .evidence import Evidence, read_json
from .inventory import STATISTICS
from .remarks import Fault

# What `proofmatch stats`, the card and its figures are made of.
NEEDED = (
    "documents",
    "pairs",
    "categories",
    "kinds",
    "lengths",
    "length_histogram",
    "labels",
    "duplicates",
    "discarded",
    "languages_of_discarded",
    "rows",
)


def faults_of_statistics(evidence: Evidence) -> Iterator[Fault]:
    """Compare what `stats.json` tells with the files."""
    statistics = read_json(evidence.folder / STATISTICS)
    if not isinstance(statistics, dict):
        yield Fault(f"{STATISTICS} is missing or not a JSON object")
        return
    if missing := [name for name in NEEDED if not isinstance(statistics.get(name), dict)]:
        yield Fault(f"{STATISTICS} has no {', '.join(f'`{name}`' for name in missing)}")
    else:
        yield from _useless(statistics)
    if isinstance(told := statistics.get("rows"), dict):
        yield from _wrong_rows(evidence, told)
    if isinstance(told := statistics.get("pairs"), dict) and evidence.has("pairs"):
        there = sum(evidence.rows("pairs").values())
        if told.get("kept") != there:
            yield Fault(f"{STATISTICS} says that {told.get('kept')} pairs were kept; there are {there}")


def _useless(statistics: dict[str, Any]) -> Iterator[Fault]:
    try:
        statistics_tables(statistics)
    except KeyError as error:
        yield Fault(f"{STATISTICS} lacks {error.args[0]!r}, which `proofmatch stats` needs")
    except (ValueError, TypeError, AttributeError, IndexError) as error:
        yield Fault(f"`proofmatch stats` cannot make its tables of {STATISTICS}: {error}")


def _wrong_rows(evidence: Evidence, told: dict[str, Any]) -> Iterator[Fault]:
    for config, split in evidence.tables:
        splits = told.get(config)
        rows = splits.get(split) if isinstance(splits, dict) else None
        there = len(evidence.tables[config, split])
        if rows != there:
            yield Fault(f"{STATISTICS} says that {config} {split} has {rows} rows; it has {there}")
