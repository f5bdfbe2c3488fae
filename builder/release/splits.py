"""Assigns pairs to splits: the index of all pairs, and fixed 80/10/10 splits by pair and by article."""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute generates its functions at run time, where type checkers do not see them.)

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from proofmatch.errors import ProofmatchError

from ..arrow import as_numpy, integers, strings
from ..identifiers import split_key, text_ids
from ..pair_parts import PART_SCHEMA, discarded_table, read_columns
from ..reasons import Reason
from ..records import Discarded
from .schema import TEST, TRAIN, VALIDATION

_TEXTS = {"title", "statement", "proof", "statement_tokens", "proof_tokens", "source"}
_INDEXED = frozenset(PART_SCHEMA.names) - _TEXTS


@dataclass(frozen=True, slots=True)
class Index:
    """One row per pair, without its texts, ordered by split key.

    Attributes:
        table: The indexed columns, the ids of statements and proofs, and `part` and `row`: where the pair's
            full row is.
        parts: The files that `part` counts.
    """

    table: pa.Table
    parts: list[Path]

    def __len__(self) -> int:
        return self.table.num_rows

    def column(self, name: str) -> pa.Array:
        """Get a column as one array."""
        return self.table.column(name).combine_chunks()

    def with_column(self, name: str, values: pa.Array) -> "Index":
        """Add a column."""
        return replace(self, table=self.table.append_column(name, values))

    def numbers(self, name: str) -> np.ndarray:
        """Get a column of numbers."""
        return as_numpy(self.column(name))

    def order_by(self, column: str) -> np.ndarray:
        """Order the pairs by a column of hashes: reproducible and without meaning."""
        return as_numpy(pc.sort_indices(self.column(column)))


def build_index(parts: list[Path]) -> tuple[Index, pa.Table]:
    """Read the index of all parts; if an article occurs more than once, one of its documents is kept.

    Returns:
        The index, and the documents left out as rows of `discarded.parquet`.
    """
    table, duplicates = _without_duplicate_articles(_read_table(parts))
    (index,) = _with_text_ids([_ordered(table, parts)])
    return index, duplicates


def read_indexes(families: Iterable[list[Path]]) -> list[Index]:
    """Read the indexes of several families of parts, in which the same pair has the same ids.

    Several parts of a family may have pairs of one article.
    """
    return _with_text_ids([_ordered(_read_table(parts), parts) for parts in families])


def _with_text_ids(indexes: list[Index]) -> list[Index]:
    """Add the ids of statements and proofs to the indexes of a release."""
    for side in ("statement", "proof"):
        keys: dict[str, str] = {}  # of the text, by pair id
        for index in indexes:
            keys.update(zip(*(index.column(name).to_pylist() for name in ("id", f"{side}_key")), strict=True))
        ids = dict(zip(keys, text_ids(side, list(keys.values()), list(keys)), strict=True))
        indexes = [
            index.with_column(f"{side}_id", strings([ids[pair] for pair in index.column("id").to_pylist()]))
            for index in indexes
        ]
    return indexes


def _read_table(parts: list[Path]) -> pa.Table:
    tables = []
    for number, path in enumerate(parts):
        table = read_columns(path, _INDEXED)
        rows = np.arange(table.num_rows, dtype=np.int32)
        table = table.append_column("part", integers(np.full_like(rows, number)))
        tables.append(table.append_column("row", integers(rows)))
    return pa.concat_tables(tables)


def _ordered(table: pa.Table, parts: list[Path]) -> Index:
    if pc.count_distinct(table["id"]).as_py() != table.num_rows:
        raise ProofmatchError("two pairs have the same id; please report this with your sources")
    # In the order of the hash, so that nothing computed from the index depends on the order of the sources.
    return Index(table.sort_by("split_key").combine_chunks(), parts)


def _without_duplicate_articles(table: pa.Table) -> tuple[pa.Table, pa.Table]:
    columns = (table[name].to_pylist() for name in ("article_id", "document", "part"))
    rows = list(zip(*columns, strict=True))
    kept: dict[str, tuple[str, int]] = {}
    for article, *place in rows:
        kept[article] = min(tuple(place), kept.get(article, tuple(place)))
    dropped = sorted({row for row in rows if kept[row[0]] != row[1:]})
    discarded = [
        Discarded(article, Reason.DUPLICATE_ARTICLE, f"{document}: the same article as {kept[article][0]}")
        for article, document, _ in dropped
    ]
    remaining = [number for number, row in enumerate(rows) if kept[row[0]] == row[1:]]
    return table.take(integers(remaining)) if dropped else table, discarded_table(discarded)


@dataclass(frozen=True, slots=True)
class SplitPairs:
    """Pairs and the split of each, as a position in `SPLITS`."""

    index: Index
    split: np.ndarray


def split_pairs(index: Index) -> SplitPairs:
    """Split by pair, as the paper does: an article's pairs may be in all three splits."""
    held_out = len(index) // 10
    assigned = np.full(len(index), TRAIN, dtype=np.int8)
    assigned[:held_out] = TEST
    assigned[held_out : 2 * held_out] = VALIDATION
    return SplitPairs(index, assigned)


def split_by_article(index: Index, seed: int) -> SplitPairs:
    """Split by article: articles are taken in hash order as long as they fit, until the split is full."""
    held_out = len(index) // 10
    articles = index.column("article_id").dictionary_encode()
    article_of_pair = as_numpy(articles.indices)
    names = articles.dictionary.to_pylist()
    sizes = np.bincount(article_of_pair, minlength=len(names))
    room = {TEST: held_out, VALIDATION: held_out}
    of_article = np.full(len(names), TRAIN, dtype=np.int8)
    for number in sorted(range(len(names)), key=lambda number: split_key(seed, names[number])):
        for split in (TEST, VALIDATION):
            if sizes[number] <= room[split]:
                room[split] -= sizes[number]
                of_article[number] = split
                break
    return SplitPairs(index, of_article[article_of_pair])
