"""Planted faults of files: manifest, layout, columns, discarded documents, and the record of a variant."""

import shutil

import pyarrow as pa
import pyarrow.parquet as pq

from .planting import EditedRelease, fault, unsealed


@unsealed(r"figures/categories.svg was changed", "manifest")
def changed_byte(release):
    path = release.folder / "figures" / "categories.svg"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@unsealed(r"discarded.parquet is listed in manifest.json but missing", "manifest", "layout")
def missing_file(release):
    (release.folder / "discarded.parquet").unlink()


@unsealed(r"notes.txt is not listed", "manifest")
def extra_file(release):
    (release.folder / "notes.txt").write_text("remember")


@unsealed(r"\.build .*not finished", "manifest")
def unfinished_build(release):
    (release.folder / ".build").mkdir()


@unsealed(r"stats.json has \d+ bytes, not \d+", "manifest")
def longer_file(release):
    with (release.folder / "stats.json").open("a") as file:
        file.write("\n")


@unsealed(r"\.\./elsewhere, which is outside", "manifest")
def path_that_leaves_the_release(release):
    entry = {"bytes": 0, "sha256": ""}
    release.edit_json("manifest.json", lambda manifest: manifest["files"].update({"../elsewhere": entry}))


@unsealed(r"does not have bytes and sha256 of stats.json", "manifest")
def entry_that_is_not_a_mapping(release):
    release.edit_json("manifest.json", lambda manifest: manifest["files"].update({"stats.json": [1, 2]}))


@unsealed(r"is listed in manifest.json but missing", "manifest")
def impossible_file_name(release):
    entry = {"bytes": 0, "sha256": ""}
    release.edit_json("manifest.json", lambda manifest: manifest["files"].update({"a" * 300: entry}))


@fault(r"`sources` has /home/me/articles.tar, an absolute local path", "manifest")
def source_on_a_disk(release):
    release.edit_json(
        "manifest.json", lambda manifest: manifest["parameters"].update(sources=["/home/me/articles.tar"])
    )


@fault(r"`files` has C:.+mixed_train, an absolute local path", "manifest", of="variant")
def source_of_a_variant_on_a_disk(release):
    def edit(manifest):
        manifest["parameters"]["variant_of"]["files"] = [r"C:\data\mixed_train"]

    release.edit_json("manifest.json", edit)


@unsealed(r"schema version 99", "manifest")
def schema_of_the_future(release):
    release.edit_json("manifest.json", lambda manifest: manifest.update(schema_version=99))


@unsealed(r"manifest.json is not a manifest", "manifest")
def broken_manifest(release):
    (release.folder / "manifest.json").write_text("{")


@unsealed(r"manifest.json is missing", "manifest")
def no_manifest(release):
    (release.folder / "manifest.json").unlink()


@fault(r"config proofs_by_article is missing", "layout")
def missing_config(release):
    shutil.rmtree(release.folder / "data" / "proofs_by_article")


@fault(r"shards of proofs train are missing.*train-00001-of-00002", "layout", "references", "splits")
def missing_shard(release):
    table, path = release.table("proofs", "train"), release.file("proofs", "train")
    release.put_table("proofs", "train", table.slice(0, len(table) // 2))
    path.rename(path.with_name("train-00000-of-00002.parquet"))


@fault(r"shards of pairs test disagree.*1, 2", "layout", "ids", "splits")
def shards_of_two_editions(release):
    path = release.file("pairs", "test")
    shutil.copy(path, path.with_name("test-00001-of-00002.parquet"))


@fault(r"statements/test-copy.parquet is not named like a shard", "layout", "figures")
def misnamed_shard(release):
    path = release.file("statements", "test")
    shutil.copy(path, path.with_name("test-copy.parquet"))


@fault(r"pairs/test-.* cannot be used", "schema", recount=False)
def truncated_parquet(release):
    path = release.file("pairs", "test")
    path.write_bytes(path.read_bytes()[:-100])


@fault(r"pairs/test-.*column title is .*large_string, not string", "schema")
def wrong_column_type(release):
    table = release.table("pairs", "test")
    wrong = table["title"].cast(pa.large_string())
    release.put_table("pairs", "test", table.set_column(4, "title", wrong))


@fault(r"proofs/validation-.*column tokens is missing", "schema")
def missing_column(release):
    release.put_table("proofs", "validation", release.table("proofs", "validation").drop(["tokens"]))


@fault(r"statements/test-.*order", "schema")
def columns_in_another_order(release):
    table = release.table("statements", "test")
    release.put_table("statements", "test", table.select(["text", "statement_id", "tokens"]))


@fault(r"README.md is missing", "layout", "card", recount=False)
def no_card(release):
    (release.folder / "README.md").unlink()


@fault(r"stats.json is missing", "layout", "figures", recount=False)
def no_statistics(release):
    (release.folder / "stats.json").unlink()


@fault(r"discarded.parquet is missing", "layout")
def no_record_of_what_was_discarded(release):
    (release.folder / "discarded.parquet").unlink()


@fault(r"discarded.parquet cannot be used", "discarded")
def discarded_that_cannot_be_read(release):
    path = release.folder / "discarded.parquet"
    path.write_bytes(path.read_bytes()[:-20])


@fault(r"discarded.parquet cannot be used: column detail is missing; column why is unknown", "discarded")
def discarded_with_another_column(release):
    path = release.folder / "discarded.parquet"
    pq.write_table(pq.read_table(path).rename_columns(["article_id", "reason", "why"]), path)


@fault(r"discarded.parquet.*column reason is large_string, not string", "discarded")
def discarded_of_another_type(release):
    path = release.folder / "discarded.parquet"
    table = pq.read_table(path)
    pq.write_table(table.set_column(1, "reason", table["reason"].cast(pa.large_string())), path)


@fault(r"unknown reasons.*'boring' \(1 times\)", "discarded")
def reason_without_a_name(release):
    path = release.folder / "discarded.parquet"
    one = pa.table({"article_id": ["a"], "reason": ["boring"], "detail": [""]})
    pq.write_table(pa.concat_tables([pq.read_table(path), one]), path)


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


@variant_fault(r"pairs with the proof_id of another pair.*# ?\S+ and p-")
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
