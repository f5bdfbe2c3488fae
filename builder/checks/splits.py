"""Splits have the sizes they promise, and share no pair; by article, they share no article either."""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute makes its functions at run time, where a type checker does not see them.)

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from ..arrow import as_numpy
from ..release.schema import SPLITS
from .evidence import Evidence
from .remarks import Fault, Finding, Remark
from .tables import CONFIG_BY_NAME


def check_splits(evidence: Evidence) -> Iterator[Remark]:
    """Check the sizes of the splits, and that nothing is in two of them."""
    for name, config in CONFIG_BY_NAME.items():
        if not evidence.has(name):
            yield from evidence.lacking(name)
            continue
        rows = evidence.rows(name)
        if not evidence.is_imported:  # what others published has the sizes they chose
            yield from _wrong_sizes(name, rows, config.by_article)
        empty = [split for split, count in rows.items() if not count]
        if empty:
            yield Finding(f"{name} has no rows in {' and '.join(empty)}")
        for column in config.columns:
            if column in ("id", "statement_id", "proof_id") or (column == "article_id" and config.by_article):
                yield from _shared(name, column, evidence.ids(name, column), evidence.split_numbers(name))
        if name.startswith("pairs"):
            sizes = ", ".join(f"{split} {count:,}" for split, count in rows.items())
            yield Finding(f"{name}: {sizes}")


def _wrong_sizes(config: str, rows: dict[str, int], by_article: bool) -> Iterator[Fault]:
    total = sum(rows.values())
    share = total // 10
    for split in ("validation", "test"):
        if rows[split] > share or (rows[split] < share and not by_article):
            right = f"at most {share:,}" if by_article else f"{share:,}"
            yield Fault(
                f"{config} {split} has {rows[split]:,} rows; a tenth of {total:,}, rounded down, is {right}"
            )


def _shared(config: str, column: str, ids: pa.Array, splits: np.ndarray) -> Iterator[Fault]:
    """Find ids that are in more than one split."""
    if not len(ids):
        return
    encoded = ids.dictionary_encode()
    where = np.zeros(len(encoded.dictionary), np.uint8)
    np.bitwise_or.at(where, as_numpy(encoded.indices), np.uint8(1) << splits.astype(np.uint8))
    shared = np.flatnonzero(where & (where - 1)).tolist()  # more than one bit is set
    if shared:
        cases = (f"{encoded.dictionary[number]} in {_names(int(where[number]))}" for number in shared)
        yield Fault.about(f"{config} has the same {column} in two splits", cases)


def _names(mask: int) -> str:
    return " and ".join(split for number, split in enumerate(SPLITS) if mask >> number & 1)
