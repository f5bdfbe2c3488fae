"""Parts: what a batch left on disk. One Arrow file, there completely or not at all."""

import json
import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import pyarrow as pa

from ..article import ReadArticle
from ..identifiers import split_key
from ..reasons import Reason
from ..records import Article, Discarded, Pair

_STRING, _STRINGS = pa.string(), pa.list_(pa.string())

# The columns of the release's `pairs`, then what only the making of the release needs.
RELEASE_FIELDS = [
    pa.field("id", _STRING),
    pa.field("statement_id", _STRING),
    pa.field("proof_id", _STRING),
    pa.field("article_id", _STRING),
    pa.field("title", _STRING),
    pa.field("categories", _STRINGS),
    pa.field("primary_category", _STRING),
    pa.field("kind", _STRING),
    pa.field("statement", _STRING),
    pa.field("proof", _STRING),
    pa.field("statement_tokens", _STRINGS),
    pa.field("proof_tokens", _STRINGS),
]
WORKING_FIELDS = [
    pa.field("document", _STRING),
    pa.field("split_key", _STRING),
    pa.field("statement_text_length", pa.int32()),
    pa.field("statement_math_length", pa.int32()),
    pa.field("proof_text_length", pa.int32()),
    pa.field("proof_math_length", pa.int32()),
]
PART_SCHEMA = pa.schema(RELEASE_FIELDS + WORKING_FIELDS)

# Kept in the file's metadata, beside the rows.
_REPORT = b"proofmatch.report"
_DISCARDED = b"proofmatch.discarded"


@dataclass
class PartReport:
    """What happened in a batch, beside the pairs themselves."""

    documents: int = 0
    pairs_found: int = 0
    pairs_kept: int = 0
    discarded: int = 0

    def add(self, other: "PartReport") -> None:
        """Sum up."""
        self.documents += other.documents
        self.pairs_found += other.pairs_found
        self.pairs_kept += other.pairs_kept
        self.discarded += other.discarded


class PartBuilder:
    """Collects the outcome of a batch and writes it as one part.

    Args:
        seed: Salt of the split keys.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._rows: list[tuple[object, ...]] = []
        self._discarded: list[Discarded] = []
        self.report = PartReport()

    def add(self, name: str, read: ReadArticle) -> None:
        """Take up what became of one document."""
        # Two sources can have documents of the same name, and one can be given twice.
        document = f"{name} ({read.checksum:08x}) number {self.report.documents}"
        self._rows.extend(self._row(document, read.article, pair) for pair in read.pairs)
        self._discarded.extend(read.discarded)
        self.report.documents += 1
        self.report.pairs_found += read.pairs_found
        self.report.pairs_kept += len(read.pairs)
        self.report.discarded += len(read.discarded)

    def _row(self, document: str, article: Article, pair: Pair) -> tuple[object, ...]:
        return (
            pair.id,
            pair.statement_id,
            pair.proof_id,
            article.id,
            article.title,
            article.categories,
            article.primary_category,
            pair.kind,
            pair.statement,
            pair.proof,
            pair.statement_tokens,
            pair.proof_tokens,
            document,
            split_key(self._seed, pair.id),
            *pair.statement_length,
            *pair.proof_length,
        )

    def write(self, path: Path) -> None:
        """Write the part under its final name in one step, so that a kill leaves no half of it."""
        columns = list(zip(*self._rows, strict=True)) or [()] * len(PART_SCHEMA)
        arrays = [pa.array(column, field.type) for column, field in zip(columns, PART_SCHEMA, strict=True)]
        metadata = {_REPORT: json.dumps(asdict(self.report)), _DISCARDED: _pack(self._discarded)}
        table = pa.Table.from_arrays(arrays, schema=PART_SCHEMA.with_metadata(metadata))
        unfinished = path.with_suffix(f".{os.getpid()}.tmp")
        with pa.OSFile(str(unfinished), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
        unfinished.replace(path)


def _pack(discarded: Iterable[Discarded]) -> str:
    return json.dumps([[item.article_id, item.reason, item.detail] for item in discarded])


def read_rows(path: Path) -> pa.Table:
    """Map the rows of a part into memory; only those that are touched are read from disk."""
    with pa.memory_map(str(path)) as source:
        return pa.ipc.open_file(source).read_all()


def read_columns(path: Path, names: Collection[str]) -> pa.Table:
    """Read some columns of a part."""
    wanted = [index for index, name in enumerate(PART_SCHEMA.names) if name in names]
    options = pa.ipc.IpcReadOptions(included_fields=wanted)
    with pa.OSFile(str(path)) as source:
        return pa.ipc.open_file(source, options=options).read_all().replace_schema_metadata(None)


def read_report(path: Path) -> PartReport:
    """Read what happened in the batch of a part."""
    return PartReport(**json.loads(_metadata(path)[_REPORT]))


def read_discarded(path: Path) -> list[Discarded]:
    """Read what was discarded in the batch of a part."""
    packed = json.loads(_metadata(path)[_DISCARDED])
    return [Discarded(article_id, Reason(reason), detail) for article_id, reason, detail in packed]


def _metadata(path: Path) -> Mapping[bytes, bytes]:
    with pa.memory_map(str(path)) as source:
        return pa.ipc.open_file(source).schema.metadata or {}


def is_intact(path: Path) -> bool:
    """Tell whether a part was written completely, by the footer that Arrow writes last."""
    try:
        with pa.memory_map(str(path)) as source:
            return pa.ipc.open_file(source).schema.remove_metadata() == PART_SCHEMA
    except (OSError, pa.ArrowInvalid):
        return False
