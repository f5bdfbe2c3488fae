"""Planted faults of a variant's record."""

import pyarrow as pa
import pyarrow.parquet as pq

from .editing import EditedRelease
from .faults import fault


def variant_fault(message: str):
    return fault(message, "renamed", recount=False, of="variant")


def edit_record(release: EditedRelease, edit) -> None:
    path = release.folder / "renamed.parquet"
    table = pq.read_table(path)
    rows = table.to_pylist()
    edit(rows)
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), path)


def row_with_names(rows, count: int = 2):
    return next(row for row in rows if len(row["original"]) >= count)


@variant_fault(r"renamed.parquet is missing")
def no_record(release):
    (release.folder / "renamed.parquet").unlink()


@variant_fault(r"renamed.parquet cannot be used")
def record_that_cannot_be_read(release):
    (release.folder / "renamed.parquet").write_bytes(b"PAR1 and so on")


@variant_fault(r"renamed.parquet cannot be used: column renamed is missing")
def record_without_a_column(release):
    path = release.folder / "renamed.parquet"
    pq.write_table(pq.read_table(path).drop(["renamed"]), path)


@variant_fault(r"renamed.parquet lacks ids of the pairs.*#")
def record_without_a_pair(release):
    edit_record(release, lambda rows: rows.pop())


@variant_fault(r"renamed.parquet has the same proof_id more than once.*p-")
def record_with_a_pair_twice(release):
    edit_record(release, lambda rows: rows.append(rows[0]))


@variant_fault(r"renamed.parquet has ids that no pair has.*stranger#1")
def record_of_a_stranger(release):
    edit_record(
        release, lambda rows: rows.append(rows[0] | {"id": "stranger#1", "proof_id": "p-" + "0" * 20})
    )


@variant_fault(r"pairs with the proof_id of another.*# ?\S+ and p-")
def record_with_proofs_exchanged(release):
    def exchange(rows):
        rows[0]["proof_id"], rows[1]["proof_id"] = rows[1]["proof_id"], rows[0]["proof_id"]

    edit_record(release, exchange)


@variant_fault(r"more original names than renamed ones, or fewer.*#")
def name_without_a_new_one(release):
    edit_record(release, lambda rows: row_with_names(rows)["renamed"].pop())


@variant_fault(r"a name twice among its original.*#")
def name_renamed_twice(release):
    def repeat(rows):
        names = row_with_names(rows)["original"]
        names[1] = names[0]

    edit_record(release, repeat)


@variant_fault(r"a name twice among its renamed.*#")
def two_names_made_one(release):
    def repeat(rows):
        names = row_with_names(rows)["renamed"]
        names[1] = names[0]

    edit_record(release, repeat)


@variant_fault(r"a null among its renamed.*#")
def name_that_is_null(release):
    edit_record(release, lambda rows: row_with_names(rows)["renamed"].__setitem__(0, None))
