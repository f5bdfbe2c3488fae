"""A push uploads the release, sends no more than what changed, and the result opens with `datasets`."""

import json
from dataclasses import replace

import pyarrow.parquet as pq
import pytest

from proofmatch.hub_client import format_size
from tests.hub.releases import (
    REPOSITORY,
    card_with_unknown_license,
    held,
    local,
    remove,
    rewrite,
    travelled,
)
from tests.hub.state import Blob

LOAD_ALL = """
import json, os, sys
from datasets import get_dataset_config_names, load_dataset
repository, revision = sys.argv[1:]
rows = {}
for config in get_dataset_config_names(repository, revision=revision):
    whole = load_dataset(repository, config, revision=revision)
    streamed = load_dataset(repository, config, revision=revision, streaming=True)
    for split in whole:
        assert list(streamed[split]) == list(whole[split]), (config, split)
    rows[config] = {split: len(whole[split]) for split in whole}
print(json.dumps(rows), flush=True)
os._exit(0)  # Arrow's threads, which streaming has begun, now and then abort an interpreter that ends
"""
LOAD_ONE = """
import sys
from datasets import load_dataset
print(len(load_dataset(sys.argv[1], "statements", split="test")))
"""


def changes(hub) -> list[str]:
    """What was asked of the Hub that may change something."""
    asked = [request for request in hub.requests if request.method not in ("GET", "HEAD")]
    return [request.path for request in asked if request.path != "/api/validate-yaml"]


def test_the_release_arrives_whole_and_alone(hub, owner, folder):
    (folder / ".build").mkdir()
    (folder / ".build" / "part.arrow").write_bytes(b"unfinished")
    (folder / "notes.txt").write_text("mine")
    push = owner.proofmatch("push", str(folder), REPOSITORY, "--tag", "v1.0")
    assert push.returncode == 0, push.stderr
    assert {name: content for name, content in held(hub).items() if name != ".gitattributes"} == local(folder)
    repository = hub.dataset(REPOSITORY)
    assert [commit.title for commit in repository.history("main")] == ["Release v1.0", "initial commit"]
    assert repository.tags == {"v1.0": repository.branches["main"]}
    assert not repository.private
    assert f"{hub.url}/datasets/{REPOSITORY}/tree/v1.0" in push.stdout
    assert f'load_dataset("{REPOSITORY}", "pairs", revision="v1.0")' in push.stdout

    hub.forget_traffic()
    again = owner.proofmatch("push", str(folder), REPOSITORY, "--tag", "v1.0")
    assert again.returncode == 0, again.stderr
    assert "holds this release already" in again.stdout
    assert len(repository.commits) == 2
    assert not hub.arrived


def test_only_what_changed_travels_and_only_what_is_ours_is_deleted(hub, owner, folder):
    assert owner.proofmatch("push", str(folder), REPOSITORY).returncode == 0
    repository = hub.dataset(REPOSITORY)
    repository.commit("main", {**repository.at("main").files, "NOTES.md": Blob(b"by somebody")}, "Add notes")
    hub.forget_traffic()
    rewrite(folder, "stats.json", (folder / "stats.json").read_bytes() + b"\n")
    remove(folder, "discarded.parquet")
    push = owner.proofmatch("push", str(folder), REPOSITORY, "--message", "Fix the statistics")
    assert push.returncode == 0, push.stderr
    assert travelled(hub, folder) == {"stats.json", "manifest.json"}
    assert repository.at("main").title == "Fix the statistics"
    expected = local(folder) | {"NOTES.md": b"by somebody"}
    assert {name: content for name, content in held(hub).items() if name != ".gitattributes"} == expected
    assert "delete  discarded.parquet" in push.stdout
    assert f'revision="{repository.branches["main"]}"' in push.stdout

    hub.forget_traffic()
    table = "data/pairs/test-00000-of-00001.parquet"
    rewrite(folder, table, (folder / "data/pairs/train-00000-of-00001.parquet").read_bytes()[:-1])
    assert owner.proofmatch("push", str(folder), REPOSITORY).returncode == 0
    assert travelled(hub, folder) == {table, "manifest.json"}


