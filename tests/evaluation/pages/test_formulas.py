"""Usual formulas become the MathML that browsers draw well, and hostile ones do no harm."""

import doctest
import json
import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofmatch.builder.linearization.fonts import MATHVARIANTS, UNMARKED, fold_styled
from proofmatch.evaluation.pages import formulas
from proofmatch.evaluation.pages.formulas import (
    _ATTRIBUTES,
    _ELEMENTS,
    formula_of_symbols,
    in_alphabet,
    shown_formula,
)
from proofmatch.evaluation.pages.texts import plain_text

from .nodes import check, every_node, leaves

FONTS = sorted(MATHVARIANTS - UNMARKED - {"initial", "tailed", "looped", "stretched"})  # these are Arabic
# Unicode has no letters of their own for the rest, and browsers neither.
WITH_DIGITS = {"bold", "double-struck", "sans-serif", "bold-sans-serif", "monospace"}
WITH_GREEK = {"bold", "bold-italic", "bold-sans-serif", "sans-serif-bold-italic"}

STRETCHED = {"stretchy": "true", "fence": "true"}
PREFIX, POSTFIX = STRETCHED | {"form": "prefix"}, STRETCHED | {"form": "postfix"}
X, Y, R, ONE = ["mi", "x"], ["mi", "y"], ["mi", "R"], ["mn", "1"]
PRIME = ["mo", "′"]


def _row(*cells):
    return ["mtr", *(["mtd", *cell] for cell in cells)]


USUAL = {
    r"\frac{x}{y}": [["mfrac", X, Y]],
    r"{x \over y}": [["mfrac", X, Y]],
    r"\sqrt[3]{x}": [["mroot", X, ["mn", "3"]]],
    r"x_1^y": [["msubsup", X, ONE, Y]],
    r"\left(x\right]": [["mo", "(", PREFIX], X, ["mo", "]", POSTFIX]],
    r"\operatorname{Spec} R": [["mtext", "Spec"], R],
    r"\mathrm{Spec}\, R": [["mtext", "Spec"], ["mspace", {"width": "0.167em"}], R],
    r"{\rm Spec} R": [["mtext", "Spec"], R],
    r"\mathop{\mathrm{lim}}\limits_{x}": [["msub", ["mtext", "lim"], X]],
    r"\begin{aligned} x &= y \\ y &= 1\end{aligned}": [
        ["mtable", _row([X], [["mo", "="], Y]), _row([Y], [["mo", "="], ONE])]
    ],
    r"\begin{cases} 1 & x>1 \\ x & \text{otherwise}\end{cases}": [
        ["mo", "{", PREFIX],
        ["mtable", _row([ONE], [X, ["mo", ">"], ONE]), _row([X], [["mtext", "otherwise"]])],
    ],
    r"\begin{pmatrix} x & y \end{pmatrix}": [["mo", "("], ["mtable", _row([X], [Y])], ["mo", ")"]],
    r"x'": [["msup", X, PRIME]],
    r"x''": [["msup", X, ["mo", "″"]]],
    r"x'_1": [["msubsup", X, ONE, PRIME]],
    r"x^{\prime}": [["msup", X, PRIME]],
    r"\Foo(x)": [["mi", "Foo"], ["mo", "(", {"stretchy": "false"}], X, ["mo", ")", {"stretchy": "false"}]],
    r"\foo{x}{y}": [["mi", "foo"], X, Y],
    r"\mathbb{R}": [["mi", "ℝ"]],
    r"\R": [["mi", "ℝ"]],
    r"\mathfrak R": [["mi", "ℜ"]],
    r"\mathcal{R}_x": [["msub", ["mi", "ℛ"], X]],
    r"\bm{x}": [["mi", "𝒙"]],
    r"x \not= y": [X, ["mo", "≠"], Y],
    r"x < y": [X, ["mo", "<"], Y],
    r"\text{if $x$ & <y>}": [["mtext", "if\xa0"], X, ["mtext", "\xa0&\xa0<y>"]],
    r"x : y": [X, ["mo", ":"], Y],
    r"\infty": [["mi", "∞"]],
    r"\mathrm{d}x": [["mtext", "d"], X],
    r"\label{a} x \tag{7}": [X],
}


@pytest.mark.parametrize("tex", USUAL)
def test_usual_formulas(tex):
    assert shown_formula(f" {tex} ") == [["math", *USUAL[tex]]]


def test_nothing_is_no_formula():
    assert shown_formula(" ") == []


