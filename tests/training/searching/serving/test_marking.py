"""Marks change nothing but what is marked."""

import doctest

from hypothesis import given
from hypothesis import strategies as st

from proofmatch.evaluation.pages.formulas import shown_formula
from proofmatch.training.searching.serving import marking
from proofmatch.training.searching.serving.marking import marked
from proofmatch.training.searching.serving.places import Place


def test_words_are_marked_between_others():
    pieces = marked(["a ring of a ring"], {Place(0, 12, 16): "b", Place(0, 0, 1): "a"})
    assert pieces == [["mark", "a", "a"], " ring of a ", ["mark", "b", "ring"]]


def test_symbols_are_marked_by_an_attribute_beside_those_they_have():
    formula = ["math", ["msub", ["mi", "x"], ["mo", "(", {"stretchy": "true"}]], ["mn", "1"]]
    assert marked(["if ", formula], {Place(1, 0, 1): "a", Place(1, 1, 2): "b"}) == [
        "if ",
        [
            "math",
            ["msub", ["mi", "x", {"class": "a"}], ["mo", "(", {"stretchy": "true", "class": "b"}]],
            ["mn", "1"],
        ],
    ]
    assert "class" not in str(formula)


def test_formulas_that_others_share_do_not_change():
    before = str(shown_formula("x+1"))
    marked(shown_formula("x+1"), {Place(0, 0, 1): "a"})
    assert str(shown_formula("x+1")) == before


def test_words_in_code_are_marked_there():
    pieces = marked([["code", r"\ar[d] X"]], {Place(0, 7, 8): "a"})
    assert pieces == [["code", r"\ar[d] "], ["mark", "a in-code", "X"]]


def test_nothing_marked_is_nothing_changed():
    pieces = ["a", ["math", ["mi", "x"]]]
    assert marked(pieces, {}) == pieces


@given(st.text(max_size=20), st.lists(st.tuples(st.integers(0, 20), st.integers(1, 5))))
def test_no_letter_is_lost_or_doubled_whatever_is_marked(text, spans):
    places = {Place(0, begin, begin + size): "a" for begin, size in spans if begin + size <= len(text)}
    pieces = marked([text], places)
    assert "".join(piece if isinstance(piece, str) else piece[2] for piece in pieces) == text


def test_the_example_holds():
    assert doctest.testmod(marking).failed == 0
