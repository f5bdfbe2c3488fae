"""Features: those that a plain loop finds, at the same places, with names and with stable hashes."""

import random
import warnings

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofmatch.builder.variants.renaming import SYMBOLS, rename_proof_tokens
from proofmatch.errors import ProofmatchError
from proofmatch.training.lexical.explanation import NamedFeature, feature_names
from proofmatch.training.lexical.features import (
    GROUPS,
    combine,
    compound_parts,
    group_numbers,
    hash_text,
    look_up,
    occurrences,
    stem,
)
from tests.training.lexical.plain import plain_features

TEXT = [
    "t:Let",
    "m.bold:X",
    "m:→",
    "m:Y",
    "t:be",
    "t:smooth",
    "t:,",
    "t:Smooth-local",
    "t:(",
    "m:f",
    "t:morphisms",
]

TOKENS = st.sampled_from(
    [
        "m:x",
        "m:y",
        "m:X",
        "m.bold:x",
        "m.double-struck:R",
        "m:ξ",
        "m:+",
        "m:(",
        "t:Let",
        "t:let",
        "t:lets",
        "t:,",
        "t:smooth-local",
        "t:p-adic",
        "t:(",
        "t:Morphisms.",
    ]
)
TEXTS = st.lists(st.none() | st.lists(TOKENS, max_size=12), max_size=6)


def column(texts):
    return pa.array(texts, pa.list_(pa.string()))


def found(tokens, group, input="both"):
    """List the features of a group as a reader sees them, with their places."""
    names = feature_names(tokens, (group,), input)
    return sorted((span, feature.surface) for feature in names.values() for span in feature.spans)


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        ("math-1", [((1, 2), "X"), ((2, 3), "→"), ((3, 4), "Y"), ((9, 10), "f")]),
        ("math-2", [((1, 3), "X →"), ((2, 4), "→ Y")]),
        ("math-3", [((1, 4), "X → Y")]),
        ("math-4", []),
        ("math-run", [((1, 4), "X → Y")]),
        (
            "word",
            [
                ((0, 1), "let"),
                ((4, 5), "be"),
                ((5, 6), "smooth"),
                ((7, 8), "smooth-local"),
                ((10, 11), "morphisms"),
            ],
        ),
        (
            "stem",
            [
                ((0, 1), "let"),
                ((4, 5), "be"),
                ((5, 6), "smooth"),
                ((7, 8), "local"),
                ((7, 8), "smooth"),
                ((7, 8), "smooth-local"),
                ((10, 11), "morphisms"),
            ],
        ),
        (
            "stem-2",
            [
                ((0, 5), "let be"),
                ((4, 6), "be smooth"),
                ((5, 8), "smooth smooth-local"),
                ((7, 11), "smooth-local morphisms"),
            ],
        ),
        ("border", [((0, 2), "let X"), ((3, 5), "Y be"), ((9, 11), "f morphisms")]),
        ("shape-1", [((1, 2), "□"), ((2, 3), "→"), ((3, 4), "□"), ((9, 10), "□")]),
        ("shape-2", [((1, 3), "□ →"), ((2, 4), "→ □")]),
        ("shape-3", [((1, 4), "□ → △")]),
        ("shape-word-2", [((0, 2), "let □"), ((3, 5), "□ be"), ((9, 11), "□ morphisms")]),
        ("shape-word-3", [((0, 3), "let □ →"), ((2, 5), "→ □ be")]),
    ],
)
def test_features_of_a_text(group, expected):
    assert found(TEXT, group) == expected


def test_tokens_outside_the_input_are_dropped_first():
    assert found(TEXT, "math-run", "math") == [((1, 10), "X → Y f")]
    assert found(TEXT, "math-4", "math") == [((1, 10), "X → Y f")]
    assert found(TEXT, "border", "math") == found(TEXT, "word", "math") == []
    assert found(TEXT, "math-1", "text") == found(TEXT, "border", "text") == []
    assert found(TEXT, "stem-2", "text") == found(TEXT, "stem-2")


def shapes(*tokens):
    return {
        (group, int(feature))
        for group, found in occurrences(column([list(tokens)])).items()
        if group.startswith("shape")
        for feature in found.hashes
    }


