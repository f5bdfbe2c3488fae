"""Parts of pairs: the stored outcome of a batch. One file has its pairs, a second one what was discarded."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from .arrow import Counts, has_schema, integers, read_arrow, table_of, write_arrow
from .article import ReadArticle
from .extraction.pairs import names_label, own_label
from .identifiers import digest, split_key, text_key
from .reasons import Reason
from .records import Article, Discarded, Pair

# The columns of the release's `pairs`, without the ids of statements and proofs, which depend on all pairs.
# Lists are joined by spaces: strings are an order of magnitude faster to gather than lists of strings.
_PAIR = (
    *("id", "article_id", "title", "categories", "primary_category", "kind"),
    *("statement", "proof", "statement_tokens", "proof_tokens", "source", "license"),
)
_LENGTHS = ("statement_text_length", "statement_math_length", "proof_text_length", "proof_math_length")

PART_SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in (*_PAIR, "document", "split_key", "statement_key", "proof_key")),
        *((name, pa.int32()) for name in _LENGTHS),
        # Duplicates are counted by hashes of the tokens.
        *((name, pa.string()) for name in ("statement_hash", "proof_hash")),
        ("label", pa.string()),  # the statement's own, such as `lemma 2.1`; null if it has none
        ("names_label", pa.int32()),  # 1 if the proof names that label, else 0
    ]
)

_DISCARDED_SCHEMA = pa.schema([(name, pa.string()) for name in ("article_id", "reason", "detail")])


@dataclass
class PartReport(Counts):
    """Counts of a batch."""

    documents: int = 0
    pairs_found: int = 0
    pairs_kept: int = 0

    def __str__(self) -> str:
        return f"{self.documents:,} documents, {self.pairs_found:,} pairs, {self.pairs_kept:,} kept"


class PartBuilder:
    """Collects the outcome of a batch and writes it as one part.

    Args:
        seed: Salt of the split keys.
        license: The licence of articles that state none.
    """

    def __init__(self, seed: int, license: str) -> None:
        self._seed, self._license = seed, license
        self._rows: list[tuple[object, ...]] = []
        self._discarded: list[Discarded] = []
        self.report = PartReport()

    def add(self, name: str, read: ReadArticle) -> None:
        """Add the outcome of one document."""
        # Two sources can have documents of the same name, and one source can be given twice.
        content = digest(*(pair.id for pair in read.pairs), size=4)
        document = f"{name} ({content}) number {self.report.documents}"
        self.add_pairs(document, read.article, read.pairs)
        self._discarded.extend(read.discarded)
        # A truncated archive is recorded, but it is not a document.
        self.report.documents += all(item.reason is not Reason.BROKEN_ARCHIVE for item in read.discarded)
        self.report.pairs_found += read.pairs_found

    def add_pairs(self, document: str, article: Article, pairs: Sequence[Pair]) -> None:
        """Add pairs of an article."""
        self._rows.extend(self._row(document, article, pair) for pair in pairs)
        self.report.pairs_kept += len(pairs)

    def _row(self, document: str, article: Article, pair: Pair) -> tuple[object, ...]:
        return (
            pair.id,
            article.id,
            article.title,
            " ".join(article.categories),
            article.primary_category,
            pair.kind,
            pair.statement,
            pair.proof,
            pair.statement_tokens,
            pair.proof_tokens,
            pair.source,
            article.license or self._license,
            document,
            split_key(self._seed, pair.id),
            text_key(pair.statement),
            text_key(pair.proof),
            *pair.statement_length,
            *pair.proof_length,
            digest(pair.statement_tokens, size=8),
            digest(pair.proof_tokens, size=8),
            *_label_of(pair),
        )

    def write(self, path: Path) -> None:
        """Write the part."""
        # The pairs last: when their file exists, the part is complete.
        write_arrow(discarded_table(self._discarded), _discarded_path(path))
        write_arrow(table_of(self._rows, self.report.kept_in(PART_SCHEMA)), path)


def _label_of(pair: Pair) -> tuple[str | None, int]:
    label = own_label(pair.statement)
    return (None, 0) if label is None else (" ".join(label), int(names_label(pair.proof, label)))


def _discarded_path(path: Path) -> Path:
    return path.with_suffix(".discarded")


def discarded_table(discarded: Iterable[Discarded]) -> pa.Table:
    """Make rows of `discarded.parquet`."""
    rows = [(item.article_id, item.reason.value, item.detail) for item in discarded]
    return table_of(rows, _DISCARDED_SCHEMA)


def read_columns(path: Path, names: Collection[str]) -> pa.Table:
    """Copy some columns of a part into memory, and nothing of the others."""
    wanted = [name for name in PART_SCHEMA.names if name in names]
    table = read_arrow(path).select(wanted).replace_schema_metadata(None)
    return table.take(integers(np.arange(table.num_rows)))


def read_report(path: Path) -> PartReport:
    """Read the counts of a part."""
    return PartReport.of(read_arrow(path).schema)


def read_discarded(path: Path) -> pa.Table:
    """Read what was discarded in the batch of a part."""
    return read_arrow(_discarded_path(path))


def is_complete(path: Path) -> bool:
    """Tell whether a part was written completely."""
    return has_schema(path, PART_SCHEMA) and has_schema(_discarded_path(path), _DISCARDED_SCHEMA)
