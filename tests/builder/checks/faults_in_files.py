"""Planted faults of files: manifest, layout, columns, numbers and card."""

import shutil

import pyarrow as pa

from .faults import fault, unsealed


@unsealed(r"discarded.parquet was changed", "manifest")
def changed_byte(release):
    path = release.folder / "discarded.parquet"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@unsealed(r"discarded.parquet is listed in manifest.json but missing", "manifest")
def missing_file(release):
    (release.folder / "discarded.parquet").unlink()


@unsealed(r"notes.txt is not listed", "manifest")
def extra_file(release):
    (release.folder / "notes.txt").write_text("remember")


@unsealed(r"\.build is there", "manifest")
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


@fault(r"stats.json says that pairs test has 7 rows; it has \d+", "figures", recount=False)
def stale_statistics(release):
    release.edit_json("stats.json", lambda statistics: statistics["rows"]["pairs"].update(test=7))


@fault(r"download_size of statements is 1;", "figures", recount=False)
def stale_size_in_card(release):
    def age(metadata):
        entry = next(one for one in metadata["dataset_info"] if one["config_name"] == "statements")
        entry["download_size"] = 1

    release.edit_card(age)


@fault(r"pairs train has 7 examples; it has \d+", "figures", recount=False)
def stale_count_in_card(release):
    release.edit_card(lambda metadata: metadata["dataset_info"][0]["splits"][0].update(num_examples=7))


@fault(r"README.md lists pairs future, which has no rows", "figures", recount=False)
def card_with_an_empty_split(release):
    empty = {"name": "future", "num_bytes": 0, "num_examples": 0}
    release.edit_card(lambda metadata: metadata["dataset_info"][0]["splits"].append(empty))


@fault(r"data_files of pairs test .* are not the files of this split", "figures", recount=False)
def card_that_loads_other_files(release):
    release.edit_card(
        lambda metadata: metadata["configs"][0]["data_files"][2].update(path="data/pairs/*.parquet")
    )


@fault(r"the YAML of README.md cannot be read", "card", recount=False)
def broken_yaml(release):
    (release.folder / "README.md").write_text("---\nlanguage: [\n---\n")


@fault(r"YAML of README.md cannot be read: it has no YAML", "card", recount=False)
def card_without_yaml(release):
    (release.folder / "README.md").write_text("# A corpus\n")


@fault(r"names no license", "card", recount=False)
def no_license(release):
    release.edit_card(lambda metadata: metadata.pop("license"))


@fault(r"the default config is proofs, not pairs", "card", recount=False)
def another_default(release):
    def change(metadata):
        metadata["configs"][0].pop("default")
        metadata["configs"][2]["default"] = True

    release.edit_card(change)