def test_shapes_do_not_see_the_names_of_variables():
    arrow = shapes("m:f", "m::", "m:X", "m:→", "m:Y", "t:is")
    assert arrow == shapes("m:g", "m::", "m:A", "m:→", "m:B", "t:is")
    assert arrow != shapes("m:g", "m::", "m:A", "m:→", "m:A", "t:is")  # one variable twice
    assert arrow != shapes("m:φ", "m::", "m:A", "m:→", "m:B", "t:is")  # another alphabet
    assert arrow != shapes("m:g", "m::", "m.bold:A", "m:→", "m:B", "t:is")  # another font
    assert shapes("m.double-struck:R") != shapes("m.double-struck:C")  # names of sets, not variables


@pytest.mark.parametrize("symbols", SYMBOLS)
@given(proof=st.lists(TOKENS, max_size=12), statement=st.lists(TOKENS, max_size=6), seed=st.integers(0, 99))
def test_a_renamed_proof_has_the_same_shapes(symbols, proof, statement, seed):
    rng = random.Random(seed)  # noqa: S311 - no secret
    assert shapes(*rename_proof_tokens(statement, proof, symbols, rng)) == shapes(*proof)


def test_a_named_feature_has_all_its_spans():
    (feature,) = [one for one in feature_names(TEXT, ("stem",)).values() if one.surface == "smooth"]
    assert feature == NamedFeature("stem", "smooth", [(5, 6), (7, 8)])


def test_hashes_of_features_do_not_change():
    hashes = {
        group: int(np.bitwise_xor.reduce(one.hashes)) for group, one in occurrences(column([TEXT])).items()
    }
    assert hashes == {
        "math-1": 0x029204B93031FD60,
        "math-2": 0xF1B499C1C3AD2040,
        "math-3": 0x6BE12D7FE7AE1202,
        "math-4": 0x0000000000000000,
        "math-run": 0xBE59AA1396BDAE64,
        "word": 0x30FAE18725CE7505,
        "stem": 0x5DD0069548E549C6,
        "stem-2": 0xD1104E69175707C0,
        "border": 0x9CF821EE6AC6FD88,
        "shape-1": 0x59C5A0143E8031A0,
        "shape-2": 0x629B90BA65E0C020,
        "shape-3": 0xB86411BDCB7DB60B,
        "shape-4": 0x0000000000000000,
        "shape-5": 0x0000000000000000,
        "shape-word-2": 0xEF3B1869C010B9EE,
        "shape-word-3": 0x4CAB3452C6D0A600,
    }


@pytest.mark.parametrize("input", ["both", "text", "math"])
@given(texts=TEXTS)
def test_features_are_those_of_a_plain_loop(texts, input):
    names, seen = {}, []
    for group, one in occurrences(column(texts), GROUPS, input).items():
        assert (group_numbers(one.hashes) == GROUPS.index(group)).all()
        seen += zip(
            one.rows.tolist(),
            one.hashes.tolist(),
            one.begins.tolist(),
            one.ends.tolist(),
            strict=True,
        )
    expected = [
        (row, plain.group, plain.what, plain.begin, plain.end)
        for row, text in enumerate(texts)
        for plain in plain_features(text or [], input)
    ]
    # One hash for each feature and one feature for each hash, found by group and place.
    by_place = {}
    for row, feature, begin, end in seen:
        group = GROUPS[feature & 31]
        by_place.setdefault((row, group, begin, end), []).append(feature)
    for row, group, what, begin, end in expected:
        feature = by_place[row, group, begin, end].pop(0)  # parts of a compound are in their order
        assert names.setdefault((group, what), feature) == feature
    assert not any(by_place.values())
    assert len(set(names.values())) == len(names)


@given(texts=TEXTS)
def test_features_do_not_depend_on_other_texts(texts):
    together = occurrences(column(texts))
    for row, text in enumerate(texts):
        for group, alone in occurrences(column([text])).items():
            ours = together[group].rows == row
            assert np.array_equal(together[group].hashes[ours], alone.hashes)
            assert np.array_equal(together[group].begins[ours], alone.begins)


