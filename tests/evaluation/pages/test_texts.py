"""No word of a text is lost on the way to a page, whatever its dollars look like."""

import doctest
import json
import re

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofmatch.builder import build_release
from proofmatch.builder.tex import formula_end, formula_ends
from proofmatch.evaluation.pages import texts
from proofmatch.evaluation.pages.texts import plain_text, shown_text

from .nodes import check

X = ["math", ["mi", "x"]]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Let $x$ be.", ["Let ", X, " be."]),
        ("$x$", [X]),
        ("$x$$x$", [X, X]),
        (r"It costs \$5, or $x$.", ["It costs $5, or ", X, "."]),
        (r"a \\ b", [r"a \\ b"]),  # a backslash of its own
        (r"\\$x$", [r"\\", X]),  # and a formula after it
        ("It costs $5.", ["It costs $5."]),
        ("A $x$ and $5", ["A ", X, " and $5"]),
        ("A $ { and $x$", ["A $ { and ", X]),  # a brace that nothing closes
        (r"$\text{if $x$}$", [["math", ["mtext", "if\xa0"], ["mi", "x"]]]),
        ("an empty $$ formula", ["an empty ", " formula"]),
        (r"See \$\$\xymatrix{A \\ B}\$\$ there", ["See ", ["code", r"$$\xymatrix{A \\ B}$$"], " there"]),
        ("  spaces \n around ", ["spaces \n around"]),
        ("", []),
    ],
)
def test_texts_and_their_pieces(text, pieces):
    assert shown_text(text) == pieces


def test_a_text_without_tex_is_made_of_its_tokens():
    tokens = [
        "t:If",
        "m:x",
        "m:≥",
        "m:1.5",
        "t:(",
        "t:or",
        "m.double-struck:R",
        "t:)",
        "t:,",
        "t:“",
        "t:so",
        "t:”",
    ]
    assert shown_text("If x ≥ 1.5 (or ℝ), “so”", tokens) == [
        "If",
        " ",
        ["math", ["mi", "x"], ["mo", "≥"], ["mn", "1.5"]],
        " (or",
        " ",
        ["math", ["mi", "ℝ"]],
        "), “so”",
    ]
    assert shown_text("No formulas, (here).", ["t:No", "t:formulas"]) == ["No formulas, (here)."]
    assert shown_text("Let $x$ be.", ["t:Let", "m:x", "t:be", "t:."]) == ["Let ", X, " be."]


WORDS = st.sampled_from(
    ["Let", "be", "étale", "x-axis", "{", "}", "<b>", "&amp;", "5", "(", "日本", "\n", "\u2028"]
)
FORMULAS = st.sampled_from(
    ["$x$", r"$\frac{a}{b}$", r"$\text{if $x$}$", "$", "$$", r"\$", r"\\", "${", "$}", "\\"]
)


@given(st.lists(WORDS | FORMULAS, max_size=20))
def test_no_word_is_lost(parts):
    pieces = shown_text(" ".join(parts))
    json.dumps(pieces)
    check([piece for piece in pieces if not isinstance(piece, str)])
    shown = plain_text(pieces)
    for part in parts:
        if re.fullmatch(r"[\w-]{2,}", part):
            # Dollars that do not match may make a formula of words.
            assert part in shown or part.replace("-", "−") in shown.replace(" ", "")


@given(st.text("a{}$\\", max_size=30))
def test_formulas_end_where_the_builder_says_so(text):
    ends = formula_ends(text)
    for dollar in re.finditer(r"\\.|(\$)", text, re.DOTALL):
        if dollar[1]:
            assert ends.get(dollar.start(), -1) == formula_end(text, dollar.end())


@pytest.mark.parametrize("unit", ["${", "{$", "$", "$$", r"$\text{", r"\$", r"\$\$", "{", "$x$"])
def test_long_nonsense_comes_to_an_end(unit):
    text = unit * (20_000 // len(unit))
    assert json.dumps(shown_text(text)) or unit == "$$"


def test_examples_in_docstrings_hold():
    assert doctest.testmod(texts) == (0, 2)


def _count_formulas(release):
    """How many formulas the texts of a release have, and how many of them are left as TeX."""
    count = as_code = 0
    for path in sorted(release.glob("data/statements/*")) + sorted(release.glob("data/proofs/*")):
        table = pq.read_table(path, columns=["text", "tokens"])
        for text, tokens in zip(table["text"].to_pylist(), table["tokens"].to_pylist(), strict=True):
            pieces = [piece for piece in shown_text(text, tokens) if isinstance(piece, list)]
            check(pieces)
            count += len(pieces)
            as_code += sum(piece[0] == "code" for piece in pieces)
    return count, as_code


def test_all_formulas_of_the_sample_are_shown(release):
    count, as_code = _count_formulas(release)
    assert count > 1_000
    assert as_code == 0


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["html5", "latexml"])  # one formula of the second in 133 is a diagram
def test_nearly_all_formulas_of_real_articles_are_shown(name, corpus, tmp_path):
    count, as_code = _count_formulas(
        build_release(corpus / f"{name}.tar.xz", tmp_path / "release", workers=2)
    )
    assert count > 1_000
    assert as_code < 0.01 * count