def test_a_dry_run_tells_everything_and_changes_nothing(hub, owner, stranger, folder):
    for client in (stranger, owner):
        rehearsal = client.proofmatch(
            "push", str(folder), REPOSITORY, "--dry-run", "--private", "--tag", "v1.0"
        )
        assert rehearsal.returncode == 0, rehearsal.stderr
        assert f"{REPOSITORY} (private dataset, new)" in rehearsal.stdout
        assert f"add     README.md ({format_size((folder / 'README.md').stat().st_size)})" in rehearsal.stdout
        assert "v1.0" in rehearsal.stdout
    assert not hub.repositories

    assert owner.proofmatch("push", str(folder), REPOSITORY).returncode == 0
    head = hub.dataset(REPOSITORY).branches["main"]
    remove(folder, "discarded.parquet")
    hub.forget_traffic()
    rehearsal = stranger.proofmatch("push", str(folder), REPOSITORY, "--dry-run")
    assert rehearsal.returncode == 0, rehearsal.stderr
    assert "change  manifest.json" in rehearsal.stdout
    assert "delete  discarded.parquet (" in rehearsal.stdout
    assert hub.dataset(REPOSITORY).branches["main"] == head
    assert not changes(hub)


def test_a_private_release_is_not_published(hub, owner, folder):
    hub.create("datasets", REPOSITORY)
    push = owner.proofmatch("push", str(folder), REPOSITORY, "--private")
    assert push.returncode == 2
    assert "is public, but --private" in push.stderr
    assert not hub.arrived

    hub.dataset(REPOSITORY).private = True
    push = owner.proofmatch("push", str(folder), REPOSITORY)
    assert push.returncode == 0, push.stderr
    assert "is private, though --private was not" in push.stdout
    assert hub.dataset(REPOSITORY).private


def test_a_tag_never_moves(hub, owner, folder):
    assert owner.proofmatch("push", str(folder), REPOSITORY, "--tag", "v1.0").returncode == 0
    tags = dict(hub.dataset(REPOSITORY).tags)
    remove(folder, "discarded.parquet")
    for tag, words in (("v1.0", "tags never move"), ("main", "is a branch")):
        hub.forget_traffic()
        push = owner.proofmatch("push", str(folder), REPOSITORY, "--tag", tag)
        assert push.returncode == 2
        assert words in push.stderr
        assert not changes(hub)
        assert not hub.arrived
    assert hub.dataset(REPOSITORY).tags == tags

    assert owner.proofmatch("push", str(folder), REPOSITORY, "--tag", "v1.1").returncode == 0
    assert hub.dataset(REPOSITORY).tags == tags | {"v1.1": hub.dataset(REPOSITORY).branches["main"]}


def rows_on_disk(folder) -> dict[str, dict[str, int]]:
    rows: dict[str, dict[str, int]] = {}
    for path in (folder / "data").rglob("*.parquet"):
        rows.setdefault(path.parent.name, {})[path.name.split("-")[0]] = pq.read_metadata(path).num_rows
    return rows


def test_a_private_release_loads_by_tag_for_its_owner_only(hub, owner, stranger, folder):
    assert owner.proofmatch("push", str(folder), REPOSITORY, "--private", "--tag", "v1.0").returncode == 0
    assert hub.dataset(REPOSITORY).private
    loaded = owner.python(LOAD_ALL, REPOSITORY, "v1.0")
    assert loaded.returncode == 0, loaded.stderr
    assert json.loads(loaded.stdout) == rows_on_disk(folder)

    assert owner.token in {request.headers.get("authorization", "")[7:] for request in hub.requests}
    to_storage = [request for request in hub.requests if request.host == "storage"]
    assert {request.method for request in to_storage} == {"PUT", "GET"}
    assert not [
        request
        for request in to_storage
        if owner.token in str((request.path, request.query, request.headers))
    ]
    assert [request for request in to_storage if "range" in request.headers]

    for intruder in (stranger, replace(stranger, token=hub.add_token("eve"))):
        refused = intruder.python(LOAD_ONE, REPOSITORY)
        assert "DatasetNotFoundError" in refused.stderr
    hub.dataset(REPOSITORY).private = False
    loaded = stranger.python(LOAD_ONE, REPOSITORY)
    assert loaded.stdout.strip() == str(rows_on_disk(folder)["statements"]["test"]), loaded.stderr


def test_the_card_of_a_release_is_valid_to_the_hub(hub, stranger, folder):
    validate = "import sys; from huggingface_hub import DatasetCard; DatasetCard.load(sys.argv[1]).validate()"
    card = folder / "README.md"
    valid = stranger.python(validate, str(card))
    assert valid.returncode == 0, valid.stderr
    assert [request.path for request in hub.requests] == ["/api/validate-yaml"]
    card.write_bytes(card_with_unknown_license(folder))
    invalid = stranger.python(validate, str(card))
    assert 'ValueError: "license" must be one of' in invalid.stderr


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1_000, "1.0 kB"),
        (999_999, "1.0 MB"),
        (2_500_000_000, "2.5 GB"),
        (10**13, "10.0 TB"),
    ],
)
def test_sizes_have_a_unit_that_fits(size, words):
    assert format_size(size) == words
