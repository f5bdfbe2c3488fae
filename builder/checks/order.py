"""The order of the task's tables tells nothing: neither which proof is whose, nor which article."""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute makes its functions at run time, where a type checker does not see them.)

import math
from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..arrow import as_numpy
from ..release.schema import SPLITS
from .evidence import Evidence
from .remarks import Fault, Finding, NotChecked, Remark
from .tables import FAMILIES, SIDES, Table

_STANDARD_ERRORS = 5.0
_IMPROBABLE = math.log(1e6)
_FEWEST = 4  # rows from which on the same order in two tables is no accident to be shrugged off
_FEW = 11  # rows from which on neighbours that stay together are proof enough


def check_order(evidence: Evidence) -> Iterator[Remark]:
    """Check the order of the rows of every split."""
    strongest = 0.0
    for suffix in FAMILIES:
        configs = [f"{name}{suffix}" for name in ("pairs", "statements", "proofs")]
        for config in configs:
            yield from evidence.lacking(config)
        for split in SPLITS:
            if not all(evidence.has(config, split) for config in configs):
                continue
            pairs, *tasks = (evidence.tables[config, split] for config in configs)
            orders = [np.arange(len(pairs)), *map(_places, [pairs] * 2, tasks, SIDES)]
            if any(len(order) != len(pairs) for order in orders):
                yield NotChecked(f"{configs[0]} {split}: its rows and those of its task's tables differ")
                continue
            unsorted = [
                config
                for config, task, side in zip(configs[1:], tasks, SIDES, strict=True)
                if not _is_sorted(task, side)
            ]
            for config in unsorted:
                yield Fault(f"rows of {config} {split} are not in the order of their ids")
            for first, second in combinations(range(len(configs)), 2):
                errors = standard_errors(orders[first], orders[second])
                strongest = max(strongest, abs(errors))
                if reason := telling_order(orders[first], orders[second], not unsorted):
                    yield Fault(f"{configs[first]} and {configs[second]} {split} tell each other: {reason}")
            for config, order in zip(configs[1:], orders[1:], strict=True):
                yield from _article_neighbours(pairs.ids["article_id"], order, f"{config} {split}")
    yield Finding(
        f"strongest rank correlation of two tables: {strongest:.1f} standard errors; "
        f"from {_STANDARD_ERRORS:g} on it is a fault"
    )


def telling_order(one: np.ndarray, other: np.ndarray, sorted_by_id: bool) -> str | None:
    """Tell what one order of the same rows gives away of the other, or None.

    Chance alone makes such a sentence of two orders less than once in a million.

    Args:
        one: Place of each row in one table.
        other: Place of each row in the other.
        sorted_by_id: Whether the tables are sorted by their own opaque ids. A few rows can be in the same
            order by chance; if the ids made the order, that is what it is.
    """
    total = len(one)
    steps = np.diff(other[np.argsort(one)])
    same, reversed_ = int((steps == 1).sum()), int((steps == -1).sum())
    if total < _FEW:
        identical = total >= _FEWEST and max(same, reversed_) == total - 1
        return f"all {total} rows are in the same order" if identical and not sorted_by_id else None
    for together in (same, reversed_):
        if is_improbable(together, 1.0):
            return f"{together:,} of {total:,} rows are followed by the same row in both"
    errors = standard_errors(one, other)
    if abs(errors) > _STANDARD_ERRORS:
        return f"their rank correlation is {errors / math.sqrt(total - 1):.3f}, {errors:.1f} standard errors"
    return None


def standard_errors(one: np.ndarray, other: np.ndarray) -> float:
    """Measure the rank correlation of two orders in its standard errors under independence."""
    if len(one) < 2:
        return 0.0
    middle = (len(one) - 1) / 2
    variance = (len(one) ** 2 - 1) / 12
    correlation = float(np.mean((one - middle) * (other - middle))) / variance
    return correlation * math.sqrt(len(one) - 1)


def is_improbable(count: int, mean: float) -> bool:
    """Tell whether rare events are too many for chance, by Chernoff's bound for a Poisson variable."""
    return count > mean and count * math.log(count / mean) - count + mean > _IMPROBABLE


def _article_neighbours(articles: pa.Array, places: np.ndarray, table: str) -> Iterator[Fault]:
    if len(articles) < 2:
        return
    numbers = as_numpy(articles.dictionary_encode().indices)[np.argsort(places)]
    sizes = np.bincount(numbers).astype(float)
    neighbours = int((numbers[1:] == numbers[:-1]).sum())
    expected = float((sizes * (sizes - 1)).sum()) / len(numbers)
    if expected and is_improbable(neighbours, expected):
        yield Fault(
            f"rows of {table} follow one of the same article {neighbours:,} times; by chance {expected:,.1f}"
        )


def _places(pairs: Table, task: Table, side: str) -> np.ndarray:
    """Find where the rows of the pairs are in the task's table; nothing if the two have not the same rows."""
    found = pc.index_in(pairs.ids[f"{side}_id"], value_set=task.ids[f"{side}_id"]).drop_null()
    places = np.array(found.to_pylist(), np.int64)
    same = len(np.unique(places)) == len(task) == len(pairs)
    return places if same else np.empty(0, np.int64)


def _is_sorted(task: Table, side: str) -> bool:
    ids = task.ids[f"{side}_id"].to_pylist()
    return ids == sorted(ids)