@pytest.mark.parametrize(
    "texts",
    [
        column([]),
        column([[], None]),
        column([[None]]),
        pa.array([[], None]),
        column([TEXT]).slice(1),
    ],
)
@pytest.mark.parametrize("input", ["both", "text", "math"])
def test_there_may_be_nothing(texts, input):
    for one in occurrences(texts, GROUPS, input).values():
        assert len(one.rows) == len(one.hashes) == len(one.begins) == len(one.ends) == 0
        assert one.hashes.dtype == np.uint64


def test_a_missing_token_separates_its_neighbours():
    assert not len(occurrences(column([["m:x", None, "m:y"]]))["math-2"].hashes)


def test_only_requested_groups_are_returned():
    assert list(occurrences(column([TEXT]), ("word", "math-2"))) == ["word", "math-2"]


def test_large_lists_are_lists():
    large = pa.array([TEXT], pa.large_list(pa.large_string()))
    for group, one in occurrences(large).items():
        assert np.array_equal(one.hashes, occurrences(column([TEXT]))[group].hashes)


def test_unknown_groups_and_inputs_are_refused():
    with pytest.raises(ProofmatchError, match="both, text, math, not 'words'"):
        occurrences(column([]), GROUPS, "words")
    with pytest.raises(ProofmatchError, match=r"math-1, .* not 'math-9'"):
        occurrences(column([]), ("math-9",))


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


def test_hashes_of_pairs_do_not_collide():
    left, right = np.divmod(np.arange(250_000, dtype=np.uint64), np.uint64(500))
    assert len(np.unique(combine(left, right) >> np.uint64(5))) == 250_000


def test_lone_surrogates_can_be_hashed():
    assert hash_text("t:\ud835") != hash_text("t:?")


@pytest.mark.parametrize(
    ("token", "word"),
    [
        ("t:Smooth", "smooth"),
        ("t:(smooth),", "smooth"),
        ("t:“Smooth…”", "smooth"),
        ("t:Galois’", "galois"),
        ("t:—so", "so"),
        ("t:don't", "don't"),
        ("t:3.1.", "3.1"),
        ("t:a:b", "a:b"),
    ],
)
def test_a_word_is_in_lower_case_without_punctuation_at_its_edges(token, word):
    looked_up = look_up(token)
    assert (looked_up.surface, looked_up.is_word, looked_up.is_math) == (word, True, False)


@pytest.mark.parametrize("token", ["t:.", "t:—", "t:”),", "t:", "t::", "", None])
def test_punctuation_alone_is_not_a_word(token):
    looked_up = look_up(token)
    assert not looked_up.is_word
    assert not looked_up.is_math
    assert looked_up.hash == looked_up.word == looked_up.stem == 0


@pytest.mark.parametrize(
    ("token", "surface"), [("m:x", "x"), ("m.bold:x", "x"), ("m::", ":"), ("m:X,", "X,")]
)
def test_a_symbol_stays_as_it_is(token, surface):
    looked_up = look_up(token)
    assert (looked_up.surface, looked_up.is_word, looked_up.is_math) == (surface, False, True)


def test_symbols_differ_by_font_and_type():
    assert len({look_up(token).hash for token in ("m:x", "m.bold:x", "m:X", "t:x")}) == 4


def test_words_with_one_stem_share_it():
    one, other, capital = map(look_up, ("t:morphism", "t:morphisms", "t:Morphism."))
    assert one.stem == other.stem == capital.stem
    assert one.word == capital.word != other.word
    assert one.stem != one.word


def test_stems_are_those_of_english():
    assert [stem(word) for word in ("schemes", "smoothness", "dying", "x")] == [
        "scheme",
        "smooth",
        "die",
        "x",
    ]


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("spaces-morphisms-lemma-smooth-local", ("spaces", "morphisms", "lemma", "smooth", "local")),
        ("p-adic", ("adic",)),
        ("and/or", ("and", "or")),
        ("hodge–tate", ("hodge", "tate")),
        ("a--b", ()),
        ("smooth", ()),
    ],
)
def test_compounds_have_parts_longer_than_a_letter(word, parts):
    assert compound_parts(word) == parts
    looked_up = look_up(f"t:{word}")
    assert looked_up.parts == parts
    assert looked_up.part_stems == tuple(look_up(f"t:{part}").stem for part in parts)
