"""Statements in TeX get the same tokens as printed ones from the builder; any input is accepted."""

import doctest
import importlib
import re
from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from proofmatch.builder.release.release import open_release
from proofmatch.builder.tex import split_formulas
from proofmatch.builder.tokens import parse_token, text_tokens
from proofmatch.training.searching.query import known_spellings, read_tex, tex_tokens

COMMANDS = r"""
    $ $$ \( \) \[ \] { } _ ^ & \\ ' '' ~ % # x 2 \left \right \frac \sqrt \text \mathrm \mathop \not \limits
    \begin{align} \end{align} \begin{cases} \end{cases} \label{ \def\a{ \a \'e \emph{
"""
# Text in which commands, braces and dollars are frequent enough to meet.
TEX = st.lists(st.one_of(st.sampled_from(COMMANDS.split()), st.text(max_size=5))).map("".join)
TYPE = re.compile(r"(t|m(\.[a-z-]+)?):\S+")


@given(st.one_of(st.text(), TEX, TEX.map("${}$".format)), st.booleans())
@example("$" + "{" * 3000 + "x" + "}" * 3000 + "$", False)
@example("$\x00 \x1f<&\ud7ff$ \ue000\ue0001\ue000", True)
def test_any_input_is_read_and_every_token_is_typed(text, invisible_operators):
    for token in tex_tokens(text, invisible_operators=invisible_operators):
        assert TYPE.fullmatch(token), token
        parse_token(token)


@given(st.text(st.characters(exclude_characters="$\\~{}'`-\ue000")))
def test_text_without_tex_is_read_as_the_builder_reads_it(text):
    assert tex_tokens(text) == text_tokens(text)


@pytest.mark.parametrize(
    "text",
    [
        r"so $x=y$.",
        r"so $$x=y$$.",
        r"so \(x=y\).",
        r"so \[x=y\].",
        r"so \begin{equation}x=y\end{equation}.",
        r"so \begin{equation*}\label{a} x = y \nonumber \end{equation*}.",
        r"so \begin{align} x &= y \end{align}.",
        r"so \begin{alignat*}{2} x &= y \end{alignat*}.",
        r"so $\begin{aligned} x &= \\[2pt] y \end{aligned}$.",
        r"so \emph{$x=y$}.",
    ],
)
def test_formulas_are_found_with_any_delimiters(text):
    assert tex_tokens(text) == ["t:so", "m:x", "m:=", "m:y", "t:."]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        (r"5\$ and $x$", [r"5\$ and ", "x", ""]),
        ("$x", ["$x"]),
        (r"\\[x] \(y", [r"\\[x] \(y"]),
        ("$a$$b$", ["", "a", "", "b", ""]),
        (r"$\text{if $x$}$ y", ["", r"\text{if $x$}", " y"]),
        ("${a$ b", ["", "{a", " b"]),
    ],
)
def test_unmatched_delimiters_are_text(text, pieces):
    assert [piece.tex for piece in split_formulas(text)] == pieces


@pytest.mark.parametrize(
    ("tex", "tokens"),
    [
        (r"\mathcal{F} \subset \mathbb{R}^n", "m.script:F m:⊂ m.double-struck:R m:n"),
        (r"\mathop{\mathrm{Spec}}\nolimits(A)", "m:Spec m:( m:A m:)"),
        (r"\operatorname{Spec}{\rm Hom}\Spec", "m:Spec m:Hom m:Spec"),
        (r"\mathsf{Var} {\bf Z}", "m.sans-serif:Var m.bold:Z"),
        (r"f'' = g'_1", "m:f m:′′ m:= m:g m:1 m:′"),
        (r"f^{\prime\prime}", "m:f m:′′"),
        (r"\left( \bigl| x \bigr| \right.", "m:( m:| m:x m:|"),
        (r"x \neq y \not= z \not\in w", "m:x m:≠ m:y m:≠ m:z m:∉ m:w"),
        (r"\text{if $x<1$ or} y", "m:if m:x m:< m:1 m:or m:y"),
        (r"f : A \setminus B \to \overline{C}", "m:f m:: m:A m:∖ m:B m:→ m:C m:¯"),
        (r"x_1 + \dots + x_n, \dots", "m:x m:1 m:+ m:⋯ m:+ m:x m:n m:, m:…"),
        (r"\R \ni \kern-1ex 1", "m.double-struck:R m:∋ m:1"),
    ],
)
def test_formulas_have_the_tokens_of_latexml(tex, tokens):
    assert tex_tokens(f"${tex}$") == tokens.split()


