"""The search for near duplicates: nothing it reports is wrong, and it misses hardly anything."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofmatch.builder.checks.duplicates import RECALL, SHINGLE, SIMILAR, find_near_duplicates
from proofmatch.builder.checks.evidence import Texts, hash_rows
from proofmatch.ragged import Ragged

VOCABULARY = 50

token_lists = st.lists(st.integers(0, 3), max_size=12)  # few distinct tokens, so that texts are similar
collections = st.lists(token_lists, min_size=1, max_size=12, unique_by=tuple)


def shingle_set(tokens: list[int]) -> set[tuple[int, ...]]:
    """Shingles by definition; a text that is too short is one itself."""
    if len(tokens) < SHINGLE:
        return {tuple(tokens)}
    return {tuple(tokens[place : place + SHINGLE]) for place in range(len(tokens) - SHINGLE + 1)}


def true_similarity(one: list[int], other: list[int]) -> float:
    first, second = shingle_set(one), shingle_set(other)
    return len(first & second) / len(first | second)


def found_pairs(lists: list[list[int]]) -> dict[tuple[int, int], float]:
    near = find_near_duplicates(Ragged.from_lists(lists, np.int32))
    triples = zip(near.first.tolist(), near.second.tolist(), near.similarity.tolist(), strict=True)
    return {(one, other): similarity for one, other, similarity in triples}


@given(collections)
def test_everything_reported_is_true(lists):
    for (one, other), similarity in found_pairs(lists).items():
        assert one < other
        assert similarity == pytest.approx(true_similarity(lists[one], lists[other]))
        assert similarity >= SIMILAR


@given(st.integers(0, 2**32 - 1), st.integers(60, 300), st.integers(2, 12))
def test_planted_near_duplicates_are_found(seed, length, copies):
    random = np.random.default_rng(seed)
    originals = [random.integers(0, VOCABULARY, length).tolist() for _ in range(5)]
    lists = list(originals)
    for number in range(copies):  # one token more at the end: a similarity of more than 0.98 each
        lists.append(originals[number % 5] + [(originals[number % 5][-1] + 1 + number) % VOCABULARY])
    lists = [list(tokens) for tokens in dict.fromkeys(map(tuple, lists))]
    expected = {
        (one, other)
        for one, other in itertools.combinations(range(len(lists)), 2)
        if true_similarity(lists[one], lists[other]) >= 0.9
    }
    assert expected
    assert set(found_pairs(lists)) >= expected


def test_of_pairs_just_similar_enough_as_many_are_found_as_promised():
    random = np.random.default_rng(1)
    lists = []
    for _ in range(2000):
        tokens = random.integers(0, VOCABULARY, 200).tolist()
        cut = 19  # the first and the last tenth differ: a similarity just above 0.8
        lists += [tokens[cut:], tokens[:-cut]]
    similarities = [true_similarity(lists[place], lists[place + 1]) for place in range(0, len(lists), 2)]
    assert all(SIMILAR <= similarity < SIMILAR + 0.02 for similarity in similarities)
    share = len(found_pairs(lists)) / len(similarities)
    assert share > RECALL - 0.005


def test_thousands_of_texts_that_are_nearly_the_same_are_all_noticed():
    beginning = list(range(40))
    lists = [[*beginning, one % VOCABULARY, one // VOCABULARY] for one in range(2000)]
    noticed = {number for pair in found_pairs(lists) for number in pair}
    assert noticed == set(range(2000))


def test_short_texts_are_near_to_none():
    assert found_pairs([[], [1], [1, 2, 3, 4], [1, 2, 3, 5], [1, 2, 3, 4, 5]]) == {}
    assert found_pairs([[]]) == {}


@given(st.lists(token_lists, max_size=20))
def test_equal_texts_are_kept_once(lists):
    rows = Ragged.from_lists(lists, np.int32)
    texts = Texts()
    for part in (rows.slice(0, len(lists) // 2), rows.slice(len(lists) // 2, len(lists))):
        texts.add(hash_rows(part), part)
    assert len(texts) == len(texts.tokens) == len(set(map(tuple, lists)))
    numbers = texts.numbers_of(hash_rows(rows)).tolist()
    assert [texts.tokens[number].tolist() for number in numbers] == lists
