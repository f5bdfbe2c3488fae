"""Splits: their sizes, articles, and an order of rows that reveals neither matches nor articles."""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute generates its functions at run time, where type checkers do not see them.)

import math
from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..release.schema import MANIFEST, SPLITS, TEST, config_name
from .evidence import FAMILIES, IDS, SIDES, Evidence, Table
from .report import Fault, NotChecked, Note, Remark
from .values import to_numpy

_STANDARD_ERRORS = 5.0
_IMPROBABLE = math.log(1e6)


def check_splits(evidence: Evidence) -> Iterator[Remark]:
    """Check the sizes of the splits, and that nothing is in two of them."""
    for name, config in evidence.configs.items():
        if not evidence.has(name):
            yield from evidence.unreadable(name)
            continue
        rows = evidence.rows(name)
        # A published corpus keeps the sizes it has, and a sealed release lacks pairs.
        if not evidence.is_imported and evidence.sealed is None:
            yield from _wrong_sizes(name, rows, config.by_article)
        if empty := [split for split, count in rows.items() if not count]:
            yield Note(f"{name} has no rows in {' and '.join(empty)}")
        for column in config.columns:
            if column in IDS and (column != "article_id" or config.by_article):
                yield from _in_two_splits(evidence, name, column)
        if name.startswith("pairs"):
            yield Note(f"{name}: {', '.join(f'{split} {count:,}' for split, count in rows.items())}")


def _wrong_sizes(config: str, rows: dict[str, int], by_article: bool) -> Iterator[Fault]:
    total = sum(rows.values())
    tenth = total // 10
    for split in ("validation", "test"):
        if rows[split] > tenth or (rows[split] < tenth and not by_article):
            expected = f"at most {tenth:,}" if by_article else f"{tenth:,}"
            found = f"{config} {split} has {rows[split]:,} rows"
            yield Fault(f"{found}; a tenth of {total:,}, rounded down, is {expected}")


def _in_two_splits(evidence: Evidence, config: str, column: str) -> Iterator[Fault]:
    encoded = evidence.ids(config, column).dictionary_encode()
    splits = np.zeros(len(encoded.dictionary), np.uint8)
    np.bitwise_or.at(splits, to_numpy(encoded.indices), evidence.split_bits(config))
    cases = []
    for number in np.flatnonzero(splits & (splits - 1)).tolist():  # more than one bit is set
        names = [split for bit, split in enumerate(SPLITS) if splits[number] >> bit & 1]
        cases.append(f"{encoded.dictionary[number]} in {' and '.join(names)}")
    yield from Fault.if_any(f"{config} has the same {column} in two splits", cases)


def check_sealed(evidence: Evidence) -> Iterator[Remark]:
    """Check that a sealed release has no pair of its test split, nor the texts of one elsewhere."""
    sealed = evidence.sealed
    if "sealed" not in evidence.parameters:
        yield Note("this release is open: its pairs have the answers of its test splits")
        return
    if sealed is None:
        yield Fault(f"{MANIFEST} does not say in the right form what is sealed")
        return
    test = SPLITS[TEST]
    config, *tasks = (config_name(name, sealed.by_article) for name in ("pairs", "statements", "proofs"))
    if evidence.inventory.shards(config, test):
        yield Fault(f"{config} has a {test} split, which is sealed")
    for task in tasks:
        if not evidence.has(task, test):
            yield NotChecked(f"whether there are sealed pairs, because {task} {test} could not be read")
            return
        if (rows := len(evidence.tables[task, test])) != sealed.pairs:
            yield Fault(f"{task} {test} has {rows:,} rows, but {sealed.pairs:,} pairs are sealed")
    withheld = {side: evidence.tables[task, test] for side, task in zip(SIDES, tasks, strict=True)}
    for (name, split), table in evidence.tables.items():
        if (name, split) not in [(task, test) for task in tasks]:
            yield from _sealed_rows(table, withheld, f"{name} {split}")
    yield Note(f"{sealed.pairs:,} pairs of {config} {test} are sealed")


def _sealed_rows(table: Table, withheld: dict[str, Table], place: str) -> Iterator[Fault]:
    """Find rows of a table that have the id of a sealed text, or the texts of two."""
    for side, sealed in withheld.items():
        if (name := f"{side}_id") in table.ids:
            found = table.ids[name].filter(pc.is_in(table.ids[name], value_set=sealed.ids[name]))
            yield from Fault.if_any(f"{place} has sealed {side}s", found)
    if "id" in table.ids:
        has_both = np.logical_and(
            *(
                np.isin(table.hashes[side], sealed.hashes["text"])
                | np.isin(table.hashes[f"{side}_tokens"], sealed.hashes["tokens"])
                for side, sealed in withheld.items()
            )
        )
        pairs = table.ids["id"].filter(pa.array(has_both))
        yield from Fault.if_any(f"{place} has the texts of a sealed statement and a sealed proof", pairs)


