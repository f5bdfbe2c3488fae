"""Pinned here: letters in a font of MathML's are the characters that the builder folds back to that font."""

import doctest
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofmatch.builder.linearization.fonts import MATHVARIANTS, UNMARKED, fold_styled
from proofmatch.evaluation.pages import alphabets
from proofmatch.evaluation.pages.alphabets import in_alphabet

FONTS = sorted(MATHVARIANTS - UNMARKED - {"initial", "tailed", "looped", "stretched"})  # these are Arabic
# Unicode has no letters of their own for the rest, and browsers neither.
WITH_DIGITS = {"bold", "double-struck", "sans-serif", "bold-sans-serif", "monospace"}
WITH_GREEK = {"bold", "bold-italic", "bold-sans-serif", "sans-serif-bold-italic"}


@pytest.mark.parametrize("font", FONTS)
def test_letters_come_back_as_letters_and_font(font):
    letters = string.ascii_letters
    letters += string.digits if font in WITH_DIGITS else ""
    letters += "αβΓΩς" if font in WITH_GREEK else ""
    for letter in letters:
        assert fold_styled(in_alphabet(letter, font)) == (letter, font)
    assert fold_styled(in_alphabet(letters, font)) == (letters, font)


@given(st.text(), st.sampled_from([*MATHVARIANTS, "", "no font"]) | st.text())
def test_any_text_keeps_its_length_and_what_the_font_has_not(text, font):
    shown = in_alphabet(text, font)
    assert len(shown) == len(text)
    for before, after in zip(text, shown, strict=True):
        assert after == before or fold_styled(after)[0] == before


def test_signs_and_letters_without_a_font_stay():
    assert in_alphabet("é+−ж日 \n", "fraktur") == "é+−ж日 \n"
    assert in_alphabet("x2", "bold-italic") == "𝒙𝟐"  # digits are not slanted: the nearest there is
    assert in_alphabet("x", "unknown") == "x"


def test_examples_in_docstrings_hold():
    assert doctest.testmod(alphabets) == (0, 1)
