"""Macros are expanded, and macro bombs are refused in one sentence."""

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofmatch.errors import ProofmatchError
from proofmatch.training.searching import macros
from proofmatch.training.searching.macros import expand, read_macro_file, read_macros


def meaning(tex):
    """Read the definitions in a text, and expand the rest."""
    found, rest = read_macros(tex)
    return expand(rest, found)


@pytest.mark.parametrize(
    ("definition", "used", "expanded"),
    [
        (r"\newcommand{\PP}{\mathbb{P}}", r"$\PP^n_A$", r"$\mathbb{P}^n_A$"),
        (r"\newcommand\PP{\mathbb{P}}", r"\PP \PPx", r"\mathbb{P} \PPx"),
        (r"\renewcommand*{\phi}{\varphi}", r"\phi(x)\phi y", r"\varphi(x)\varphi y"),
        (r"\providecommand{\cF}{\mathcal F}", r"\cF|_U", r"\mathcal F|_U"),
        (r"\def\a{\alpha}", r"\a\a 1", r"\alpha\alpha 1"),
        (r"\newcommand{\norm}[1]{\lVert #1 \rVert}", r"\norm{x_{1}}", r"\lVert x_{1} \rVert"),
        (r"\newcommand{\inner}[2]{(#1,#2)}", r"\inner xy \inner{a}{\b c}", r"(x,y) (a,\b c)"),
        (r"\newcommand{\aff}[1][n]{\mathbf{A}^{#1}}", r"\aff \aff[m]", r"\mathbf{A}^{n} \mathbf{A}^{m}"),
        (r"\def\pair#1#2{\{#1,#2\}}", r"\pair a{bc}", r"\{a,bc\}"),
        (r"\DeclareMathOperator{\Spec}{Spec}", r"\Spec A", r"\operatorname{Spec} A"),
        (r"\DeclareMathOperator*{\colim}{colim}", r"\colim_i", r"\operatorname{colim}_i"),
        (r"\newcommand{\a}{\b}\newcommand{\b}{c}", r"\a", "c"),
        (r"\newcommand{\bb}[1]{\mathbb#1}", r"\bb\alpha x \bb R", r"\mathbb\alpha x \mathbb R"),
        (r"\newcommand{\two}[2]{#2#1}", r"\two{a}", "a"),
        (r"\def\|{\Vert}", r"\|x\\|", r"\Vert x\\|"),
    ],
)
def test_definitions_are_read_and_used(definition, used, expanded):
    assert meaning(definition + used) == expanded
    assert expand(used, read_macros(definition)[0]) == expanded


@pytest.mark.parametrize(
    "tex", [r"\newcommand{\a}{", r"\def\a#1.{b}", r"\newcommand{a}{b}", r"\newcommand", r"x \y {z} $\alpha$"]
)
def test_what_is_no_definition_stays_in_the_text(tex):
    assert read_macros(tex) == ({}, tex)


@pytest.mark.parametrize(
    "bomb",
    [
        r"\def\a{\a}\a",
        r"\def\a{\b}\def\b{\a}\a",
        r"\def\a{\b\b\b\b}\def\b{\c\c\c\c}\def\c{\d\d\d\d}\def\d{\e\e\e\e}\def\e{\f\f\f\f}\def\f{xxxxxxxxxx}\a",
        r"\newcommand{\a}[1]{\a{#1#1}}\a{x}",
        r"\def\a{" + "x" * 4_000 + r"}" + r"\a" * 100,
    ],
)
def test_expansion_has_an_end(bomb):
    with pytest.raises(ProofmatchError, match=r"look at the definition of \\"):
        meaning(bomb)


PIECES = [
    r"\newcommand",
    r"\def",
    r"\a",
    r"\b",
    r"{\a}",
    r"{\b}",
    r"{",
    r"}",
    r"[1]",
    r"[x]",
    r"#1",
    r"#2",
    r"x",
    r"\\",
    r"$",
    r"\DeclareMathOperator",
]


@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
def test_any_text_is_expanded_or_refused(tex):
    try:
        expanded = meaning(tex)
    except ProofmatchError:
        return
    assert len(expanded) <= 20_000


def test_a_file_may_be_a_whole_preamble(tmp_path):
    path = tmp_path / "preamble.tex"
    path.write_text(
        "\\documentclass{article} % \\newcommand{\\old}{x}\n\\usepackage{amsmath}\n"
        "\\newcommand{\\PP}{%\n  \\mathbb{P}}\n\\begin{document}\nText with 5\\% of $\\PP$.\n"
    )
    found = read_macro_file(path)
    assert list(found) == ["PP"]
    assert expand(r"\PP", found).strip() == r"\mathbb{P}"


@pytest.mark.parametrize(
    ("content", "told"), [(b"x", "defines no macro"), (b"x" * 1_000_001, "has more than")]
)
def test_a_file_without_use_is_refused(tmp_path, content, told):
    (tmp_path / "macros.tex").write_bytes(content)
    with pytest.raises(ProofmatchError, match=f"macros.tex {told}"):
        read_macro_file(tmp_path / "macros.tex")
    with pytest.raises(ProofmatchError, match=r"nowhere.tex cannot be read \(No such file"):
        read_macro_file(tmp_path / "nowhere.tex")


def test_examples_in_docstrings_hold():
    results = doctest.testmod(macros)
    assert results.attempted > 0
    assert results.failed == 0
