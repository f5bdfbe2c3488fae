"""The card of a release: valid metadata for the Hub, and numbers that agree with the release."""

import copy
import json
import re
import warnings

import pyarrow.parquet as pq
import pytest
from huggingface_hub import DatasetCard
from lxml import etree

from proofmatch.builder import build_release, import_published
from proofmatch.builder.release.assemble import card_facts
from proofmatch.builder.release.release import read_manifest
from proofmatch.dataset_card.card import render_card
from tests.builder.published_corpus import write_corpus


@pytest.fixture(scope="module")
def card(release) -> DatasetCard:
    return DatasetCard.load(str(release / "README.md"))


@pytest.fixture(scope="module")
def statistics(release):
    return json.loads((release / "stats.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def parameters(release):
    return read_manifest(release)["parameters"]


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


def test_metadata_says_what_the_hub_asks_for(card):
    data = card.data.to_dict()
    assert data["license"] == "other"
    assert data["license_name"]
    assert data["language"] == ["en"]
    assert data["task_categories"] == ["text-retrieval", "sentence-similarity"]
    assert data["size_categories"] == ["n<1K"]
    assert data["source_datasets"] == ["original"]
    assert data["pretty_name"] and data["tags"]


def test_numbers_in_the_text_come_from_the_statistics(card, statistics):
    assert f"{statistics['pairs']['kept']:,} mathematical statements" in card.text
    assert f"{statistics['documents']['with_pairs']:,} articles" in card.text
    assert f"{statistics['labels']['labelled']} statements that begin with a label" in card.text
    assert f"{statistics['pairs']['found']:,} pairs were found" in card.text


@pytest.mark.parametrize(
    "section",
    [
        "The task",
        "Configurations",
        "Splits",
        "How it was built",
        "Statistics",
        "Known limits",
        "How to evaluate",
        "Citation",
    ],
)
def test_every_section_is_there_and_not_empty(card, section):
    match = re.search(rf"^## {section}\n\n(.+?)(?=\n## |\Z)", card.text, re.MULTILINE | re.DOTALL)
    assert match and len(match[1]) > 80


def test_contamination_by_pretraining_is_among_the_limits(card):
    limits = card.text[card.text.index("## Known limits") : card.text.index("## How to evaluate")]
    bullet = next(one for one in limits.split("\n- ") if "pretrained" in one)
    for fact in ("public", "arXiv", "pretrained parts separately", "`proofmatch variant`"):
        assert fact in " ".join(bullet.split())


def test_every_heading_has_a_line_before_it(card):
    assert not re.search(r"[^\n]\n## ", card.text)


def test_figures_are_drawn_from_the_statistics(card, release, statistics):
    figures = re.findall(r"!\[[^]]+\]\((figures/[a-z_]+\.svg)\)", card.text)
    assert sorted(figures) == ["figures/categories.svg", "figures/token_lengths.svg"]
    lengths = etree.parse(release / "figures/token_lengths.svg")
    description = lengths.findtext(".//{*}desc")
    numbers = re.findall(r"([0-9,]+) (?:statements|proofs)", description)
    assert sum(int(number.replace(",", "")) for number in numbers) == 2 * statistics["pairs"]["kept"]
    words = " ".join(etree.parse(release / "figures/categories.svg").getroot().itertext())
    for row in statistics["categories"]["by_primary"][:13]:
        assert row["category"] in words


def test_what_documents_say_cannot_break_card_or_figures(statistics, parameters):
    hostile = copy.deepcopy(statistics)
    categories = hostile["categories"]["by_primary"]
    categories[0]["category"] = "</text><script>alert(1)</script>|x"
    categories[1]["category"] = "$\\frac{" + "long " * 5000 + "\x1b \N{CJK UNIFIED IDEOGRAPH-4E2D}"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        texts = dict(render_card(card_facts(hostile, [], parameters)))
    assert "<script>" not in texts["figures/categories.svg"]
    etree.fromstring(texts["figures/categories.svg"].encode())
    assert r"\|x |" in texts["README.md"]


def test_a_release_without_categories_or_labels_has_a_card_too(statistics, parameters):
    bare = copy.deepcopy(statistics)
    bare["categories"] = {"all": 0, "primary": 0, "mean_per_article": 0.0, "by_primary": []}
    bare["labels"] = {"labelled": 0, "named_in_proof": 0}
    texts = dict(render_card(card_facts(bare, [], parameters)))
    assert "figures/categories.svg" not in texts
    assert "No statement begins with a label" in texts["README.md"]


def test_the_licence_is_the_one_that_was_declared(articles, tmp_path):
    release = build_release(articles, tmp_path / "r", license="cc0-1.0", workers=1)
    card = DatasetCard.load(str(release / "README.md"))
    assert card.data.license == "cc0-1.0"
    assert "the licence `cc0-1.0`" in card.text


def test_the_card_of_an_import_says_where_pairs_and_splits_come_from(tmp_path):
    write_corpus(tmp_path / "published", {"train": 80, "dev": 10, "test": 10}, symbols="full")
    release = import_published(tmp_path / "published", tmp_path / "r", symbols="full", workers=1)
    card = DatasetCard.load(str(release / "README.md"))
    assert "The splits are the published ones." in card.text
    assert "mixed_full_train" in card.text
    assert "all variables of each proof have other names" in card.text
    assert "renamed.parquet" not in card.text
    assert card.data.to_dict()["source_datasets"] == ["extended|other"]
