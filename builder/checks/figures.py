"""The numbers that `stats.json` and the card tell are those of the files."""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any

import pyarrow as pa

from ..release.schema import SPLITS
from .card import entries, entries_by_name, read_card
from .evidence import Evidence
from .inventory import CARD
from .remarks import Fault, NotChecked, Remark
from .statistics import faults_of_statistics
from .tables import CONFIG_BY_NAME


def check_figures(evidence: Evidence) -> Iterator[Remark]:
    """Compare what is told about the files with the files."""
    for config in CONFIG_BY_NAME:
        yield from evidence.lacking(config)
    yield from faults_of_statistics(evidence)
    metadata = read_card(evidence)
    if isinstance(metadata, str):
        yield NotChecked(f"the numbers of {CARD}, which cannot be read")
        return
    described = entries_by_name(metadata, "dataset_info", "config_name")
    configured = entries_by_name(metadata, "configs", "config_name")
    for config in CONFIG_BY_NAME:
        if config not in described:
            yield Fault(f"{CARD} has no dataset_info for config {config}")
        elif evidence.has(config):
            yield from _description(evidence, config, described[config])
        if config in configured:
            yield from _data_files(evidence, config, configured[config])


def _description(evidence: Evidence, config: str, told: dict[str, Any]) -> Iterator[Fault]:
    """Compare a config's `dataset_info`."""
    splits = entries_by_name(told, "splits")
    examples = {split: entry.get("num_examples") for split, entry in splits.items()}
    # `datasets` cannot load a split without rows, so the card leaves it out.
    there = {split: rows for split, rows in evidence.rows(config).items() if rows}
    for split, count in there.items():
        if examples.get(split) != count:
            yield Fault(
                f"{CARD} says that {config} {split} has {examples.get(split)} examples; it has {count}"
            )
    for split in examples.keys() - there.keys():
        yield Fault(f"{CARD} lists {config} {split}, which has no rows, so that load_dataset fails")
    yield from _features(config, entries(told, "features"))
    files = [path for split in SPLITS for path in evidence.inventory.shards(config, split)]
    size = sum(path.stat().st_size for path in files)
    if told.get("download_size") != size:
        yield Fault(
            f"{CARD}: download_size of {config} is {told.get('download_size')}; its files have {size}"
        )
    sizes = [entry.get("num_bytes") for entry in splits.values()]
    numbers = [size for size in sizes if isinstance(size, int)]
    if numbers != sizes or told.get("dataset_size") != sum(numbers):
        found = f"{told.get('dataset_size')}, not the sum of its splits' num_bytes"
        yield Fault(f"{CARD}: dataset_size of {config} is {found} ({' + '.join(map(str, sizes))})")


def _features(config: str, told: list[dict[str, Any]]) -> Iterator[Fault]:
    """Compare names and types of a config's columns."""
    schema = CONFIG_BY_NAME[config].schema
    if [feature.get("name") for feature in told] != schema.names:
        yield Fault(f"{CARD} tells other features of {config} than its columns")
        return
    for field, feature in zip(schema, told, strict=True):
        # Editions of `datasets` before 4 called a list a sequence.
        names = ("list", "sequence") if pa.types.is_list(field.type) else ("dtype",)
        if {key: value for key, value in feature.items() if key != "name"} not in [
            {n: "string"} for n in names
        ]:
            yield Fault(f"{CARD}: {field.name} of {config} is not `{names[0]}: string`, as its column is")


def _data_files(evidence: Evidence, config: str, told: dict[str, Any]) -> Iterator[Fault]:
    """Compare the files that a config's patterns name with those it has."""
    patterns = {
        split: entry.get("path") for split, entry in entries_by_name(told, "data_files", "split").items()
    }
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
