"""Releases of very few pairs, or none."""

import pytest
from datasets import load_dataset

from proofmatch.builder import build_release
from proofmatch.errors import ProofmatchError


@pytest.mark.parametrize("config", ["pairs", "statements", "proofs_by_article"])
def test_a_release_whose_test_split_is_empty_still_loads(articles, tmp_path, config):
    release = build_release(articles / "sample.0001.xhtml", tmp_path / "release", workers=1)
    splits = load_dataset(str(release), config, cache_dir=str(tmp_path / "cache"))
    assert list(splits) == ["train"]
    assert len(splits["train"]) > 0


def test_sources_of_which_no_pair_is_kept_are_an_error_that_says_why(articles, tmp_path):
    with pytest.raises(ProofmatchError, match=r"no pair was kept of 6 found in the 1 documents"):
        build_release(articles / "sample.0016.xhtml", tmp_path / "release", workers=1)
    assert not (tmp_path / "release" / ".build").exists()


def test_without_language_filter_the_french_article_is_kept(articles, tmp_path):
    release = build_release(articles / "sample.0016.xhtml", tmp_path / "release", detector="none", workers=1)
    pairs = load_dataset(str(release), split="train", cache_dir=str(tmp_path / "cache"))
    assert set(pairs["article_id"]) == {"sample.0016"}
