"""The card of a release: valid metadata for the Hub, and numbers that are the release's own."""

import json

import pyarrow.parquet as pq
import pytest
from huggingface_hub import DatasetCard


@pytest.fixture(scope="module")
def card(release) -> DatasetCard:
    return DatasetCard.load(str(release / "README.md"))


def test_metadata_names_every_configuration_and_its_files(card, release):
    configs = {config["config_name"]: config for config in card.data.to_dict()["configs"]}
    assert set(configs) == {path.name for path in (release / "data").iterdir()}
    assert [name for name, config in configs.items() if config.get("default")] == ["pairs"]
    for config in configs.values():
        for files in config["data_files"]:
            assert list(release.glob(files["path"]))


def test_sizes_in_the_metadata_are_exact(card, release):
    for info in card.data.to_dict()["dataset_info"]:
        folder = release / "data" / info["config_name"]
        for split in info["splits"]:
            tables = [pq.read_table(path) for path in folder.glob(f"{split['name']}-*.parquet")]
            assert split["num_examples"] == sum(table.num_rows for table in tables)
        assert info["download_size"] == sum(path.stat().st_size for path in folder.iterdir())


def test_numbers_in_the_text_come_from_the_statistics(card, release):
    statistics = json.loads((release / "stats.json").read_text(encoding="utf-8"))
    assert f"{statistics['pairs']['kept']:,} mathematical statements" in card.text
    assert f"{statistics['documents']['with_pairs']:,} articles" in card.text
