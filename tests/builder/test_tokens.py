"""Typed tokens: `kind[.font]:surface`.

Pinned here: whatever the text, tokens have no white space inside and survive being joined and split; a token
can be taken apart again; text and math never share a token; punctuation stands apart from words.
"""

import string
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofmatch.builder import math_tokens
from proofmatch.builder.linearization.fonts import MATHVARIANTS
from proofmatch.builder.linearization.presentation import surface_tokens
from proofmatch.builder.tokens import Token, math_token, parse_token, text_token, text_tokens

# Letters, signs and spaces of all kinds, where XML allows them.
XML_TEXT = st.text(
    st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff")
    | st.sampled_from(" \t\n:.")
)
SURFACES = st.text(min_size=1).filter(lambda text: text.split() == [text])
FONTS = st.none() | st.sampled_from(sorted(MATHVARIANTS))


def surfaces(text: str) -> list[str]:
    return [parse_token(token).surface for token in text_tokens(text)]


@pytest.mark.parametrize(
    ("token", "parts"),
    [
        ("t:Let", Token("t", None, "Let")),
        ("m:x", Token("m", None, "x")),
        ("m.bold:x", Token("m", "bold", "x")),
        ("m.double-struck:R", Token("m", "double-struck", "R")),
        ("m::", Token("m", None, ":")),
        ("t::", Token("t", None, ":")),
        ("m.bold::=", Token("m", "bold", ":=")),
        ("m:.", Token("m", None, ".")),
        ("m:a.b:c", Token("m", None, "a.b:c")),
    ],
)
def test_the_type_of_a_token_ends_at_the_first_colon(token, parts):
    assert parse_token(token) == parts


@pytest.mark.parametrize(
    "string", ["", ":", "x", "t", "t:", "m.bold:", ":x", "q:x", "T:x", "math:x", "m.bold"]
)
def test_a_string_that_is_no_token_is_refused_and_named(string):
    with pytest.raises(ValueError, match="is not a typed token") as caught:
        parse_token(string)
    assert repr(string) in str(caught.value)


@given(SURFACES, FONTS)
def test_parsing_undoes_typing(surface, font):
    assert parse_token(math_token(surface, font)) == Token("m", font, surface)
    assert parse_token(text_token(surface)) == Token("t", None, surface)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Let x be given.", "Let x be given ."),
        ("(see [3, Theorem 2.1])", "( see [ 3 , Theorem 2.1 ] )"),
        ("non-zero, Poincaré's", "non-zero , Poincaré's"),
        ("well‐known Poincaré’s", "well‐known Poincaré’s"),
        ("1,000.5 and 2.", "1,000.5 and 2 ."),
        ("i.e., trivially…", "i . e . , trivially …"),
        ("“so” — then: yes!?", "“ so ” — then : yes ! ?"),
        ("'quoted'", "' quoted '"),
        ("a--b", "a - - b"),
        ("E\u0301tale", "Étale"),
        ("so\u00adlu\u200bble\ufeff", "soluble"),
        ("a\u00a0b\u2003c\u2028d\x1ee", "a b c d e"),
        ("Лемма 3.", "Лемма 3 ."),
        ("∎", "∎"),
        (" \t\n", ""),
        ("", ""),
    ],
)
def test_punctuation_stands_apart_from_words(text, expected):
    assert surfaces(text) == expected.split()


@given(st.text())
def test_a_text_token_is_one_word_or_one_sign(text):
    for surface in surfaces(text):
        assert len(surface) == 1 or (surface[0].isalnum() or surface[0] == "_" or surface[0].isnumeric())


@given(st.text(string.printable))
def test_no_printable_character_gets_lost(text):
    assert "".join(surfaces(text)) == "".join(text.split())


@given(st.text())
def test_text_tokens_survive_joining_and_splitting(text):
    tokens = text_tokens(text)
    assert " ".join(tokens).split() == list(tokens)
    assert all(not character.isspace() for token in tokens for character in token)


@given(st.text(), FONTS)
def test_there_is_a_token_for_each_word_of_a_leaf(text, font):
    tokens = surface_tokens(text, font).split()
    assert [math_token(*reversed(parse_token(token)[1:])) for token in tokens] == tokens
    assert len(tokens) == len(text.split())


@given(
    XML_TEXT, XML_TEXT, st.sampled_from(["mi", "mo", "mn", "mtext"]), st.sampled_from(sorted(MATHVARIANTS))
)
def test_tokens_of_a_formula_survive_joining_and_splitting(first, second, leaf, font):
    tokens = math_tokens(
        f'<math><{leaf} mathvariant="{font}">{escape(first)}</{leaf}><mi>{escape(second)}</mi></math>'
    )
    assert " ".join(tokens).split() == tokens
    assert len(tokens) == len(first.split()) + len(second.split())
    for token in tokens:
        kind, own_font, surface = parse_token(token)
        assert (kind, own_font) != ("t", font)
        assert math_token(surface, own_font) == token


@given(XML_TEXT)
def test_text_and_math_vocabularies_never_meet(text):
    in_text, in_math = text_tokens(text), math_tokens(f"<math><mtext>{escape(text)}</mtext></math>")
    assert {parse_token(token).kind for token in in_text} <= {"t"}
    assert {parse_token(token).kind for token in in_math} <= {"m"}
    assert set(in_text).isdisjoint(in_math)
