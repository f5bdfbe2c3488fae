"""One token per font, for all three encodings that sources use.

Pinned here, for every alphabet of Unicode: the styled character, the `mathvariant` attribute and LaTeXML's
class give the same token. Also which of them wins where they disagree, and how a font is inherited.
"""

import string

import pytest

from proofmatch.builder import math_tokens
from proofmatch.builder.linearization.fonts import declared_font, fold_styled

UNMARKED = {"italic", "normal"}
LATIN = string.ascii_uppercase + string.ascii_lowercase
GREEK = "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡϴΣΤΥΦΧΨΩ∇αβγδεζηθικλμνξοπρςστυφχψω∂ϵϑϰϕϱϖ"

# Where each alphabet begins in the block of Mathematical Alphanumeric Symbols, by the Unicode charts.
LATIN_ALPHABETS = {
    "bold": 0x1D400,
    "italic": 0x1D434,
    "bold-italic": 0x1D468,
    "script": 0x1D49C,
    "bold-script": 0x1D4D0,
    "fraktur": 0x1D504,
    "double-struck": 0x1D538,
    "bold-fraktur": 0x1D56C,
    "sans-serif": 0x1D5A0,
    "bold-sans-serif": 0x1D5D4,
    "sans-serif-italic": 0x1D608,
    "sans-serif-bold-italic": 0x1D63C,
    "monospace": 0x1D670,
}
GREEK_ALPHABETS = {
    "bold": 0x1D6A8,
    "italic": 0x1D6E2,
    "bold-italic": 0x1D71C,
    "bold-sans-serif": 0x1D756,
    "sans-serif-bold-italic": 0x1D790,
}
DIGITS = {
    "bold": 0x1D7CE,
    "double-struck": 0x1D7D8,
    "sans-serif": 0x1D7E2,
    "bold-sans-serif": 0x1D7EC,
    "monospace": 0x1D7F6,
}

# The letters that had their place among the Letterlike Symbols before, so that the block has holes.
HOLES = {
    "italic": {"h": "ℎ"},
    "script": dict(zip("BEFHILMRego", "ℬℰℱℋℐℒℳℛℯℊℴ", strict=True)),
    "fraktur": dict(zip("CHIRZ", "ℭℌℑℜℨ", strict=True)),
    "double-struck": dict(zip("CHNPQRZ", "ℂℍℕℙℚℝℤ", strict=True)),
}

# How LaTeXML spells a font in a class attribute.
CLASSES = {
    "bold": ["ltx_font_bold", "ltx_Math ltx_font_bold", "ltx_mathvariant_bold"],
    "italic": ["ltx_font_italic", "ltx_font_slanted", "ltx_mathvariant_italic"],
    "bold-italic": ["ltx_font_bold ltx_font_italic", "ltx_font_italic ltx_font_bold"],
    "script": ["ltx_font_mathcaligraphic", "ltx_font_mathscript", "ltx_font_caligraphic", "ltx_font_script"],
    "bold-script": ["ltx_font_mathcaligraphic ltx_font_bold", "ltx_font_bold ltx_font_mathscript"],
    "fraktur": ["ltx_font_fraktur"],
    "bold-fraktur": ["ltx_font_fraktur ltx_font_bold"],
    "double-struck": ["ltx_font_blackboard", "ltx_font_doublestruck"],
    "sans-serif": ["ltx_font_sansserif"],
    "bold-sans-serif": ["ltx_font_sansserif ltx_font_bold"],
    "sans-serif-italic": ["ltx_font_sansserif ltx_font_italic"],
    "sans-serif-bold-italic": ["ltx_font_bold ltx_font_sansserif ltx_font_italic"],
    "monospace": ["ltx_font_typewriter"],
}


def tokens(leaf: str) -> list[str]:
    return math_tokens(f"<math>{leaf}</math>")


def marked(font: str, surface: str) -> str:
    return f"m:{surface}" if font in UNMARKED else f"m.{font}:{surface}"


