"""Tokens: symbols, words without punctuation, stems, and the parts of compound words."""

import pytest

from proofmatch.training.lexical.words import compound_parts, look_up, stem


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
def test_punctuation_alone_is_no_word(token):
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


def test_fonts_and_kinds_tell_symbols_apart():
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
