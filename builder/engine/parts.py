"""Parts: what a batch left on disk. The rows of its pairs, and beside them what was discarded."""

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from proofmatch.storage import replaced_at_end

from ..article import ReadArticle
from ..extraction.labels import names_label, own_label
from ..identifiers import digest, split_key
from ..reasons import Reason
from ..records import Article, Discarded, Pair
from .columns import integers, strings

_STRING, _LIST, _NUMBER = pa.string(), pa.list_(pa.string()), pa.int32()

# The columns of the release's `pairs`.
RELEASE_SCHEMA = pa.schema(
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
    ]
)

# A part has them too, lists joined by spaces (an order of magnitude faster to gather than lists of
# strings), and then what only the making of the release needs.
PART_SCHEMA = pa.schema(
    [
        *((field.name, _STRING) for field in RELEASE_SCHEMA),
        ("document", _STRING),
        ("split_key", _STRING),
        ("statement_text_length", _NUMBER),
        ("statement_math_length", _NUMBER),
        ("proof_text_length", _NUMBER),
        ("proof_math_length", _NUMBER),
        # What the texts have in common with others is counted by their hashes.
        ("statement_hash", _STRING),
        ("proof_hash", _STRING),
        ("label", _STRING),  # LABELLED, NAMED or UNLABELLED
    ]
)

# Whether a statement carries a label, and its proof names it.
LABELLED, NAMED, UNLABELLED = "labelled", "named", "unlabelled"

DISCARDED_SCHEMA = pa.schema([("article_id", _STRING), ("reason", _STRING), ("detail", _STRING)])

_REPORT = b"proofmatch.report"  # in the metadata of a part's file


@dataclass
class PartReport:
    """What happened in a batch, beside the pairs themselves."""

    documents: int = 0
    pairs_found: int = 0
    pairs_kept: int = 0

    def __str__(self) -> str:
        return f"{self.documents:,} documents, {self.pairs_found:,} pairs, {self.pairs_kept:,} kept"

    @classmethod
    def sum_of(cls, reports: Iterable["PartReport"]) -> "PartReport":
        """Sum up."""
        total = cls()
        for report in reports:
            total.add(report)
        return total

    def add(self, other: "PartReport") -> None:
        """Add another batch."""
        self.documents += other.documents
        self.pairs_found += other.pairs_found
        self.pairs_kept += other.pairs_kept


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
        content = digest(*(pair.id for pair in read.pairs), size=4)
        document = f"{name} ({content}) number {self.report.documents}"
        self.add_pairs(document, read.article, read.pairs)
        self._discarded.extend(read.discarded)
        # An archive that breaks off is worth a note, but it is not a document.
        self.report.documents += all(item.reason is not Reason.BROKEN_ARCHIVE for item in read.discarded)
        self.report.pairs_found += read.pairs_found

    def add_pairs(self, document: str, article: Article, pairs: Sequence[Pair]) -> None:
        """Take up pairs of an article."""
        self._rows.extend(self._row(document, article, pair) for pair in pairs)
        self.report.pairs_kept += len(pairs)

    def _row(self, document: str, article: Article, pair: Pair) -> tuple[object, ...]:
        return (
            pair.id,
            pair.statement_id,
            pair.proof_id,
            article.id,
            article.title,
            " ".join(article.categories),
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
            digest(pair.statement_tokens, size=8),
            digest(pair.proof_tokens, size=8),
            _label_of(pair),
        )

    def write(self, path: Path) -> None:
        """Write the part."""
        columns = list(zip(*self._rows, strict=True)) or [()] * len(PART_SCHEMA)
        arrays = [
            integers(column) if field.type == _NUMBER else strings(column)
            for column, field in zip(columns, PART_SCHEMA, strict=True)
        ]
        schema = PART_SCHEMA.with_metadata({_REPORT: json.dumps(asdict(self.report))})
        table = pa.Table.from_arrays(arrays, schema=schema)
        # The rows last: a part is there when they are.
        write_in_one_step(discarded_table(self._discarded), _discarded_path(path))
        write_in_one_step(table, path)


def _label_of(pair: Pair) -> str:
    label = own_label(pair.statement)
    if label is None:
        return UNLABELLED
    return NAMED if names_label(pair.proof, label) else LABELLED


def write_in_one_step(table: pa.Table, path: Path, compression: str | None = None) -> None:
    """Write a file under its final name when it is complete, so that a kill leaves no half of it."""
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with (
        replaced_at_end(path) as temporary,
        pa.OSFile(str(temporary), "wb") as sink,
        pa.ipc.new_file(sink, table.schema, options=options) as writer,
    ):
        writer.write_table(table)


def _discarded_path(path: Path) -> Path:
    return path.with_suffix(".discarded")


def discarded_table(discarded: Iterable[Discarded]) -> pa.Table:
    """Make rows of `discarded.parquet`."""
    rows = [(item.article_id, item.reason.value, item.detail) for item in discarded]
    columns = zip(*rows, strict=True) if rows else [()] * len(DISCARDED_SCHEMA)
    return pa.Table.from_arrays([strings(column) for column in columns], schema=DISCARDED_SCHEMA)


def read_rows(path: Path) -> pa.Table:
    """Map the rows of a part into memory; only those that are touched are read from disk."""
    with pa.memory_map(str(path)) as source:
        return pa.ipc.open_file(source).read_all()


def read_columns(path: Path, names: Collection[str]) -> pa.Table:
    """Copy some columns of a part into memory, and nothing of the others."""
    wanted = [name for name in PART_SCHEMA.names if name in names]
    table = read_rows(path).select(wanted).replace_schema_metadata(None)
    return table.take(integers(np.arange(table.num_rows)))


def read_report(path: Path) -> PartReport:
    """Read what happened in the batch of a part."""
    return PartReport(**json.loads((read_rows(path).schema.metadata or {})[_REPORT]))


def read_discarded(path: Path) -> pa.Table:
    """Read what was discarded in the batch of a part."""
    return read_rows(_discarded_path(path))


def is_intact(path: Path) -> bool:
    """Tell whether a part was written completely, by the footers that Arrow writes last."""
    return _has_schema(path, PART_SCHEMA) and _has_schema(_discarded_path(path), DISCARDED_SCHEMA)


def _has_schema(path: Path, schema: pa.Schema) -> bool:
    try:
        with pa.memory_map(str(path)) as source:
            return pa.ipc.open_file(source).schema.remove_metadata() == schema
    except (OSError, pa.ArrowInvalid):
        return False