def styled(font: str) -> dict[str, str]:
    """The characters of an alphabet, by the plain letters and digits they stand for."""
    alphabet = {letter: chr(LATIN_ALPHABETS[font] + place) for place, letter in enumerate(LATIN)}
    alphabet |= HOLES.get(font, {})
    if font in GREEK_ALPHABETS:
        alphabet |= {letter: chr(GREEK_ALPHABETS[font] + place) for place, letter in enumerate(GREEK)}
    if font in DIGITS:
        alphabet |= {str(digit): chr(DIGITS[font] + digit) for digit in range(10)}
    return alphabet


@pytest.mark.parametrize("font", LATIN_ALPHABETS)
def test_character_attribute_and_class_give_the_same_token(font):
    for plain, character in styled(font).items():
        expected = [marked(font, plain)]
        assert tokens(f"<mi>{character}</mi>") == expected, f"U+{ord(character):X}"
        assert tokens(f'<mi mathvariant="{font}">{plain}</mi>') == expected
        for classes in CLASSES[font]:
            assert tokens(f'<mi class="{classes}">{plain}</mi>') == expected, classes


@pytest.mark.parametrize("font", LATIN_ALPHABETS)
def test_the_class_that_newer_latexml_writes_for_a_mathvariant_is_that_font(font):
    assert tokens(f'<mi class="ltx_mathvariant_{font}">x</mi>') == [marked(font, "x")]


@pytest.mark.parametrize("leaf", ["mi", "mn", "mo", "mtext", "ms"])
def test_every_leaf_can_have_a_font(leaf):
    assert tokens(f'<{leaf} mathvariant="bold">x</{leaf}><{leaf}>𝐱</{leaf}>') == ["m.bold:x", "m.bold:x"]


@pytest.mark.parametrize(
    ("character", "token"),
    [
        ("ℓ", "m.script:l"),
        ("ℼ", "m.double-struck:π"),
        ("ℾ", "m.double-struck:Γ"),
        ("⅀", "m.double-struck:∑"),
        ("𝟊", "m.bold:Ϝ"),
        ("𝚤", "m:ı"),
        ("𝚥", "m:ȷ"),
        ("𞺡", "m.double-struck:ب"),
        ("𞸡", "m.initial:ب"),
        ("𞹡", "m.stretched:ب"),
    ],
)
def test_rarer_styled_characters_are_folded_too(character, token):
    assert tokens(f"<mi>{character}</mi>") == [token]


@pytest.mark.parametrize("character", ["ℏ", "ℵ", "℘", "∞", "ﬁ", "é", "Å", "𝄞", "²"])
def test_characters_that_are_no_styled_letters_stay_themselves(character):
    assert tokens(f"<mi>{character}</mi>") == [f"m:{character}"]


@pytest.mark.parametrize("font", sorted(UNMARKED))
def test_normal_and_italic_carry_no_mark(font):
    assert tokens(f'<mi mathvariant="{font}">x</mi><mi mathvariant="{font}">sin</mi>') == ["m:x", "m:sin"]


@pytest.mark.parametrize(
    "classes", ["ltx_font_upright", "ltx_font_medium", "ltx_font_serif", "ltx_unknown", "bold", ""]
)
def test_other_classes_mark_nothing(classes):
    assert tokens(f'<mi class="{classes}">x</mi>') == ["m:x"]


def test_a_word_in_one_alphabet_is_folded_whole():
    assert tokens("<mi>𝐝𝐢𝐦</mi><mn>𝟓𝟎𝟕</mn>") == ["m.bold:dim", "m.bold:507"]


def test_a_word_in_two_alphabets_is_left_as_it_is():
    assert tokens("<mi>𝐱y</mi><mi>𝐱𝔶</mi>") == ["m:𝐱y", "m:𝐱𝔶"]


@pytest.mark.parametrize("declared", ['mathvariant="fraktur"', 'class="ltx_font_fraktur"'])
def test_a_styled_character_wins_over_what_its_element_declares(declared):
    assert tokens(f"<mi {declared}>𝐱</mi><mi {declared}>ℝ</mi>") == ["m.bold:x", "m.double-struck:R"]
    assert tokens(f"<mi {declared}>𝑥</mi>") == ["m:x"]


