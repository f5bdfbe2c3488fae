"""Opening a release: tables, statistics, verification, and what is refused."""

import json
import shutil
from pathlib import Path

import pytest

import proofmatch
from proofmatch.builder.release.release import open_release
from proofmatch.builder.release.schema import CONFIGS, MANIFEST, SPLITS
from proofmatch.errors import ProofmatchError


@pytest.fixture
def copy(release, tmp_path) -> Path:
    return Path(shutil.copytree(release, tmp_path / "copy"))


def edit_manifest(folder: Path, **files: dict) -> None:
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    manifest["files"] |= files
    (folder / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")


def test_a_release_has_its_configs_tables_and_statistics(release):
    opened = proofmatch.load_release(release)
    opened.verify()
    assert opened.id == release.name
    assert opened.configs == [config.name for config in CONFIGS]
    for config in CONFIGS:
        for split in SPLITS:
            table = opened.table(config.name, split)
            assert table.schema.remove_metadata() == config.schema
            assert table.num_rows == opened.statistics["rows"][config.name][split]
    assert opened.table("pairs", "test", ["id"]).column_names == ["id"]


def test_a_changed_file_is_refused(copy):
    opened = open_release(copy)
    shard = copy / opened.shards("pairs", "test")[0]
    shard.write_bytes(shard.read_bytes() + b" ")
    for use in (opened.verify, opened.check_sizes, lambda: opened.table("pairs", "test")):
        with pytest.raises(ProofmatchError, match=shard.name):
            use()


def test_a_missing_shard_is_refused(copy):
    opened = open_release(copy)
    (copy / opened.shards("proofs", "train")[0]).unlink()
    with pytest.raises(ProofmatchError, match="train-00000"):
        opened.table("proofs", "train")


@pytest.mark.parametrize("name", ["../outside.txt", "/etc/hostname", "data/../../outside.txt"])
def test_files_outside_of_the_release_are_not_opened(name, copy):
    (copy.parent / "outside.txt").write_text("secret", encoding="utf-8")
    edit_manifest(copy, **{name: {"bytes": 6, "sha256": ""}})
    with pytest.raises(ProofmatchError, match="outside of the release"):
        open_release(copy).verify()


def test_names_that_are_not_shards_are_no_tables(copy):
    edit_manifest(copy, **{"data/pairs/test-../../secret.parquet": {"bytes": 1, "sha256": ""}})
    assert all("secret" not in name for name in open_release(copy).shards("pairs", "test"))


@pytest.mark.parametrize(
    ("split", "fact"), [("dev", "train, validation, test"), ("../test", "train, validation, test")]
)
def test_an_unknown_split_is_refused_with_the_splits_there_are(split, fact, release):
    with pytest.raises(ProofmatchError, match=fact):
        open_release(release).table("pairs", split)


def test_other_folders_are_not_releases(tmp_path):
    with pytest.raises(ProofmatchError, match="neither a release folder nor OWNER/NAME"):
        open_release(tmp_path / "missing" / "folder")
    with pytest.raises(ProofmatchError, match=MANIFEST):
        open_release(tmp_path)
    (tmp_path / MANIFEST).write_text("[]", encoding="utf-8")
    with pytest.raises(ProofmatchError, match="not the manifest of a release"):
        open_release(tmp_path)