def check_articles(evidence: Evidence) -> Iterator[Remark]:
    """Check that all pairs of an article have the same title and categories."""
    for suffix in FAMILIES:
        config = f"pairs{suffix}"
        yield from evidence.unreadable(config)
        if not evidence.has(config):
            continue
        articles = evidence.ids(config, "article_id").dictionary_encode()
        names, numbers = articles.dictionary.to_pylist(), to_numpy(articles.indices)
        for column, what in (("title", "title"), ("categories", "list of categories")):
            hashes = evidence.hashes(config, column)
            of_article = np.zeros(len(names), np.int64)
            of_article[numbers] = hashes  # the hash of the last pair; any pair would do
            several = np.unique(numbers[hashes != of_article[numbers]]).tolist()
            cases = (names[number] for number in several)
            yield from Fault.if_any(f"{config} has articles with more than one {what}", cases)
        yield Note(f"{config}: {len(names):,} articles")


def check_order(evidence: Evidence) -> Iterator[Remark]:
    """Check that the task's tables are in the order of their ids, and that this order reveals nothing."""
    strongest = 0.0
    for suffix in FAMILIES:
        configs = [f"{name}{suffix}" for name in ("pairs", "statements", "proofs")]
        yield from evidence.unreadable(*configs)
        for split in SPLITS:
            for config, side in zip(configs[1:], SIDES, strict=True):
                if evidence.has(config, split):
                    ids = evidence.tables[config, split].ids[f"{side}_id"].to_pylist()
                    if ids != sorted(ids):
                        yield Fault(f"rows of {config} {split} are not in the order of their ids")
            if not all(evidence.has(config, split) for config in configs):
                continue
            pairs, *tasks = (evidence.tables[config, split] for config in configs)
            orders = [np.arange(len(pairs)), *map(_places, [pairs] * 2, tasks, SIDES)]
            if any(len(order) != len(pairs) for order in orders):
                yield NotChecked(f"{configs[0]} {split}: its rows differ from the rows of the task's tables")
                continue
            for first, second in combinations(range(len(configs)), 2):
                one, other = orders[first], orders[second]
                strongest = max(strongest, abs(standard_errors(one, other)))
                if reason := revealing_order(one, other):
                    yield Fault(f"{configs[first]} and {configs[second]} {split} reveal each other: {reason}")
            for config, order in zip(configs[1:], orders[1:], strict=True):
                yield from _article_neighbours(pairs.ids["article_id"], order, f"{config} {split}")
    yield Note(
        f"strongest rank correlation of two tables: {strongest:.1f} standard errors; "
        f"more than {_STANDARD_ERRORS:g} are a fault"
    )


def _places(pairs: Table, task: Table, side: str) -> np.ndarray:
    """Find each pair's row in a task's table; nothing if the two do not have the same rows."""
    places = to_numpy(pc.index_in(pairs.ids[f"{side}_id"], value_set=task.ids[f"{side}_id"]).drop_null())
    same = len(np.unique(places)) == len(task) == len(pairs)
    return places.astype(np.int64) if same else np.empty(0, np.int64)


def revealing_order(one: np.ndarray, other: np.ndarray) -> str | None:
    """Tell how the places of rows in one table reveal their places in another, or None.

    Two random orders are reported less than once in a million times.
    """
    steps = np.diff(other[np.argsort(one)])
    for together in (int((steps == 1).sum()), int((steps == -1).sum())):
        if is_improbable(together, 1.0):
            return f"{together:,} of {len(one):,} rows are followed by the same row in both"
    errors = standard_errors(one, other)
    if abs(errors) > _STANDARD_ERRORS:
        correlation = errors / math.sqrt(len(one) - 1)
        return f"their rank correlation is {correlation:.3f}, {errors:.1f} standard errors"
    return None


def standard_errors(one: np.ndarray, other: np.ndarray) -> float:
    """Measure the rank correlation of two orders in standard errors under independence."""
    if len(one) < 2:
        return 0.0
    return float(np.corrcoef(one, other)[0, 1]) * math.sqrt(len(one) - 1)


def is_improbable(count: int, mean: float) -> bool:
    """Tell whether rare events are too many for chance, by Chernoff's bound for a Poisson variable."""
    return count > mean and count * math.log(count / mean) - count + mean > _IMPROBABLE


def _article_neighbours(articles: pa.Array, places: np.ndarray, table: str) -> Iterator[Fault]:
    if len(articles) < 2:
        return
    numbers = to_numpy(articles.dictionary_encode().indices)[np.argsort(places)]
    sizes = np.bincount(numbers).astype(float)
    neighbours = int((numbers[1:] == numbers[:-1]).sum())
    expected = float((sizes * (sizes - 1)).sum()) / len(numbers)
    if expected and is_improbable(neighbours, expected):
        yield Fault(
            f"rows of {table} follow one of the same article {neighbours:,} times; by chance {expected:,.1f}"
        )
