"""Hashes: the same everywhere and for ever, as vocabularies on disk are made of them."""

import warnings

import numpy as np

from proofmatch.training.lexical.hashing import combine, hash_text


def array(*numbers):
    return np.array(numbers, dtype=np.uint64)


def test_hashes_do_not_change():
    assert hash_text("m:x") == 0xCF1E2B6BB5152037
    assert hash_text("") == 0xB4B2797457A0A6E4
    assert combine(array(1, 2**64 - 1), array(2, 2**64 - 1)).tolist() == [
        0xFC968DCC5C3367BA,
        0xA45C53F1DB29BC92,
    ]


def test_the_order_of_a_pair_matters():
    assert combine(array(1), array(2)) != combine(array(2), array(1))


def test_one_hash_can_be_combined_with_many():
    left = array(1, 2, 3)
    assert np.array_equal(combine(left, np.uint64(7)), combine(left, array(7, 7, 7)))
    assert left.tolist() == [1, 2, 3]


def test_arithmetic_beyond_64_bits_is_silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        combine(array(2**64 - 1), np.uint64(2**64 - 1))
        combine(np.uint64(2**64 - 1), np.uint64(2**64 - 1))
        assert len(combine(array(), array())) == 0


def test_few_pairs_meet():
    left, right = np.divmod(np.arange(250_000, dtype=np.uint64), np.uint64(500))
    assert len(np.unique(combine(left, right) >> np.uint64(4))) == 250_000


def test_half_of_a_surrogate_pair_can_be_hashed():
    assert hash_text("t:\ud835") != hash_text("t:?")
