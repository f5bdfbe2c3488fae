"""Ids: unique, well-formed and opaque; all tables agree on each pair."""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute generates its functions at run time, where type checkers do not see them.)

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..identifiers import text_id
from ..release.schema import SPLITS
from .evidence import CONFIG_NAMES, FAMILIES, IDS, SIDES, Evidence, Table
from .report import Fault, Note, Remark
from .values import only_in, to_numpy

_DIGITS = 20
_MOST_EQUAL = 10_000  # texts of a release that may be equal to one another
_PATTERNS = {f"{side}_id": rf"^{side[0]}-[0-9a-f]{{{_DIGITS}}}$" for side in SIDES}


def check_ids(evidence: Evidence) -> Iterator[Remark]:
    """Check the ids of every table."""
    yield from evidence.unreadable(*CONFIG_NAMES)
    for (config, split), table in evidence.tables.items():
        place = f"{config} {split}"
        for name, ids in table.ids.items():
            if name != "article_id":
                yield from _repeated(ids, name, place)
            if name in _PATTERNS:
                yield from _malformed(ids, name, place)
        if all(name in table.ids for name in IDS):
            yield from _wrong_pair_ids(table, place)
    yield from _not_of_their_texts(evidence)
    if evidence.has("pairs"):
        yield Note(f"{sum(evidence.rows('pairs').values()):,} pairs, statements and proofs")


def _not_of_their_texts(evidence: Evidence) -> Iterator[Fault]:
    """Find ids that depend on anything other than their own text."""
    if evidence.schema_version == 1:
        yield Fault(
            "ids of schema version 1 are derived from the pair, so that a guessed pair can be confirmed; "
            "make the release again"
        )
        return
    for side in SIDES:
        of_text: dict[str, list[str]] = {}
        for name, key in evidence.numbered[side].items():
            of_text.setdefault(key, []).append(name)
        # A sealed release has gaps where it withholds one of several equal texts.
        gaps = _MOST_EQUAL if evidence.sealed is not None else 0
        wrong = (
            name
            for key, names in of_text.items()
            for name in _other_ids(set(names), side, key, len(names) + gaps)
        )
        yield from Fault.if_any(f"{side}_ids are not derived from their own texts", sorted(wrong))


def _other_ids(names: set[str], side: str, key: str, highest: int) -> set[str]:
    """Return the names that are not ids of a text with a number from 1 to the highest."""
    for number in range(1, highest + 1):
        if not names:
            break
        names = names - {text_id(side, key, number)}
    return names


def _repeated(ids: pa.Array, name: str, place: str) -> Iterator[Fault]:
    counts = pc.value_counts(ids)
    repeated = counts.filter(pc.greater(counts.field("counts"), 1)).to_pylist()
    cases = (f"{case['values']} ({case['counts']} times)" for case in repeated)
    yield from Fault.if_any(f"{place} has the same {name} more than once", cases)


def _malformed(ids: pa.Array, name: str, place: str) -> Iterator[Fault]:
    malformed = ids.filter(pc.invert(pc.match_substring_regex(ids, _PATTERNS[name])))
    form = f"{name[0]}- and {_DIGITS} hexadecimal digits"
    yield from Fault.if_any(f"{place} has malformed {name}s, not {form}", malformed)


def _wrong_pair_ids(table: Table, place: str) -> Iterator[Fault]:
    pairs, statements, proofs, articles = (table.ids[name].to_pylist() for name in IDS)
    wrong = (
        f"{pair} of article {article}"
        for pair, article in zip(pairs, articles, strict=True)
        if not pair.startswith(f"{article}#")
    )
    yield from Fault.if_any(f"{place} has ids that do not begin with their article's id and #", wrong)
    revealing = (
        f"{statement} and {proof}"
        for statement, proof in zip(statements, proofs, strict=True)
        if statement[2:] == proof[2:]
    )
    yield from Fault.if_any(f"{place} has statement ids that reveal the id of their proof", revealing)


def check_references(evidence: Evidence) -> Iterator[Remark]:
    """Compare the pairs with the task's tables, and the pairs of the two families with each other."""
    yield from evidence.unreadable(*CONFIG_NAMES)
    for suffix in FAMILIES:
        for side in SIDES:
            for split in SPLITS:
                yield from _compare_with_task(evidence, side, suffix, split)
    yield from _compare_families(evidence)


def _compare_with_task(evidence: Evidence, side: str, suffix: str, split: str) -> Iterator[Fault]:
    config, task_config = f"pairs{suffix}", f"{side}s{suffix}"
    if not (evidence.has(config, split) and evidence.has(task_config, split)):
        return
    pairs, task = evidence.tables[config, split], evidence.tables[task_config, split]
    ids, task_ids = pairs.ids[f"{side}_id"], task.ids[f"{side}_id"]
    here, there = f"{config} {split}", f"{task_config} {split}"
    yield from Fault.if_any(f"{there} lacks {side}_ids of {here}", only_in(ids, task_ids))
    yield from Fault.if_any(f"{there} has {side}_ids that {here} lacks", only_in(task_ids, ids))
    row_in_task = pc.index_in(ids, value_set=task_ids)
    for column, task_column in ((side, "text"), (f"{side}_tokens", "tokens")):
        different = _different(row_in_task, pairs.hashes[column], task.hashes[task_column])
        yield from Fault.if_any(
            f"{task_column} of {there} differs from {column} of {here}", ids.take(different)
        )


def _compare_families(evidence: Evidence) -> Iterator[Remark]:
    config, other = (f"pairs{suffix}" for suffix in FAMILIES)
    if not (evidence.has(config) and evidence.has(other)):
        return
    # Corpora published as two sets of files may differ; the two splits of a build may not.
    kind = Note if evidence.is_imported else Fault
    ids, other_ids = evidence.ids(config, "id"), evidence.ids(other, "id")
    yield from kind.if_any(f"pairs that are only in {config}", only_in(ids, other_ids))
    yield from kind.if_any(f"pairs that are only in {other}", only_in(other_ids, ids))
    row_in_other = pc.index_in(ids, value_set=other_ids)
    for name in evidence.configs[config].columns:
        different = _different(row_in_other, evidence.hashes(config, name), evidence.hashes(other, name))
        message = f"{name} of the same pair differs between {config} and {other}"
        yield from kind.if_any(message, ids.take(different))


def _different(row_in_other: pa.Array, hashes: np.ndarray, other_hashes: np.ndarray) -> pa.Array:
    """Find the rows that are in both tables with different values."""
    rows = np.flatnonzero(to_numpy(row_in_other.is_valid()))
    others = to_numpy(row_in_other.drop_null())
    return pa.array(rows[hashes[rows] != other_hashes[others]])