@pytest.mark.parametrize(
    "tex",
    [
        r"\href{javascript:alert(1)}{x}",
        r"\style{background:url(http://a)}{x}",
        r"\class{steps}{x}",
        r"\cssId{match}{x}",
        r"\unicode{x3C}script\unicode{x3E}",
        r"\unicode{xD800}",
        r"\unicode[a\" onclick=\"alert(1)]{x41}",
        r"\color{red;background:url(x)}{x}",
        r"\colorbox{url(x)}{x}",
        r"\fcolorbox{a}{b}{x}",
        r"\mathcolor{a}{x}",
        r"\bbox[border:9999px]{x}",
        r"\rule{99999em}{99999em}",
        r"\hspace{99999px}",
        r"\require{html}\data{a=b}{x}",
        r"\includegraphics{http://a/b.png}",
        r"\text{<img src=x onerror=alert(1)>}",
        r"\mathrm{<script>}",
        r"&lt;script&gt;",
        r"\begin{array}{c@{\hspace{9px}}c} x \end{array}",
        r"\genfrac{<}{>}{9px}{0}{x}{y}",
        r"\def\x{\x}\x",
        r"\newcommand{\x}{\x\x}\x",
        r"\input{/etc/passwd}",
        r"\above 9px x",
        r"\enclose{circle}[href=a]{x}",
        r"\big\x",
        "\x00\x1b\u2028\ufeff",
    ],
)
def test_hostile_formulas_have_allowed_elements_and_attributes_only(tex):
    shown = shown_formula(tex)
    check(shown)
    assert not re.search(r"href|style|class|onclick|id\b", json.dumps([_attributes(part) for part in shown]))


def _attributes(part):
    return [child for node in every_node(part) for child in node if isinstance(child, dict)]


def test_what_is_allowed_can_carry_no_address_or_script():
    assert not _ELEMENTS & {"maction", "semantics", "annotation", "annotation-xml", "mglyph", "a", "img"}
    names = {"href", "xlink:href", "style", "class", "id", "src", "actiontype", "onclick", "mathbackground"}
    assert not names & set(_ATTRIBUTES)
    for allowed in _ATTRIBUTES.values():
        assert not any(
            allowed.fullmatch(value) for value in ("url(x)", "javascript:x", "", "9" * 50 + "px", "calc(1em)")
        )


MACROS = r"""\frac \sqrt \left \right \middle \text \mathrm \mathbb \begin{matrix} \end{matrix} \begin{cases}
    \end{cases} \operatorname \overline \hat \sum \int \limits \not \href \style \class \unicode \color \label
    \tag \big \Bigl \substack \over \choose \atop \xrightarrow \hspace \kern \mathop \phantom \foo \prime \bm
    \stackrel \binom \genfrac \mathcal \sideset \dots \\ \{ \} \| \, \! \% \$ \# \_ \&"""
TEX = st.lists(
    st.sampled_from(
        [*MACROS.split(), *"{}{}{}[]()^_&'$~|.,=<>+-12xyR ", "&lt;", "é", "𝔭", "\u0301", "1em", "\n"]
    )
    | st.characters(codec="utf-8"),
    max_size=30,
).map("".join)


@given(TEX)
def test_whatever_looks_like_tex_is_shown_somehow(tex):
    shown = shown_formula(tex)
    check(shown)
    json.dumps(shown, allow_nan=False).encode()
    plain_text(shown)
    assert shown or not tex.strip()


@pytest.mark.parametrize("count", [60, 150, 340, 1_000, 10_000])
@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("{", "}"),
        (r"\sqrt{", "}"),
        ("x^{", "}"),
        (r"\left(", r"\right)"),
        (r"\begin{matrix}", r"\end{matrix}"),
        (r"\text{", "}"),
        (r"\mathop{", "}"),
    ],
)
def test_deep_formulas_are_shown_or_left_as_they_are(opening, closing, count):
    tex = opening * count + "x" + closing * count
    shown = shown_formula(tex)
    check(shown)
    json.dumps(shown)
    assert "x" in plain_text(shown)
    if count == 10_000 and opening != r"\text{":
        assert shown == [["code", tex]]


