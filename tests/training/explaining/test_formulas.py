"""Pieces of formulas as people read them: natural spaces, no loose ends."""

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofmatch.training.explaining import formulas
from proofmatch.training.explaining.formulas import closed, common_formulas, printed_formula, trimmed


def symbols(text):
    return [token if token[:2] in ("m.", "t:") else f"m:{token}" for token in text.split()]


@pytest.mark.parametrize(
    ("tokens", "printed"),
    [
        ("f : X → Y", "f: X → Y"),
        ("H p ( X , m.script:F ) = 0", "Hp(X, ℱ) = 0"),
        ("m.fraktur:m / m.fraktur:m 2", "𝔪/𝔪2"),
        ("dim κ ( R )", "dim κ(R)"),
        ("Spec ( A ) × Spec ( B )", "Spec(A)×Spec(B)"),
        ("x \u2062 y", "xy"),
        ("m.double-struck:R m.bold:L m.script:Pic m.nowhere:x m.bold:′", "ℝ𝐋 𝒫𝒾𝒸 x′"),
        ("= 0", "= 0"),
        (":", ":"),
        ("", ""),
    ],
)
def test_formulas_are_printed_with_natural_spaces(tokens, printed):
    assert printed_formula(symbols(tokens)) == printed


@pytest.mark.parametrize(
    ("tokens", "left"),
    [
        ("f : X →", "f : X"),
        (") ≤ dim ( R )", "dim ( R )"),
        ("p (", "p"),
        ("( R )", "R"),
        ("( ( R ) )", "R"),
        ("( a ) + ( b )", "( a ) + ( b )"),
        ("′ ⊂ L ′", "L ′"),
        ("F ) = 0", "F ) = 0"),
        ("R ) ≤", "R"),
        ("( ]", ""),
        ("= , )", ""),
        ("∑ i", "∑ i"),
        ("", ""),
    ],
)
def test_loose_ends_are_trimmed(tokens, left):
    tokens = symbols(tokens)
    assert tokens[slice(*trimmed(tokens, 0, len(tokens)))] == symbols(left)
    around = [*symbols("( x"), *tokens, *symbols("y )")]
    assert around[slice(*trimmed(around, 2, 2 + len(tokens)))] == symbols(left)


@pytest.mark.parametrize(
    ("begin", "end", "closing"), [(1, 3, 3), (1, 4, 9), (4, 6, 8), (1, 9, 9), (9, 11, 11), (2, 2, 2)]
)
def test_brackets_are_closed_within_the_formula(begin, end, closing):
    assert closed(symbols("t:Let f = ( g ( x ) ) ( y t:and )"), begin, end) == closing


texts = st.lists(st.sampled_from(["m:x", "m:y", "m:=", "m.bold:x", "t:x", "t:be"]), max_size=12)


def contains(text, piece):
    return any(tuple(text[place : place + len(piece)]) == piece for place in range(len(text)))


@given(texts, texts)
def test_common_formulas_are_in_both_and_none_is_left_out(statement, proof):
    found = common_formulas(statement, proof)
    assert [len(piece) for piece in found] == sorted((len(piece) for piece in found), reverse=True)
    assert all(contains(statement, piece) and contains(proof, piece) for piece in found)
    assert all(token.startswith("m") for piece in found for token in piece)
    for begin in range(len(statement)):
        for end in range(begin + 1, len(statement) + 1):
            piece = tuple(statement[begin:end])
            if all(token.startswith("m") for token in piece) and contains(proof, piece):
                assert any(contains(longer, piece) for longer in found)
    for piece in found:
        assert sum(contains(other, piece) for other in found) == 1


def test_examples_in_docstrings_hold():
    results = doctest.testmod(formulas)
    assert results.attempted > 0
    assert results.failed == 0
