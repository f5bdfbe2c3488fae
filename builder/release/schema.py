"""What every release has: its splits, configs and columns, and the names of its files."""

import re
from dataclasses import dataclass, replace

import pyarrow as pa

SCHEMA_VERSION = 2  # of the tables and the manifest

SPLITS = ("train", "validation", "test")
TRAIN, VALIDATION, TEST = range(3)
ALL = "all"  # every pair of a release as one candidate set

MANIFEST = "manifest.json"
STATISTICS = "stats.json"
CARD = "README.md"
DISCARDED = "discarded.parquet"
DATA = "data"

# What a worker holds in memory at once, and what a reader of one row has to decode.
ROW_GROUP = 4096

_STRING, _LIST = pa.string(), pa.list_(pa.string())

PAIRS_SCHEMA = pa.schema(
    [
        ("id", _STRING),
        ("statement_id", _STRING),
        ("proof_id", _STRING),
        ("article_id", _STRING),
        ("title", _STRING),
        ("categories", _LIST),
        ("primary_category", _STRING),
        ("kind", _STRING),
        ("statement", _STRING),
        ("proof", _STRING),
        ("statement_tokens", _LIST),
        ("proof_tokens", _LIST),
        ("source", _STRING),
        ("license", _STRING),
    ]
)

DISCARDED_SCHEMA = pa.schema([("article_id", _STRING), ("reason", _STRING), ("detail", _STRING)])

_PAIRS = {name: name for name in PAIRS_SCHEMA.names}
_STATEMENTS = {"statement_id": "statement_id", "text": "statement", "tokens": "statement_tokens"}
_PROOFS = {"proof_id": "proof_id", "text": "proof", "tokens": "proof_tokens"}


@dataclass(frozen=True, slots=True)
class Config:
    """A configuration of the dataset.

    Attributes:
        name: What users pass to `load_dataset`.
        columns: Name of each column → name of the column of `pairs` that it repeats.
        order: The key that orders the rows. Each table of the task has its own key, so that the position of a
            statement says nothing about the position of its proof.
        by_article: Whether its splits keep articles together.
    """

    name: str
    columns: dict[str, str]
    order: str
    by_article: bool

    @property
    def schema(self) -> pa.Schema:
        """Types of the columns."""
        return pa.schema([(name, PAIRS_SCHEMA.field(source).type) for name, source in self.columns.items()])


def config_name(table: str, by_article: bool) -> str:
    """Name the config of a table: `pairs`, `statements` or `proofs`."""
    return f"{table}_by_article" if by_article else table


CONFIGS = tuple(
    Config(config_name(name, by_article), columns, order, by_article)
    for by_article in (False, True)
    for name, columns, order in (
        ("pairs", _PAIRS, "split_key"),
        ("statements", _STATEMENTS, "statement_id"),
        ("proofs", _PROOFS, "proof_id"),
    )
)

_ADDED_IN_2 = ("source", "license")


def configs_of(version: int) -> tuple[Config, ...]:
    """List the configurations of releases of a schema version."""
    if version >= SCHEMA_VERSION:
        return CONFIGS
    return tuple(
        replace(config, columns={name: of for name, of in config.columns.items() if name not in _ADDED_IN_2})
        for config in CONFIGS
    )


_SHARD = re.compile(r"(?P<split>[a-z]+)-(?P<number>\d{5})-of-(?P<total>\d{5})\.parquet")


def shard_name(split: str, number: int, total: int) -> str:
    """Name one of the files of a table."""
    return f"{split}-{number:05d}-of-{total:05d}.parquet"


def parse_shard(name: str) -> tuple[str, int, int] | None:
    """Parse the name of a shard: split, number, total."""
    match = _SHARD.fullmatch(name)
    return (match["split"], int(match["number"]), int(match["total"])) if match else None
