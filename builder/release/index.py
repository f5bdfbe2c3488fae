"""The index of a build: of every pair the few columns that decide where it goes, and where its row lies."""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute makes its functions at run time, where a type checker does not see them.)

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from proofmatch.errors import ProofmatchError

from ..engine.parts import DISCARDED_SCHEMA, PART_SCHEMA, read_columns
from ..reasons import Reason

_LARGE = {"title", "statement", "proof", "statement_tokens", "proof_tokens"}
_INDEXED = frozenset(PART_SCHEMA.names) - _LARGE


@dataclass(frozen=True, slots=True)
class Index:
    """One row a pair, ordered by split key.

    Attributes:
        table: The indexed columns, and `part` and `row`: where the pair's full row is.
        parts: The files that `part` counts.
    """

    table: pa.Table
    parts: list[Path]

    def __len__(self) -> int:
        return self.table.num_rows

    def column(self, name: str) -> pa.Array:
        """Get a column in one piece."""
        return self.table.column(name).combine_chunks()

    def numbers(self, name: str) -> np.ndarray:
        """Get a column of numbers."""
        return self.table.column(name).to_numpy()


def build_index(parts: list[Path]) -> tuple[Index, pa.Table]:
    """Read the index of all parts; of an article that occurs more than once, one document is kept.

    Returns:
        The index, and the documents left out as rows of `discarded.parquet`.
    """
    tables = []
    for number, path in enumerate(parts):
        table = read_columns(path, _INDEXED)
        rows = np.arange(table.num_rows, dtype=np.int32)
        table = table.append_column("part", pa.array(np.full_like(rows, number)))
        tables.append(table.append_column("row", pa.array(rows)))
    table, duplicates = _without_duplicate_articles(pa.concat_tables(tables))
    _check_unique(table)
    # In the order of the hash, so that nothing computed from the index depends on the order of the sources.
    return Index(table.sort_by("split_key").combine_chunks(), parts), duplicates


def _without_duplicate_articles(table: pa.Table) -> tuple[pa.Table, pa.Table]:
    part = pc.cast(table["part"], pa.string())
    place = pc.binary_join_element_wise(table["document"], part, " in part ")
    places = pa.table({"article": table["article_id"], "place": place}).group_by(["article", "place"])
    documents = list(zip(*places.aggregate([]).to_pydict().values(), strict=True))
    kept: dict[str, str] = {}
    for article, document in documents:
        kept[article] = min(document, kept.get(article, document))
    dropped = {document: article for article, document in documents if kept[article] != document}
    if not dropped:
        return table, DISCARDED_SCHEMA.empty_table()
    details = [f"{document}: the same article as {kept[article]}" for document, article in dropped.items()]
    reasons = [Reason.DUPLICATE_ARTICLE.value] * len(dropped)
    discarded = pa.table([list(dropped.values()), reasons, details], schema=DISCARDED_SCHEMA)
    return table.filter(pc.invert(pc.is_in(place, value_set=pa.array(list(dropped))))), discarded


def _check_unique(table: pa.Table) -> None:
    for name in ("id", "statement_id", "proof_id"):
        if pc.count_distinct(table[name]).as_py() != table.num_rows:
            raise ProofmatchError(f"two pairs have the same {name}; please report this with your sources")
