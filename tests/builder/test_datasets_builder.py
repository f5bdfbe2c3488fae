"""The builder for users of `datasets`: the same rows as `proofmatch build`, prepared by `datasets`."""

import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from datasets import GeneratorBasedBuilder, load_dataset
from datasets.exceptions import DatasetGenerationError

from proofmatch import __version__
from proofmatch.builder import ProofMatchBuilder, import_published
from proofmatch.builder.release.schema import CONFIGS, ROW_GROUP
from proofmatch.errors import ProofmatchError
from tests.builder.engine.killing import copy_many_times
from tests.builder.published_corpus import write_corpus

NAMES = [config.name for config in CONFIGS]


def rows_of(release, config, split):
    files = sorted(release.glob(f"data/{config}/{split}-*.parquet"))
    return [row for path in files for row in pq.read_table(path).to_pylist()]


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return str(tmp_path_factory.mktemp("cache"))


def test_it_is_a_builder_of_datasets():
    assert issubclass(ProofMatchBuilder, GeneratorBasedBuilder)
    assert sorted(ProofMatchBuilder.builder_configs) == sorted([*NAMES, "match"])


@pytest.mark.parametrize("config", NAMES)
def test_rows_are_those_of_the_command(articles, release, cache, config):
    builder = ProofMatchBuilder(config_name=config, sources=str(articles), cache_dir=cache)
    builder.download_and_prepare(num_proc=2)
    prepared = builder.as_dataset()
    for split, dataset in prepared.items():
        assert dataset.to_list() == rows_of(release, config, split)
    assert prepared["train"].features == load_dataset(str(release), config, split="train").features


def test_all_configurations_share_one_build(cache):
    assert len(list((Path(cache) / "proofmatch-releases").iterdir())) == 1


def test_parquet_shards_open_with_load_dataset(articles, release, cache, tmp_path):
    builder = ProofMatchBuilder(data_dir=str(articles), cache_dir=cache, writer_batch_size=20)
    builder.download_and_prepare(str(tmp_path / "out"), file_format="parquet", max_shard_size="100KB")
    assert len(list((tmp_path / "out").glob("*-train-*.parquet"))) > 1
    loaded = load_dataset(str(tmp_path / "out"), split="train", cache_dir=cache)
    assert list(loaded["id"]) == [row["id"] for row in rows_of(release, "pairs", "train")]


def test_row_groups_are_shared_out_over_processes(articles, tmp_path):
    many = copy_many_times(articles, tmp_path / "many", copies=35)
    builder = ProofMatchBuilder(sources=[str(many)], cache_dir=str(tmp_path / "cache"))
    builder.download_and_prepare(num_proc=2)
    shards = builder.info.splits["train"].shard_lengths
    assert shards is not None
    assert shards[0] == ROW_GROUP
    assert len(shards) == 2
    (release,) = (tmp_path / "cache" / "proofmatch-releases").iterdir()
    prepared = builder.as_dataset(split="train")
    assert list(prepared["id"]) == [row["id"] for row in rows_of(release, "pairs", "train")]


def test_settings_reach_the_build(articles, cache):
    builder = ProofMatchBuilder(sources=str(articles), min_tokens=60, cache_dir=cache)
    builder.download_and_prepare()
    lengths = [len(row) for row in builder.as_dataset(split="train")["statement_tokens"]]
    assert min(lengths) >= 50


def test_changed_sources_are_prepared_anew(articles, tmp_path):
    shutil.copytree(articles, tmp_path / "articles")
    counts = []
    for _ in range(2):
        builder = ProofMatchBuilder(sources=str(tmp_path / "articles"), cache_dir=str(tmp_path / "cache"))
        builder.download_and_prepare()
        counts.append(sum(split.num_examples for split in builder.info.splits.values()))
        next((tmp_path / "articles").glob("*.xhtml")).unlink()
    assert counts[1] < counts[0]


def test_streaming_yields_the_same_rows(articles, release, cache):
    builder = ProofMatchBuilder(config_name="statements", sources=str(articles), cache_dir=cache)
    streamed = builder.as_streaming_dataset(split="test")
    assert list(streamed) == rows_of(release, "statements", "test")


def test_missing_and_unknown_arguments_are_named(cache):
    with pytest.raises((ProofmatchError, DatasetGenerationError), match="needs sources"):
        ProofMatchBuilder(cache_dir=cache).download_and_prepare()
    with pytest.raises((ProofmatchError, TypeError, ValueError), match="nonsense"):
        ProofMatchBuilder(sources="x", nonsense=1, cache_dir=cache)


def test_what_is_behind_a_url_is_read_again_on_demand(articles, tmp_path):
    shutil.copytree(articles, tmp_path / "articles")
    counts = []
    for mode in ("reuse_dataset_if_exists", "reuse_dataset_if_exists", "force_redownload"):
        builder = ProofMatchBuilder(sources=f"file://{tmp_path}/articles", cache_dir=str(tmp_path / "cache"))
        builder.download_and_prepare(download_mode=mode)
        counts.append(sum(split.num_examples for split in builder.info.splits.values()))
        next((tmp_path / "articles").glob("*.xhtml")).unlink()
    assert counts[0] == counts[1] > counts[2]


def test_the_version_is_ours(articles, cache):
    builder = ProofMatchBuilder(sources=str(articles), cache_dir=cache)
    assert str(builder.info.version) == __version__


def test_a_published_corpus_on_disk_is_imported(tmp_path):
    write_corpus(tmp_path / "published", {"train": 24, "dev": 3, "test": 3})
    release = import_published(tmp_path / "published", tmp_path / "release", workers=1)
    options = {"published": str(tmp_path / "published"), "cache_dir": str(tmp_path / "cache")}
    builder = ProofMatchBuilder(config_name="proofs_by_article", **options)
    builder.download_and_prepare()
    assert builder.as_dataset(split="train").to_list() == rows_of(release, "proofs_by_article", "train")
    again = ProofMatchBuilder(config_name="match", **options)
    assert list(again.as_streaming_dataset(split="test")) == rows_of(release, "pairs", "test")
    (tmp_path / "published/mixed/mixed_conservation_dev").touch()  # may be another file now
    changed = ProofMatchBuilder(config_name="proofs_by_article", **options)
    assert changed.cache_dir != builder.cache_dir


def test_settings_of_a_build_and_of_an_import_are_told_apart(tmp_path):
    for options in ({"sources": "x"}, {"min_tokens": 1}):
        with pytest.raises(ProofmatchError, match="leave out"):
            ProofMatchBuilder(config_name="match", cache_dir=str(tmp_path), **options)
