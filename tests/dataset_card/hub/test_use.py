"""What was pushed can be used with `datasets`, by whom it is meant for."""

import json
from dataclasses import replace

import pyarrow.parquet as pq

from tests.dataset_card.hub.releases import REPOSITORY, card_with_unknown_license

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
