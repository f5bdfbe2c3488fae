"""Splits, and the index they are made from: sizes, disjointness, independence of the order of the sources."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofmatch.builder import build_release
from proofmatch.builder.identifiers import split_key
from proofmatch.builder.release.schema import TEST, VALIDATION
from proofmatch.builder.release.splits import Index, split_by_article, split_pairs
from tests.builder.engine.test_determinism import content

# How many pairs each article has.
collections = st.lists(st.integers(1, 12), max_size=40)


def index_of(sizes: list[int], seed: int = 0) -> Index:
    pairs = [(f"article{a}", f"article{a}#{p}") for a, size in enumerate(sizes) for p in range(size)]
    table = pa.table(
        {
            "article_id": pa.array([article for article, _ in pairs], pa.string()),
            "id": pa.array([pair for _, pair in pairs], pa.string()),
            "split_key": pa.array([split_key(seed, pair) for _, pair in pairs], pa.string()),
        }
    )
    return Index(table.sort_by("split_key").combine_chunks(), [])


@given(collections)
def test_a_tenth_of_the_pairs_rounded_down_is_held_out_twice(sizes):
    assigned = split_pairs(index_of(sizes)).split
    assert np.count_nonzero(assigned == TEST) == sum(sizes) // 10
    assert np.count_nonzero(assigned == VALIDATION) == sum(sizes) // 10


@given(collections)
def test_no_article_is_in_two_splits_and_no_split_is_too_large(sizes):
    index = index_of(sizes)
    assigned = split_by_article(index, seed=0).split
    places: dict[str, set[int]] = {}
    for article, split in zip(index.column("article_id").to_pylist(), assigned.tolist(), strict=True):
        places.setdefault(article, set()).add(split)
    assert all(len(splits) == 1 for splits in places.values())
    for split in (TEST, VALIDATION):
        assert np.count_nonzero(assigned == split) <= sum(sizes) // 10


def test_with_many_articles_the_split_by_article_is_exact():
    index = index_of([1 + n % 9 for n in range(400)])
    assigned = split_by_article(index, seed=0).split
    assert np.count_nonzero(assigned == TEST) == len(index) // 10
    assert np.count_nonzero(assigned == VALIDATION) == len(index) // 10


def test_the_seed_decides():
    sizes = [5] * 40
    held_out = [
        set(np.array(index.column("id").to_pylist())[split_pairs(index).split == TEST])
        for index in (index_of(sizes, 0), index_of(sizes, 0), index_of(sizes, 1))
    ]
    assert held_out[0] == held_out[1] != held_out[2]


@pytest.fixture
def versions(articles, tmp_path):
    """Two documents of one article, the second one statement shorter."""
    text = (articles / "sample.0001.xhtml").read_text(encoding="utf-8")
    start = text.index('<div id="S2.Thmtheorem1"')
    for name, version in (("v1", text), ("v2", text[:start] + text[start:].replace("prime", "odd prime"))):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.xhtml").write_text(version, encoding="utf-8")
    return [tmp_path / "v1", tmp_path / "v2"]


def rows(release, pattern):
    return [row for path in release.glob(pattern) for row in pq.read_table(path).to_pylist()]


def test_another_version_of_an_article_is_discarded_and_named(versions, tmp_path):
    release = build_release(versions, tmp_path / "release", workers=1)
    (discarded,) = [r for r in rows(release, "discarded.parquet") if r["reason"] == "duplicate-article"]
    assert discarded["article_id"] == "sample.0001"
    assert discarded["detail"].startswith("v2.xhtml")
    assert "the same article as v1.xhtml" in discarded["detail"]
    ids = [row["id"] for row in rows(release, "data/pairs/*.parquet")]
    assert len(ids) == len(set(ids)) > 0


def test_which_version_is_kept_does_not_depend_on_the_order_of_the_sources(versions, tmp_path):
    one = content(build_release(versions, tmp_path / "one", workers=1))
    other = content(build_release(versions[::-1], tmp_path / "other", workers=2))
    tables = [name for name in one if name.startswith("data/")]
    assert [one[name] for name in tables] == [other[name] for name in tables]
