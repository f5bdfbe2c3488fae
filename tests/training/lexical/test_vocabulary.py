"""Vocabularies: frequencies are those of a recount, and what is unknown stays itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofmatch.ragged import Ragged
from proofmatch.training.lexical.bags import BAG
from proofmatch.training.lexical.vocabulary import count_vocabulary

# Features that are negative, huge, and next to each other but for the bits of their groups.
HASHES = [-(2**63), -(2**62) - 16, -33, -16, 0, 16, 48, 2**62 + 32, 2**63 - 1]
TEXT = st.lists(st.sampled_from(HASHES), unique=True, max_size=len(HASHES))
PAIRS = st.lists(st.tuples(TEXT, TEXT), max_size=8)


def bags_of(texts):
    """Texts as bags, each feature once and in order; its count and group tell which one it was."""
    words = np.zeros(sum(map(len, texts)), dtype=BAG)
    words["feature"] = np.array([one for text in texts for one in sorted(text)], dtype=np.int64)
    words["count"] = words["group"] = [1 + HASHES.index(one) for one in words["feature"].tolist()]
    return Ragged(words, np.cumsum([0, *map(len, texts)]))


def known(vocabulary):
    return dict(zip(vocabulary.hashes.tolist(), vocabulary.frequencies.tolist(), strict=True))


def recount(texts, min_frequency):
    counts = {feature: sum(feature in text for text in texts) for feature in HASHES}
    return {feature: count for feature, count in counts.items() if count >= max(1, min_frequency)}


@given(pairs=PAIRS, min_frequency=st.integers(1, 4))
def test_frequencies_are_numbers_of_texts(pairs, min_frequency):
    statements, proofs = [one for one, _ in pairs], [one for _, one in pairs]
    vocabulary = count_vocabulary([bags_of(statements), bags_of(proofs)], min_frequency)
    assert known(vocabulary) == recount([*statements, *proofs], min_frequency)
    assert (vocabulary.hashes[1:] > vocabulary.hashes[:-1]).all()
    assert vocabulary.groups.tolist() == [1 + HASHES.index(one) for one in vocabulary.hashes.tolist()]
    assert vocabulary.n_texts == 2 * len(pairs)


@given(counted=PAIRS, asked=TEXT, min_frequency=st.integers(1, 4))
def test_what_is_known_has_its_place_and_frequency_and_the_rest_none(counted, asked, min_frequency):
    sides = [bags_of([pair[side] for pair in counted]) for side in (0, 1)]
    vocabulary = count_vocabulary(sides, min_frequency)
    given_ = bags_of([asked, asked])
    before = given_.values.copy()
    found = vocabulary.look_up(given_)
    assert np.array_equal(given_.values, before)
    assert np.array_equal(found.values[["count", "group"]], before[["count", "group"]])
    expected = known(vocabulary)
    for entry, feature in zip(found[0], sorted(asked), strict=True):
        assert entry["frequency"] == expected.get(feature, 0)
        if feature in expected:
            assert vocabulary.hashes[entry["feature"]] == feature
        else:
            assert entry["feature"] < 0
    # All are told apart, and each is the same wherever it is.
    assert len(set(found[0]["feature"].tolist())) == len(asked)
    assert np.array_equal(found[0], found[1])


@given(pairs=PAIRS, min_frequency=st.integers(1, 3))
def test_pairs_are_looked_up_as_if_they_had_not_been_counted(pairs, min_frequency):
    sides = [[pair[side] for pair in pairs] for side in (0, 1)]
    vocabulary = count_vocabulary([bags_of(side) for side in sides], min_frequency)
    kept = known(vocabulary)
    found = vocabulary.look_up_pairs(*(bags_of(side) for side in sides))
    plain = [vocabulary.look_up(bags_of(side)) for side in sides]
    for side in (0, 1):
        assert np.array_equal(found[side].values["feature"], plain[side].values["feature"])
        for number in range(len(pairs)):
            others = [text for pair in (*pairs[:number], *pairs[number + 1 :]) for text in pair]
            for entry, feature in zip(found[side][number], sorted(sides[side][number]), strict=True):
                rest = sum(feature in text for text in others)
                assert entry["frequency"] == (rest if feature in kept else 0)


def test_unknown_features_are_the_same_on_both_sides_and_distinct_from_each_other():
    vocabulary = count_vocabulary([bags_of([[0], [0]])], 2)
    statement, proof = (
        vocabulary.look_up(bags_of([text])).values["feature"] for text in (HASHES, HASHES[3:])
    )
    assert set(proof.tolist()) < set(statement.tolist())
    assert len(set(statement.tolist())) == len(HASHES)
    assert (statement >= 0).sum() == 1


@pytest.mark.parametrize("texts", [[], [[], []], [[16], [48]]])
def test_a_vocabulary_may_be_empty(texts):
    vocabulary = count_vocabulary([bags_of(texts), bags_of(texts)], 5)
    assert len(vocabulary.hashes) == len(vocabulary.frequencies) == len(vocabulary.groups) == 0
    found = vocabulary.look_up_pairs(bags_of([[0, 16], []]), bags_of([[16], [48]]))
    assert (found[0].values["feature"] < 0).all()
    assert found[0].values["frequency"].tolist() == [0, 0]
    assert found[0][0]["feature"][1] == found[1][0]["feature"][0]
