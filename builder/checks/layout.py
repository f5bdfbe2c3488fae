"""All files are there. Of all six configs each split is complete: shards without a gap, under one total."""

from collections.abc import Iterator

from ..release.schema import SPLITS
from .evidence import Evidence
from .inventory import CARD, DISCARDED, STATISTICS, parse_shard
from .remarks import Fault, Finding, Remark
from .tables import CONFIG_BY_NAME


def check_layout(evidence: Evidence) -> Iterator[Remark]:
    """Check the names of the files."""
    inventory = evidence.inventory
    for name in (CARD, STATISTICS, DISCARDED):
        if name not in inventory.files:
            yield Fault(f"{name} is missing: every release has one")
    for config in sorted(inventory.configs() - set(CONFIG_BY_NAME)):
        yield Fault(f"data/{config} is no config; the configs are {', '.join(CONFIG_BY_NAME)}")
    shards = 0
    for config in CONFIG_BY_NAME:
        names = inventory.in_config(config)
        if not names:
            yield Fault(f"config {config} is missing: there is nothing in data/{config}")
            continue
        parsed = {name: parse_shard(name) for name in names}
        for name, found in parsed.items():
            if not found or found[0] not in SPLITS:
                yield Fault(f"data/{config}/{name} is not named like a shard (train-00000-of-00001.parquet)")
        for split in SPLITS:
            numbers = [(found[1], found[2]) for found in parsed.values() if found and found[0] == split]
            shards += len(numbers)
            yield from _faults_of_split(config, split, numbers)
    yield Finding(f"{shards} shards of {len(CONFIG_BY_NAME)} configs")


def _faults_of_split(config: str, split: str, numbers: list[tuple[int, int]]) -> Iterator[Fault]:
    totals = sorted({total for _, total in numbers})
    if not totals:
        yield Fault(f"split {split} of {config} is missing: there is no data/{config}/{split}-*.parquet")
    elif len(totals) > 1:
        yield Fault(
            f"the shards of {config} {split} disagree on how many there are: {', '.join(map(str, totals))}"
        )
    else:
        (total,) = totals
        there = {number for number, _ in numbers}
        if missing := sorted(set(range(total)) - there):
            shards = [f"{split}-{number:05d}-of-{total:05d}.parquet" for number in missing]
            yield Fault.about(f"shards of {config} {split} are missing", shards)
        if beyond := sorted(there - set(range(total))):
            yield Fault.about(f"{config} {split} has shards beyond its total of {total}", beyond)
