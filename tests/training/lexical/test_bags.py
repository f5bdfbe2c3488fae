"""Bags: each feature once, in order, however texts are cut into chunks; kept in a cache that may fail."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofmatch.errors import ProofmatchError
from proofmatch.progress import Progress
from proofmatch.ragged import Ragged
from proofmatch.training.lexical import bags
from proofmatch.training.lexical.bags import BAG, cached_features, count_features
from proofmatch.training.lexical.features import GROUPS
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
def test_chunks_make_no_difference(monkeypatch, chunk):
    texts = column([TEXT[start:] for start in range(len(TEXT) + 1)] + [None, TEXT])
    whole = count_features(texts)
    monkeypatch.setattr(bags, "TEXTS_AT_ONCE", chunk)
    parts = count_features(texts)
    assert np.array_equal(parts.values, whole.values)
    assert np.array_equal(parts.starts, whole.starts)
    assert np.array_equal(parts[0], parts[len(parts) - 1])


def test_equal_features_of_neighbouring_texts_are_apart():
    counted = count_features(column([["m:x"], [], ["m:x"], ["m:x", "m:x"]]), ("math-1",))
    assert counted.lengths.tolist() == [1, 0, 1, 1]
    assert counted.values["count"].tolist() == [1, 1, 2]


def test_counts_stop_at_what_16_bits_can_hold():
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


def test_progress_advances_once_a_chunk(monkeypatch):
    monkeypatch.setattr(bags, "TEXTS_AT_ONCE", 2)
    advanced = []
    monkeypatch.setattr(Progress, "advance", lambda _: advanced.append(1))
    count_features(column([TEXT] * 5), progress=Progress("counting", "parts"))
    assert len(advanced) == 3


def counted_once(texts=None):
    """Make bags, and remember how often."""
    calls = []

    def make():
        calls.append(1)
        return count_features(column([TEXT, []]) if texts is None else texts)

    return make, calls


def same(one: Ragged, other: Ragged):
    return np.array_equal(one.values, other.values) and np.array_equal(one.starts, other.starts)


@pytest.mark.parametrize("texts", [column([TEXT, []]), column([])])
def test_the_second_time_bags_come_from_the_cache(cache, texts):
    make, calls = counted_once(texts)
    first, second = cached_features("key", make), cached_features("key", make)
    assert len(calls) == len(list(cache.iterdir())) == 1
    assert same(first, second)
    assert second.values.dtype == BAG


def test_other_keys_and_versions_have_bags_of_their_own(cache, monkeypatch):
    make, calls = counted_once()
    cached_features("key", make)
    cached_features("other", make)
    monkeypatch.setattr(bags, "FEATURES_VERSION", 0)
    cached_features("key", make)
    assert len(calls) == len(list(cache.iterdir())) == 3


@pytest.mark.parametrize(
    "damage", ["empty", "zip", "cut", "first only", "vectors", "ends elsewhere", "falls", "pickle"]
)
def test_a_damaged_cache_is_made_anew(cache, damage):
    make, calls = counted_once()
    expected = cached_features("key", make)
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
    assert same(cached_features("key", make), expected)
    assert len(calls) == 2
    assert path.read_bytes() == whole


def test_a_cache_that_cannot_be_written_is_no_failure(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    make, calls = counted_once()
    assert same(cached_features("key", make), cached_features("key", make))
    assert len(calls) == 2
