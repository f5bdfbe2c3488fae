"""Bags and vocabularies: features counted once per text, cached, and looked up with the right frequencies."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofmatch.errors import ProofmatchError
from proofmatch.progress import Progress
from proofmatch.ragged import Ragged
from proofmatch.training.lexical import vocabulary
from proofmatch.training.lexical.features import GROUPS
from proofmatch.training.lexical.vocabulary import (
    BAG,
    FeatureReader,
    count_features,
    count_vocabulary,
    read_features,
)
from tests.training.lexical.plain import plain_counts
from tests.training.lexical.test_features import TEXT, TEXTS, column


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "proofmatch"


def test_features_are_counted():
    bag = count_features(column([["m:x", "t:Let", "m:x"]]), ("word", "math-1", "border"))[0]
    assert bag.dtype == BAG
    assert sorted(zip(bag["group"].tolist(), bag["count"].tolist(), strict=True)) == [
        (0, 1),
        (1, 2),
        (2, 1),
        (2, 1),
    ]
    assert (bag["frequency"] == 0).all()


@given(texts=TEXTS, input=st.sampled_from(["both", "text", "math"]))
def test_counts_are_those_of_a_plain_loop(texts, input):
    counted = count_features(column(texts), GROUPS, input)
    assert len(counted) == len(texts)
    for number, text in enumerate(texts):
        bag = counted[number]
        assert (bag["feature"][1:] > bag["feature"][:-1]).all()
        expected = plain_counts(text or [], input)
        assert sorted(zip(bag["group"].tolist(), bag["count"].tolist(), strict=True)) == sorted(
            (GROUPS.index(group), count) for (group, _), count in expected.items()
        )


@pytest.mark.parametrize("chunk", [1, 2, 3, 100])
def test_the_batch_size_makes_no_difference(monkeypatch, chunk):
    texts = column([TEXT[start:] for start in range(len(TEXT) + 1)] + [None, TEXT])
    whole = count_features(texts)
    monkeypatch.setattr(vocabulary, "_TEXTS_AT_ONCE", chunk)
    parts = count_features(texts)
    assert np.array_equal(parts.values, whole.values)
    assert np.array_equal(parts.starts, whole.starts)
    assert np.array_equal(parts[0], parts[len(parts) - 1])


def test_equal_features_of_adjacent_texts_are_counted_separately():
    counted = count_features(column([["m:x"], [], ["m:x"], ["m:x", "m:x"]]), ("math-1",))
    assert counted.lengths.tolist() == [1, 0, 1, 1]
    assert counted.values["count"].tolist() == [1, 1, 2]


def test_counts_are_clipped_to_16_bits():
    (entry,) = count_features(column([["m:x"] * 70_000]), ("math-1",))[0]
    assert entry["count"] == 65_535


@pytest.mark.parametrize("texts", [column([]), column([[], None]), pa.array([[]])])
def test_there_may_be_nothing(texts):
    counted = count_features(texts)
    assert len(counted) == len(texts)
    assert counted.values.dtype == BAG
    assert len(counted.values) == 0
    assert counted.starts.tolist() == [0] * (len(texts) + 1)


def test_there_may_be_no_groups():
    assert count_features(column([TEXT]), ()).lengths.tolist() == [0]


def test_unknown_groups_and_inputs_are_refused():
    with pytest.raises(ProofmatchError):
        count_features(column([]), GROUPS, "words")
    with pytest.raises(ProofmatchError):
        count_features(column([]), ("word", "math-9"))


def test_progress_advances_once_per_batch(monkeypatch):
    monkeypatch.setattr(vocabulary, "_TEXTS_AT_ONCE", 2)
    advanced = []
    monkeypatch.setattr(Progress, "advance", lambda _: advanced.append(1))
    count_features(column([TEXT] * 5), progress=Progress("counting", "parts"))
    assert len(advanced) == 3


@pytest.fixture
def calls(monkeypatch):
    """How often features are counted."""
    calls = []
    monkeypatch.setattr(
        vocabulary, "count_features", lambda *arguments: calls.append(1) or count_features(*arguments)
    )
    return calls


def read(texts=None, origin="origin", groups=GROUPS):
    return read_features(column([TEXT, []]) if texts is None else texts, origin, groups, "both")


def same(one: Ragged, other: Ragged):
    return np.array_equal(one.values, other.values) and np.array_equal(one.starts, other.starts)


@pytest.mark.parametrize("texts", [column([TEXT, []]), column([])])
def test_the_second_time_bags_come_from_the_cache(cache, calls, texts):
    first, second = read(texts), read(texts)
    assert len(calls) == len(list(cache.iterdir())) == 1
    assert same(first, second)
    assert second.values.dtype == BAG


@pytest.mark.usefixtures("cache")
def test_without_an_origin_nothing_is_cached(calls):
    assert same(read(origin=None), read(origin=None))
    assert len(calls) == 2


def test_other_origins_groups_and_versions_have_their_own_cache(cache, calls, monkeypatch):
    read()
    read(origin="other")
    read(groups=("word",))
    monkeypatch.setattr(vocabulary, "FEATURES_VERSION", 0)
    read()
    assert len(calls) == len(list(cache.iterdir())) == 4


@pytest.mark.parametrize(
    "damage", ["empty", "zip", "cut", "first only", "vectors", "ends elsewhere", "falls", "pickle"]
)
def test_a_damaged_cache_is_replaced(cache, calls, damage):
    stored = read()
    expected = Ragged(stored.values.copy(), stored.starts.copy())  # not mapped from the file to be damaged
    (path,) = cache.iterdir()
    whole = path.read_bytes()
    arrays = {
        "first only": [expected.values],
        "vectors": [np.zeros((3, 4), dtype=np.float32), expected.starts],
        "ends elsewhere": [expected.values, expected.starts + np.array([0, 0, 1])],
        "falls": [expected.values, np.array([0, len(expected.values) + 1, len(expected.values)])],
        "pickle": [expected.values.astype(object), expected.starts],
    }
    if damage in arrays:
        with path.open("wb") as file:
            for array in arrays[damage]:
                np.save(file, array)
    else:
        path.write_bytes({"empty": b"", "zip": b"PK\x03\x04", "cut": whole[:-5]}[damage])
    assert same(read(), expected)
    assert len(calls) == 2
    assert path.read_bytes() == whole


def test_an_unwritable_cache_is_ignored(tmp_path, calls, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert same(read(), read())
    assert len(calls) == 2


# Features that are negative, huge, and next to each other but for the bits of their groups.
HASHES = [-(2**63), -(2**62) - 16, -33, -16, 0, 16, 48, 2**62 + 32, 2**63 - 1]
BAG_OF_HASHES = st.lists(st.sampled_from(HASHES), unique=True, max_size=len(HASHES))
PAIRS = st.lists(st.tuples(BAG_OF_HASHES, BAG_OF_HASHES), max_size=8)


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


@given(counted=PAIRS, asked=BAG_OF_HASHES, min_frequency=st.integers(1, 4))
def test_known_features_have_an_index_and_a_frequency_and_unknown_ones_do_not(counted, asked, min_frequency):
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
def test_frequencies_of_training_pairs_exclude_the_pair(pairs, min_frequency):
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


def test_frequencies_count_the_candidates_but_for_the_text_itself():
    words = ("word",)
    vocabulary = count_vocabulary([count_features(column([["t:ring"]] * 4 + [["t:field"]] * 5), words)], 2)
    reader = FeatureReader(vocabulary, words, "both", candidate_weight=3)
    candidates = column([["t:ring", "t:graph"], ["t:graph"], ["t:graph", "t:once"]])
    assert vocabulary.n_texts == 9
    read = reader.with_candidates(lambda: [(candidates, None)]).read(candidates)
    # A candidate counts three times, so 9 texts and 3 candidates are scaled down from 18 to 9.
    frequencies = [sorted(text["frequency"].tolist()) for text in (read[0], read[1], read[2])]
    assert frequencies == [[2, 3], [3], [0, 3]]
    plain = reader.read(candidates)
    assert np.array_equal(read.values["feature"], plain.values["feature"])
    assert sorted(plain[0]["frequency"].tolist()) == [0, 4]


@given(TEXTS, st.integers(1, 5))
def test_candidates_can_be_counted_in_parts(texts, size):
    vocabulary = count_vocabulary([count_features(column(texts[::2]))], 1)
    reader = FeatureReader(vocabulary, GROUPS, "both", candidate_weight=1)
    parts = [(column(texts[start : start + size]), None) for start in range(0, len(texts), size)]
    whole, in_parts = (
        reader.with_candidates(lambda columns=columns: columns).read(column(texts))
        for columns in ([(column(texts), None)], parts)
    )
    assert np.array_equal(whole.values, in_parts.values)


def test_candidates_are_counted_once_if_they_have_a_name(cache, calls):
    vocabulary = count_vocabulary([count_features(column([TEXT, TEXT]))], 1)
    reader = FeatureReader(vocabulary, GROUPS, "both", candidate_weight=0.5)
    texts = column([TEXT, TEXT])
    found = [reader.with_candidates(lambda: [(texts, None)], "candidates").read(texts) for _ in range(2)]
    assert np.array_equal(found[0].values, found[1].values)
    assert len(calls) == 3  # the candidates once, and the texts that are read each time
    assert list(cache.iterdir())
