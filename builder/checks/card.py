"""The dataset card and `stats.json`: complete, and in agreement with the files."""

import logging
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any

import pyarrow as pa

from proofmatch.errors import ProofmatchError, one_line

from ...dataset_card.tables import statistics_tables
from ..release.schema import CARD, SPLITS, STATISTICS, Config
from ..settings import check_license
from .evidence import CONFIG_NAMES, Evidence, read_json
from .report import Fault, NotChecked, Remark

# The keys that `proofmatch stats`, the card and its figures need.
STATISTICS_KEYS = (
    "licenses",  # not in schema version 1
    *("documents", "pairs", "categories", "kinds", "lengths", "length_histogram", "labels"),
    *("duplicates", "discarded", "languages_of_discarded", "rows"),
)

_DEFAULT_CONFIG = CONFIG_NAMES[0]
_FIGURE = re.compile(r"!\[[^\]]*\]\((figures/[^\s)]+)\)")


def check_card(evidence: Evidence) -> Iterator[Remark]:
    """Check the card's YAML."""
    metadata = _read_metadata(evidence)
    if isinstance(metadata, str):
        yield Fault(f"the YAML of {CARD} cannot be read: {metadata}")
        return
    for name in ("license", "language"):
        if not metadata.get(name):
            yield Fault(f"{CARD} names no {name}")
    licenses = metadata.get("license") or []
    for name in licenses if isinstance(licenses, list) else [licenses]:
        try:
            check_license(str(name))
        except ProofmatchError as error:
            yield Fault(f"{CARD}: {error}")
    text = (evidence.folder / CARD).read_text(encoding="utf-8")
    for name in dict.fromkeys(_FIGURE.findall(text)):
        if name not in evidence.inventory.files:
            yield Fault(f"{CARD} shows {name}, which is missing")
    configs = _entries(metadata, "configs")
    names = [entry.get("config_name") for entry in configs]
    for name in CONFIG_NAMES:
        if name not in names:
            yield Fault(f"{CARD} does not list config {name}")
    defaults = [entry.get("config_name") for entry in configs if entry.get("default")]
    if defaults != [_DEFAULT_CONFIG]:
        found = ", ".join(map(str, defaults)) or "none"
        yield Fault(f"{CARD}: the default config is {found}, not {_DEFAULT_CONFIG}")


def _read_metadata(evidence: Evidence) -> dict[str, Any] | str:
    """Read the YAML of the card, or tell why it cannot be read."""
    from huggingface_hub import DatasetCard

    hub_log = logging.getLogger("huggingface_hub.repocard")
    level = hub_log.level
    hub_log.setLevel(logging.ERROR)  # we report a card without YAML ourselves
    try:
        text = (evidence.folder / CARD).read_text(encoding="utf-8")
        return DatasetCard(text, ignore_metadata_errors=False).data.to_dict() or "it has no YAML at its top"
    except OSError as error:
        return error.strerror or str(error)
    except Exception as error:
        # Broken YAML raises one of several exceptions of two libraries.
        return one_line(str(error))
    finally:
        hub_log.setLevel(level)


