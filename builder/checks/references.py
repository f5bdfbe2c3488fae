"""The task's tables hold the statements and proofs of the pairs, and both families the same pairs."""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute makes its functions at run time, where a type checker does not see them.)

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..release.schema import SPLITS
from .evidence import Evidence
from .remarks import Fault, Finding, Remark
from .tables import CONFIG_BY_NAME, FAMILIES, IDS, SIDES
from .vocabulary import as_bool


def check_references(evidence: Evidence) -> Iterator[Remark]:
    """Compare tables that say the same."""
    for config in CONFIG_BY_NAME:
        yield from evidence.lacking(config)
    for suffix in FAMILIES:
        for side in SIDES:
            for split in SPLITS:
                yield from _compare_with_task(evidence, f"pairs{suffix}", side, f"{side}s{suffix}", split)
    yield from _compare_families(evidence)


def _compare_with_task(
    evidence: Evidence, config: str, side: str, task_config: str, split: str
) -> Iterator[Fault]:
    if not (evidence.has(config, split) and evidence.has(task_config, split)):
        return
    pairs, task = evidence.tables[config, split], evidence.tables[task_config, split]
    ids, task_ids = pairs.ids[f"{side}_id"], task.ids[f"{side}_id"]
    row_in_task = pc.index_in(ids, value_set=task_ids)
    if row_in_task.null_count:
        missing = ids.filter(row_in_task.is_null()).to_pylist()
        yield Fault.about(f"{task_config} {split} lacks {side}_ids of {config} {split}", missing)
    strangers = task_ids.filter(pc.index_in(task_ids, value_set=ids).is_null())
    if len(strangers):
        yield Fault.about(
            f"{task_config} {split} has {side}_ids that {config} {split} has not", strangers.to_pylist()
        )
    for column, task_column in ((side, "text"), (f"{side}_tokens", "tokens")):
        different = _different(row_in_task, pairs.hashes[column], task.hashes[task_column])
        if len(different):
            cases = ids.take(different).to_pylist()
            yield Fault.about(
                f"{task_column} of {task_config} {split} differs from {column} of {config} {split}", cases
            )


def _compare_families(evidence: Evidence) -> Iterator[Remark]:
    config, other = (f"pairs{suffix}" for suffix in FAMILIES)
    if not (evidence.has(config) and evidence.has(other)):
        return
    # What was published in two sets of files may differ; what we split in two ways may not.
    kind = Finding if evidence.is_imported else Fault
    ids, other_ids = evidence.ids(config, "id"), evidence.ids(other, "id")
    row_in_other = pc.index_in(ids, value_set=other_ids)
    only = ids.filter(row_in_other.is_null())
    only_other = other_ids.filter(pc.index_in(other_ids, value_set=ids).is_null())
    for name, cases in ((config, only), (other, only_other)):
        if len(cases):
            yield kind.about(f"pairs that are in {name} only", cases.to_pylist())
    for name in CONFIG_BY_NAME[config].columns:
        if name == "id":
            continue
        if name in IDS:
            same = pc.equal(evidence.ids(other, name).take(row_in_other), evidence.ids(config, name))
            different = pa.array(np.flatnonzero(~as_bool(same.fill_null(True))))
        else:
            different = _different(row_in_other, evidence.hashes(config, name), evidence.hashes(other, name))
        if len(different):
            cases = ids.take(different).to_pylist()
            yield kind.about(f"{name} of the same pair differs between {config} and {other}", cases)


def _different(row_in_other: pa.Array, hashes: np.ndarray, other_hashes: np.ndarray) -> pa.Array:
    """Find the rows that are in both tables and not the same there."""
    there = ~as_bool(row_in_other.is_null())
    rows = np.flatnonzero(there)
    others = row_in_other.drop_null().to_numpy(zero_copy_only=False)
    return pa.array(rows[hashes[rows] != other_hashes[others]])
