"""The Hub on loopback behaves as real clients expect the real one to behave."""

import pytest

from tests.hub.metadata import faults_of_card

ROUND_TRIP = """
import sys
from pathlib import Path
from huggingface_hub import HfApi, snapshot_download
from huggingface_hub.errors import EntryNotFoundError, RepositoryNotFoundError, RevisionNotFoundError

api, folder = HfApi(), Path(sys.argv[1])
assert api.whoami()["name"] == "ada"
for repo_type in ("model", "dataset", "space"):
    options = {"repo_id": "ada/thing", "repo_type": repo_type}
    sdk = {"space_sdk": "docker"} if repo_type == "space" else {}
    api.create_repo(**options, **sdk)
    api.create_repo(**options, **sdk, exist_ok=True)
    first_files = set(api.list_repo_files(**options))
    (folder / "sub").mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text("{}")
    (folder / "sub" / "weights.safetensors").write_bytes(bytes(100_000))
    first = api.upload_folder(folder_path=folder, **options).oid
    api.create_tag(tag="v1", **options)
    api.create_branch(branch="odd/name", revision="v1", **options)
    (folder / "config.json").write_text("[]")
    api.upload_folder(folder_path=folder, **options)
    api.delete_file("sub/weights.safetensors", **options)
    old = Path(snapshot_download(revision="odd/name", **options))
    assert (old / "config.json").read_text() == "{}"
    assert (old / "sub" / "weights.safetensors").read_bytes() == bytes(100_000)
    assert set(api.list_repo_files(**options)) == {*first_files, "config.json"}
    assert len(api.list_repo_commits(**options)) == 4
    assert api.repo_info(revision="v1", **options).sha == first
    assert api.get_paths_info(paths=["sub"], revision="v1", **options)[0].path == "sub"
    for revision, error in (("v1", EntryNotFoundError), ("v2", RevisionNotFoundError)):
        try:
            api.hf_hub_download(filename="no.txt", revision=revision, **options)
            raise SystemExit(f"no {error}")
        except error:
            pass
    api.delete_tag(tag="v1", **options)
    api.delete_branch(branch="odd/name", **options)
    assert [ref.name for ref in api.list_repo_refs(**options).branches] == ["main"]
    api.delete_repo(**options)
    try:
        api.repo_info(**options)
        raise SystemExit("still there")
    except RepositoryNotFoundError:
        pass
"""
GOOD = """---
license: cc-by-4.0
language: [en]
task_categories: [text-retrieval]
size_categories: [n<1K]
configs:
- config_name: pairs
  data_files:
  - {split: train, path: data/*.parquet}
dataset_info:
- config_name: pairs
  features: [{name: id, dtype: string}]
  splits: [{name: train, num_bytes: 10, num_examples: 1}]
---
# Title
"""


def test_all_kinds_of_repository_go_round(hub, owner, tmp_path):
    run = owner.python(ROUND_TRIP, str(tmp_path / "folder"))
    assert run.returncode == 0, run.stderr
    assert not hub.repositories


def test_a_good_card_has_no_faults():
    assert faults_of_card(GOOD, "dataset") == ([], [])
    assert faults_of_card("# Title", "dataset")[1]


@pytest.mark.parametrize(
    ("key", "value"),
    [("sdk", "flask"), ("colorFrom", "mauve"), ("short_description", "long " * 13), ("license", "my-own")],
)
def test_the_card_of_a_space_is_checked(key, value):
    good = {"title": "Title", "sdk": "static", "colorFrom": "blue", "colorTo": "red", "license": "mit"}
    assert faults_of_card(card(good), "space") == ([], [])
    assert faults_of_card(card(good | {key: value}), "space")[0]
    assert faults_of_card(card({"title": "Title"}), "space")[0]


def card(fields: dict[str, str]) -> str:
    return "---\n" + "".join(f"{key}: {value}\n" for key, value in fields.items()) + "---\n"


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("cc-by-4.0", "cc-by"),
        ("[en]", "[english]"),
        ("text-retrieval", "proof-matching"),
        ("[text-retrieval]", "text-retrieval"),
        ("n<1K", "small"),
        ("config_name: pairs\n  data_files", "name: pairs\n  data_files"),
        ("path: data/*.parquet", "file: data/*.parquet"),
        ("dtype: string", ""),
        ("num_examples: 1", "num_examples: many"),
        ("license: cc-by-4.0", "license: ["),
    ],
)
def test_a_bad_card_has(good, bad):
    assert good in GOOD
    assert faults_of_card(GOOD.replace(good, bad, 1), "dataset")[0]