@pytest.mark.parametrize(
    "unit", ["{", "}", "^", "x^", r"\left(", r"\frac", "'", "&", r"\\", "\\", "x", r"\text{"]
)
def test_long_nonsense_comes_to_an_end(unit):
    check(shown_formula(unit * (20_000 // len(unit))))


@pytest.mark.parametrize(
    "tex",
    [
        r"\xymatrix{A \ar[r] & B}",
        r"\begin{tikzcd} A \arrow[r] & B \end{tikzcd}",
        r"\begin{CD} A @>>> B \end{CD}",
    ],
)
def test_diagrams_are_left_as_tex(tex):
    assert shown_formula(tex) == [["code", tex]]


@pytest.mark.parametrize(
    ("tex", "parts"),
    [
        ("a = b", 1),  # short
        ("a_1 + a_2 + a_3 + a_4 = b_1 + b_2 + b_3 < c_1 + c_2", 3),
        ("f(a_1, a_2, a_3, a_4, a_5, a_6, a_7, a_8, a_9)", 1),  # not inside brackets
        ("a_1, a_2, a_3, a_4, a_5, a_6", 6),
        ("= a_1 + a_2 + a_3 + a_4 + a_5", 1),  # nothing would stand before the sign
        (r"\displaystyle a_1 + a_2 + a_3 + a_4 = b_1 + b_2 + b_3", 1),  # one style for all of it
    ],
)
def test_long_formulas_are_broken_before_relations_and_after_commas(tex, parts):
    shown = shown_formula(tex)
    check(shown)
    assert len(shown) == parts
    assert "".join(leaves(shown)) == re.sub(r"\\displaystyle|[_ ]", "", tex)
    for part in shown[1:]:
        assert leaves([part])[0] not in ",;"
        if part[1][0] == "mo" and part[1][1] in "=∼∈→≤":
            assert part[1][2]["form"] == "infix"


@pytest.mark.parametrize(
    ("tex", "lines"),
    [
        ("= abcdef + ghijkl - mnopqr", ["=abcdef", "+ghijkl", "−mnopqr"]),
        ("abcdef + ghijkl", ["abcdef+ghijkl"]),  # short enough
        ("= -abcdefghi + (jklm + nopq)", ["=−abcdefghi", "+(jklm+nopq)"]),
        (r"\|abcdef + ghijkl\| - \|mn - op\|", ["‖abcdef+ghijkl‖−‖mn−op‖"]),
    ],
)
def test_very_long_sums_are_broken_before_their_terms(tex, lines):
    shown = shown_formula(tex)
    check(shown)
    assert ["".join(leaves([part])) for part in shown] == lines
    for part in shown:
        if part[1][1] in ("+", "−") and part is not shown[0]:
            assert part[1][2]["form"] == "infix"


def test_a_set_difference_is_written_with_the_sign_that_most_fonts_have():
    assert leaves(shown_formula(r"X \setminus M")) == ["X", "∖", "M"]


SYMBOLS = st.sampled_from([*"abxy12+()[]{},;=<→∈∞", "Spec", "⟨", "⟩"])


@given(st.lists(SYMBOLS, max_size=60))
def test_breaking_loses_no_symbol(symbols):
    shown = formula_of_symbols(symbols)
    check(shown)
    assert leaves(shown) == symbols


@given(
    st.lists(st.sampled_from(["a_1", "+", "=", ",", "(x)", r"\in", r"\frac{a}{b}", "[", r"\to"]), max_size=40)
)
def test_breaking_tex_loses_no_symbol(parts):
    together, apart = shown_formula(" ".join(parts)), [shown_formula(part) for part in parts]
    assert leaves(together) == [symbol for part in apart for symbol in leaves(part)]


def test_a_formula_that_is_shown_again_is_the_same():
    first = json.dumps(shown_formula(r"\frac{a}{b}"))
    assert json.dumps(shown_formula(r"\frac{a}{b}")) == first


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
    assert doctest.testmod(formulas) == (0, 2)


@pytest.mark.parametrize(
    ("tex", "leaves"),
    [
        (r"\bigl{\lVert}x\bigr{\rVert}^{2}", "‖x‖2"),
        (r"\bigl\lVert x\bigr\rVert", "‖x‖"),
        (r"\Bigl{\{}x\Bigr{\}}", "{x}"),
        (r"\bigl{\langle}x,y\bigr\rangle", "⟨x,y⟩"),
        (r"\Bigl{|}f\Bigr{|}", "|f|"),
        (r"\bigl(x\bigr)", "(x)"),
        (r"\bigcup_i X", "⋃iX"),
    ],
)
def test_large_delimiters_are_drawn_without_their_braces(tex, leaves):
    (formula,) = formulas.shown_formula(tex)
    assert "".join(symbol for symbol, _ in formulas.leaves_of(formula)) == leaves


def test_bars_of_a_norm_have_one_height():
    (formula,) = formulas.shown_formula(r"\lVert x_{i}\rVert")
    bars = [node for node in formula[1:] if node[1] == "‖"]
    assert [bar[-1] for bar in bars] == [{"stretchy": "false"}] * 2


@pytest.mark.parametrize(
    ("tex", "written"),
    [
        ("a_n", "aₙ"),
        ("x^2", "x²"),
        ("L_{B/A}", "L_{B/A}"),
        ("X_A", "X_A"),
        ("x_i^2", "xᵢ²"),
        ("x_{n_k}", "xₙₖ"),
        (r"\frac{a_1}{b}", "a₁b"),
    ],
)
def test_scripts_stay_in_plain_text(tex, written):
    (formula,) = formulas.shown_formula(tex)
    assert formulas.written(formulas.leaves_of(formula)) == written