def _entries(metadata: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """List the mappings under a name of the card's YAML; anything else there is ignored."""
    found = metadata.get(name)
    found = found if isinstance(found, list) else [found]
    return [entry for entry in found if isinstance(entry, dict)]


def _entries_by(key: str, metadata: dict[str, Any], name: str) -> dict[str, dict[str, Any]]:
    """Index the mappings under a name of the card's YAML by one of their values, where that is a string."""
    named = ((entry.get(key), entry) for entry in _entries(metadata, name))
    return {value: entry for value, entry in named if isinstance(value, str)}


def check_figures(evidence: Evidence) -> Iterator[Remark]:
    """Compare the numbers in `stats.json` and in the card with the files."""
    yield from evidence.unreadable(*CONFIG_NAMES)
    yield from _wrong_statistics(evidence)
    metadata = _read_metadata(evidence)
    if isinstance(metadata, str):
        yield NotChecked(f"the numbers of {CARD}, which cannot be read")
        return
    infos = _entries_by("config_name", metadata, "dataset_info")
    configured = _entries_by("config_name", metadata, "configs")
    for config in CONFIG_NAMES:
        if config not in infos:
            yield Fault(f"{CARD} has no dataset_info for config {config}")
        elif evidence.has(config):
            yield from _wrong_info(evidence, config, infos[config])
        if config in configured:
            yield from _wrong_data_files(evidence, config, configured[config])


def _wrong_statistics(evidence: Evidence) -> Iterator[Fault]:
    statistics = read_json(evidence.folder / STATISTICS)
    if not isinstance(statistics, dict):
        yield Fault(f"{STATISTICS} is missing or not a JSON object")
        return
    keys = STATISTICS_KEYS if evidence.schema_version > 1 else STATISTICS_KEYS[1:]
    if missing := [name for name in keys if not isinstance(statistics.get(name), dict)]:
        yield Fault(f"{STATISTICS} has no {', '.join(f'`{name}`' for name in missing)}")
    else:
        try:
            statistics_tables(statistics)
        except KeyError as error:
            yield Fault(f"{STATISTICS} lacks {error.args[0]!r}, which `proofmatch stats` needs")
        except (ValueError, TypeError, AttributeError, IndexError) as error:
            yield Fault(f"`proofmatch stats` cannot make its tables from {STATISTICS}: {error}")
    if isinstance(stated := statistics.get("rows"), dict):
        for (config, split), table in evidence.tables.items():
            splits = stated.get(config)
            rows = splits.get(split) if isinstance(splits, dict) else None
            if rows != len(table):
                yield Fault(f"{STATISTICS} says that {config} {split} has {rows} rows; it has {len(table)}")
    if isinstance(stated := statistics.get("pairs"), dict) and evidence.has("pairs"):
        total, kept = sum(evidence.rows("pairs").values()), stated.get("kept")
        # The statistics of a sealed release count what it withholds.
        if kept != total and (evidence.sealed is None or not isinstance(kept, int) or kept < total):
            yield Fault(f"{STATISTICS} says that {kept} pairs were kept; there are {total}")


def _wrong_info(evidence: Evidence, config: str, info: dict[str, Any]) -> Iterator[Fault]:
    """Compare the `dataset_info` of a config with its files."""
    splits = _entries_by("name", info, "splits")
    examples = {split: entry.get("num_examples") for split, entry in splits.items()}
    # `datasets` cannot load a split without rows, so the card leaves it out.
    expected = {split: rows for split, rows in evidence.rows(config).items() if rows}
    for split, count in expected.items():
        if examples.get(split) != count:
            yield Fault(
                f"{CARD} says that {config} {split} has {examples.get(split)} examples; it has {count}"
            )
    for split in examples.keys() - expected.keys():
        yield Fault(f"{CARD} lists {config} {split}, which has no rows, so load_dataset fails")
    yield from _wrong_features(evidence.configs[config], _entries(info, "features"))
    files = [path for split in SPLITS for path in evidence.inventory.shards(config, split)]
    size = sum(path.stat().st_size for path in files)
    if info.get("download_size") != size:
        yield Fault(
            f"{CARD}: download_size of {config} is {info.get('download_size')}; its files have {size}"
        )
    sizes = [entry.get("num_bytes") for entry in splits.values()]
    numbers = [size for size in sizes if isinstance(size, int)]
    if numbers != sizes or info.get("dataset_size") != sum(numbers):
        found = f"{info.get('dataset_size')}, not the sum of its splits' num_bytes"
        yield Fault(f"{CARD}: dataset_size of {config} is {found} ({' + '.join(map(str, sizes))})")


def _wrong_features(config: Config, features: list[dict[str, Any]]) -> Iterator[Fault]:
    """Compare the features of a config with its columns."""
    schema = config.schema
    if [feature.get("name") for feature in features] != schema.names:
        yield Fault(f"{CARD} has other features for {config.name} than its columns")
        return
    for field, feature in zip(schema, features, strict=True):
        # `datasets` before version 4 called a list a sequence.
        names = ("list", "sequence") if pa.types.is_list(field.type) else ("dtype",)
        found = {key: value for key, value in feature.items() if key != "name"}
        if found not in [{name: "string"} for name in names]:
            yield Fault(
                f"{CARD}: {field.name} of {config.name} is not `{names[0]}: string`, as its column is"
            )


def _wrong_data_files(evidence: Evidence, config: str, configured: dict[str, Any]) -> Iterator[Fault]:
    """Compare the files that match a config's patterns with those it has."""
    entries = _entries_by("split", configured, "data_files")
    for split in SPLITS:
        shards = evidence.inventory.shards(config, split)
        expected = [path.relative_to(evidence.folder).as_posix() for path in shards]
        pattern = entries.get(split, {}).get("path")
        if evidence.has(config, split) and not len(evidence.tables[config, split]) and pattern is None:
            continue
        patterns = [str(one) for one in (pattern if isinstance(pattern, list) else [pattern])]
        found = [name for name in evidence.inventory.files if any(fnmatchcase(name, one) for one in patterns)]
        if found != expected:
            yield Fault(f"{CARD}: data_files of {config} {split} ({pattern}) are not the files of this split")
