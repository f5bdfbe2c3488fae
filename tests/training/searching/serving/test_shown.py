"""Statements as readable as they can be, and nothing that a browser could choke on."""

import doctest

from proofmatch.training.searching.serving import shown
from proofmatch.training.searching.serving.shown import shown_statement


def depth(node):
    return 1 + max((depth(child) for child in node[1:] if isinstance(child, list)), default=0)


def test_formulas_are_found_however_they_are_set_off():
    x = ["math", ["mi", "x"]]
    text = r"If $x$, \(x\), \[x\] or \begin{equation}x\end{equation} is \emph{new $x$}"
    assert [piece for piece in shown_statement(text) if isinstance(piece, list)].count(x) == 4
    assert shown_statement(r"``so'' --- 5\$") == ["“so” — 5$"]


def test_what_is_no_tex_stays():
    assert shown_statement("$x") == ["$x"]
    assert shown_statement(r"$\foo{$") != []


def test_deep_formulas_are_shown_as_they_are_written():
    for tex in (r"\sqrt" * 200 + "x", "x^{" * 100 + "x" + "}" * 100):
        assert shown_statement(f"${tex}$") == [["code", tex]]
    assert depth(shown_statement("$" + r"\sqrt" * 20 + "x$")[0]) > 20


def test_the_example_holds():
    assert doctest.testmod(shown).failed == 0
