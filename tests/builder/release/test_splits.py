"""Splits: sizes, disjointness, and independence of everything but the ids and the seed."""

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from proofmatch.builder.identifiers import split_key
from proofmatch.builder.release.schema import TEST, VALIDATION
from proofmatch.builder.release.splits import Index, split_by_article, split_pairs

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