@pytest.mark.parametrize(
    ("tex", "tokens"),
    [
        (r"x^\alpha^\beta", "m:x m:α m:β"),
        (r"\begin{cases} x_1", "m:begin m:c m:a m:s m:e m:s m:x m:1"),
        ("\x00y", "m:\x00 m:y"),
    ],
)
def test_a_formula_that_cannot_be_converted_is_read_symbol_by_symbol(tex, tokens):
    assert tex_tokens(f"${tex}$") == tokens.split(" ")


@pytest.mark.parametrize(
    ("text", "unknown", "faults"),
    [
        (r"On $\PP^n_A$ the sheaf $\cF$", ["PP", "cF"], []),
        (r"the \foo{bar} of $x$", ["foo"], []),
        (r"\emph{Let} $x \in \mathbb{R}$, $\Gamma(X)$ and \'etale, 5\%, \$3", [], []),
        (r"Let $x", [], ["unclosed $"]),
        (r"Let \(x", [], [r"unclosed \("]),
        (r"so \begin{align} x", [], [r"unclosed \begin{align}"]),
        (r"so ${x$", [], ["unclosed {"]),
        (r"so {x} }", [], ["unopened }"]),
        (r"so $\begin{cases} x_1$", [], [r"the formula $\begin{cases} x_1$"]),
    ],
)
def test_what_is_not_understood_is_noted(text, unknown, faults):
    read = read_tex(text)
    assert (read.unknown, read.faults) == (unknown, faults)


def test_text_is_read_as_it_is_printed():
    text = (
        r"\begin{lemma} The \'etale~site---see Lemma~\ref{a}---is ``\v{C}ech''; \textbf{a 5\% \emph{bound}}"
    )
    assert tex_tokens(text) == text_tokens("The étale site—see Lemma —is “Čech”; a 5% bound")


@pytest.mark.parametrize(
    ("tex", "tokens"),
    [
        (r"2xy_n(z+1)\,w", "2 ⁢ x ⁢ y n ⁢ ( z + 1 ) ⁢ w"),
        (r"\log n + \sin^2(x)", "log ⁡ n + sin 2 ⁡ ( x )"),
        (r"\int f(x)\,dx", "∫ f ⁢ ( x ) ⁢ d x"),
        (r"\sum_i \frac{a_i}{2} b : X", "∑ i a i 2 ⁢ b : X"),
        (r"x \quad y", "x y"),
    ],
)
def test_invisible_operators_are_optional(tex, tokens):
    expected = [f"m:{surface}" for surface in tokens.split()]
    assert tex_tokens(f"${tex}$", invisible_operators=True) == expected
    assert tex_tokens(f"${tex}$") == [token for token in expected if token not in ("m:\u2061", "m:\u2062")]


def test_signs_are_replaced_by_known_spellings():
    known = {"m:→", "m:″", "m:\\xymatrix", "m:‖", "m.bold:→"}
    tokens = ["m:⟶", "m:′′", "m:xymatrix", "m:∥", "m:unheard", "t:⟶", "m.bold:⟶"]
    spelled = ["m:→", "m:″", "m:\\xymatrix", "m:‖", "m:unheard", "t:⟶", "m.bold:→"]
    assert known_spellings(tokens, known) == spelled


def test_statements_of_a_release_have_nearly_the_tokens_of_the_builder(release):
    opened = open_release(release)
    common = size = 0
    for split in ("train", "validation", "test"):
        for row in opened.table("pairs", split, ["statement", "statement_tokens"]).to_pylist():
            ours = tex_tokens(row["statement"], invisible_operators=True)
            common += sum((Counter(ours) & Counter(row["statement_tokens"])).values())
            size += len(ours) + len(row["statement_tokens"])
    assert 2 * common / size > 0.98


@pytest.mark.parametrize(
    "module",
    [
        "builder.tex",
        "training.searching.query",
    ],
)
def test_examples_in_docstrings_hold(module):
    results = doctest.testmod(importlib.import_module(f"proofmatch.{module}"))
    assert results.attempted > 0
    assert results.failed == 0
