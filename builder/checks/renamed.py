"""A variant's `renamed.parquet` has the names of every proof's variables, so that they can be restored."""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute makes its functions at run time, where a type checker does not see them.)

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..arrow import as_numpy
from ..variants.record import RECORD, RECORD_SCHEMA
from .defects import UNREADABLE, WrongSchema, compare_schemas, defective_rows
from .evidence import Evidence
from .remarks import Fault, Finding, NotChecked, Remark
from .tables import FAMILIES


def check_renamed(evidence: Evidence) -> Iterator[Remark]:
    """Check the record of a variant; other releases have none."""
    if "variant_of" not in evidence.parameters:
        yield Finding("this is no variant")
        return
    if RECORD not in evidence.inventory.files:
        yield Fault(f"{RECORD} is missing: nobody can put the old names back")
        return
    try:
        compare_schemas(pq.read_schema(evidence.folder / RECORD), RECORD_SCHEMA)
        table = pq.read_table(evidence.folder / RECORD).combine_chunks()
        table.validate(full=True)
    except (*UNREADABLE, WrongSchema) as error:
        yield Fault(f"{RECORD} cannot be used: {' '.join(str(error).split())}")
        return
    evidence.tick(RECORD)
    for batch in table.to_batches():
        ids = batch.column("id")
        for what, rows in (*defective_rows(batch, RECORD_SCHEMA), *_wrong_names(batch)):
            yield Fault.about(f"{RECORD} has rows with {what}", ids.filter(pa.array(rows)).to_pylist())
    yield from _wrong_rows(evidence, table)
    yield Finding(f"the names of {len(table):,} proofs")


def _wrong_names(batch: pa.RecordBatch) -> Iterator[tuple[str, np.ndarray]]:
    lengths = [pc.list_value_length(batch.column(name)).fill_null(0) for name in ("original", "renamed")]
    different = as_numpy(lengths[0]) != as_numpy(lengths[1])
    if different.any():
        yield "more original names than renamed ones, or fewer", different
    for name in ("original", "renamed"):
        column = batch.column(name)
        codes = as_numpy(column.flatten().fill_null("").dictionary_encode().indices).astype(np.int64)
        parents = pc.list_parent_indices(column).to_numpy(zero_copy_only=False)
        keys = np.sort(parents * (codes.max(initial=0) + 1) + codes)
        repeated = keys[1:][keys[1:] == keys[:-1]] // (codes.max(initial=0) + 1)
        if len(repeated):
            rows = np.zeros(len(batch), bool)
            rows[repeated] = True
            yield f"a name twice among its {name}", rows


def _wrong_rows(evidence: Evidence, table: pa.Table) -> Iterator[Remark]:
    """Compare the ids with those of the pairs, of which a published corpus may have others in each family."""
    configs = [f"pairs{suffix}" for suffix in FAMILIES]
    if not all(map(evidence.has, configs)):
        yield NotChecked(f"whether {RECORD} has every pair, since not all pairs could be read")
        return
    for name in ("id", "proof_id"):
        there = pa.concat_arrays([evidence.ids(config, name) for config in configs])
        ids = table.column(name).combine_chunks()
        if len(missing := there.filter(pc.invert(pc.is_in(there, value_set=ids))).unique()):
            yield Fault.about(f"{RECORD} lacks {name}s of the pairs", missing.to_pylist())
        if len(strangers := ids.filter(pc.invert(pc.is_in(ids, value_set=there)))):
            yield Fault.about(f"{RECORD} has {name}s that no pair has", strangers.to_pylist())
        counts = pc.value_counts(ids)
        if repeated := counts.filter(pc.greater(counts.field("counts"), 1)).field("values").to_pylist():
            yield Fault.about(f"{RECORD} has the same {name} more than once", repeated)
    both = [zip(*(evidence.ids(c, n).to_pylist() for n in ("id", "proof_id")), strict=True) for c in configs]
    belonging = {pair: proof for rows in both for pair, proof in rows}
    rows = zip(*(table.column(name).to_pylist() for name in ("id", "proof_id")), strict=True)
    wrong = [f"{pair} and {proof}" for pair, proof in rows if belonging.get(pair, proof) != proof]
    if wrong:
        yield Fault.about(f"{RECORD} has pairs with the proof_id of another", wrong)