@pytest.mark.parametrize("value", ["Bold", " bold ", "BOLD"])
def test_the_attribute_is_read_whatever_its_case_and_spacing(value):
    assert tokens(f'<mi mathvariant="{value}">x</mi>') == ["m.bold:x"]


@pytest.mark.parametrize("value", ["", "comic", "bold fraktur", "italic-bold"])
def test_an_unknown_mathvariant_is_no_font(value):
    assert tokens(f'<mi mathvariant="{value}">x</mi>') == ["m:x"]


@pytest.mark.parametrize(
    ("mathvariant", "classes", "font"),
    [
        ("bold", "ltx_font_mathcaligraphic", "bold-script"),
        ("fraktur", "ltx_font_bold", "bold-fraktur"),
        ("normal", "ltx_font_fraktur", "fraktur"),
        ("italic", "ltx_font_bold", "bold-italic"),
        ("italic", "ltx_font_mathcaligraphic", "script"),
        ("script", "ltx_font_mathcaligraphic", "script"),
        ("double-struck", "ltx_font_upright", "double-struck"),
        ("bold-fraktur", "ltx_font_fraktur", "bold-fraktur"),
        ("bold-script", "ltx_font_mathcaligraphic", "bold-script"),
        ("bold-fraktur", "ltx_font_bold", "bold-fraktur"),
        ("bold-italic", "ltx_font_bold", "bold-italic"),
        ("bold-italic", "ltx_font_bold ltx_font_italic", "bold-italic"),
        ("bold-sans-serif", "ltx_font_bold", "bold-sans-serif"),
        ("bold-sans-serif", "ltx_font_italic", "sans-serif-bold-italic"),
    ],
)
def test_attribute_and_class_on_one_symbol_add_up(mathvariant, classes, font):
    assert declared_font(mathvariant, classes) == font


@pytest.mark.parametrize("style", ["mstyle", "math"])
@pytest.mark.parametrize("declared", ['mathvariant="bold"', 'class="ltx_font_bold"'])
def test_a_font_is_inherited_by_everything_inside(style, declared):
    formula = f"<{style} {declared}><mrow><mi>x</mi><msup><mi>y</mi><mn>2</mn></msup></mrow></{style}>"
    formula = formula if style == "math" else f"<math>{formula}<mi>z</mi></math>"
    outside = [] if style == "math" else ["m:z"]
    assert math_tokens(formula) == ["m.bold:x", "m.bold:y", "m.bold:2", *outside]


@pytest.mark.parametrize("declared", ['mathvariant="bold"', 'class="ltx_Math ltx_font_bold"'])
def test_a_font_of_the_whole_formula_reaches_through_semantics(declared):
    formula = f"<math {declared}><semantics><mi>x</mi><annotation>x</annotation></semantics></math>"
    assert math_tokens(formula) == ["m.bold:x"]


def test_the_innermost_font_counts():
    formula = (
        '<mstyle mathvariant="bold"><mi>a</mi>'
        '<mstyle mathvariant="fraktur"><mi>b</mi><mi mathvariant="script">c</mi><mi>ℝ</mi></mstyle>'
        '<mi mathvariant="normal">d</mi><mstyle mathvariant="normal"><mi>e</mi></mstyle>'
        "<mstyle><mi>f</mi></mstyle>"
        "</mstyle>"
    )
    expected = ["m.bold:a", "m.fraktur:b", "m.script:c", "m.double-struck:R", "m:d", "m:e", "m.bold:f"]
    assert tokens(formula) == expected


@pytest.mark.parametrize("container", ["mrow", "mpadded", "msub", "mtd"])
def test_containers_other_than_styles_hand_down_no_font(container):
    assert tokens(f'<{container} class="ltx_font_bold"><mi>x</mi></{container}>') == ["m:x"]


def test_folding_leaves_plain_surfaces_alone():
    assert fold_styled("sin") == ("sin", None)
    assert fold_styled("α") == ("α", None)
