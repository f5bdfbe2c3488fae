"""The numbers that `stats.json` and the card tell are those of the files."""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any

from ..release.splits import SPLITS
from .card import CARD, entries, read_card
from .evidence import Evidence, read_json
from .remarks import Fault, NotChecked, Remark
from .tables import CONFIG_BY_NAME

STATISTICS = "stats.json"


def check_figures(evidence: Evidence) -> Iterator[Remark]:
    """Compare what is told about the files with the files."""
    for config in CONFIG_BY_NAME:
        yield from evidence.lacking(config)
    yield from _statistics(evidence)
    metadata = read_card(evidence)
    if isinstance(metadata, str):
        yield NotChecked(f"the numbers of {CARD}, which cannot be read")
        return
    described = {entry.get("config_name"): entry for entry in entries(metadata, "dataset_info")}
    configured = {entry.get("config_name"): entry for entry in entries(metadata, "configs")}
    for config in CONFIG_BY_NAME:
        if config not in described:
            yield Fault(f"{CARD} has no dataset_info for config {config}")
        elif evidence.has(config):
            yield from _description(evidence, config, described[config])
        if config in configured:
            yield from _data_files(evidence, config, entries(configured[config], "data_files"))


def _statistics(evidence: Evidence) -> Iterator[Fault]:
    statistics = read_json(evidence.folder / STATISTICS)
    told = statistics.get("rows") if isinstance(statistics, dict) else None
    if not isinstance(told, dict):
        yield Fault(f"{STATISTICS} is missing or has no `rows`")
        return
    for config, split in evidence.tables:
        splits = told.get(config)
        rows = splits.get(split) if isinstance(splits, dict) else None
        there = len(evidence.tables[config, split])
        if rows != there:
            yield Fault(f"{STATISTICS} says that {config} {split} has {rows} rows; it has {there}")


def _description(evidence: Evidence, config: str, told: dict[str, Any]) -> Iterator[Fault]:
    """Compare a config's `dataset_info`."""
    examples = {entry.get("name"): entry.get("num_examples") for entry in entries(told, "splits")}
    # `datasets` cannot load a split without rows, so the card leaves it out.
    there = {split: rows for split, rows in evidence.rows(config).items() if rows}
    for split, count in there.items():
        if examples.get(split) != count:
            yield Fault(
                f"{CARD} says that {config} {split} has {examples.get(split)} examples; it has {count}"
            )
    for split in examples.keys() - there.keys():
        yield Fault(f"{CARD} lists {config} {split}, which has no rows, so that load_dataset fails")
    columns = [entry.get("name") for entry in entries(told, "features")]
    if columns != list(CONFIG_BY_NAME[config].columns):
        yield Fault(f"{CARD} tells other features of {config} than its columns")
    files = [path for split in SPLITS for path in evidence.inventory.shards(config, split)]
    size = sum(path.stat().st_size for path in files)
    if told.get("download_size") != size:
        yield Fault(
            f"{CARD}: download_size of {config} is {told.get('download_size')}; its files have {size}"
        )


def _data_files(evidence: Evidence, config: str, told: list[dict[str, Any]]) -> Iterator[Fault]:
    """Compare the files that a config's patterns name with those it has."""
    patterns = {entry.get("split"): entry.get("path") for entry in told}
    for split in SPLITS:
        shards = [
            path.relative_to(evidence.folder).as_posix() for path in evidence.inventory.shards(config, split)
        ]
        pattern = patterns.get(split)
        if evidence.has(config, split) and not len(evidence.tables[config, split]) and pattern is None:
            continue
        named = pattern if isinstance(pattern, list) else [pattern]
        found = [
            name for name in evidence.inventory.files if any(fnmatchcase(name, str(one)) for one in named)
        ]
        if found != shards:
            yield Fault(f"{CARD}: data_files of {config} {split} ({pattern}) are not the files of this split")
