"""Reasons on the page: the words and symbols that they concern, and how these are marked."""

import doctest

from proofmatch.evaluation.pages.formulas import shown_formula
from proofmatch.training.lexical.explanation import NamedFeature, Reason
from proofmatch.training.searching.explain import Explanation
from proofmatch.training.searching.serving import service
from proofmatch.training.searching.serving.highlighting import marks_of, shown_reasons
from proofmatch.training.searching.serving.service import shown_statement
from tests.evaluation.pages.nodes import leaves

STATEMENT = ["t:Let", "m:f", "m:→", "t:be", "t:étale", "t:maps"]
PROOF = ["t:The", "t:étale", "m:f", "m:→", "t:étale", "t:of", "t:covers"]


def explanation(*reasons):
    return Explanation(STATEMENT, PROOF, 0.0, 0.0, 0.0, 0.0, list(reasons))


def word(surface, *places):
    return NamedFeature("word", surface, [(place, place + 1) for place in places])


ETALE = Reason("shared", 2.0, word("étale", 4), word("étale", 1, 4))
ARROW = Reason(
    "shared", 1.0, NamedFeature("math-2", "f →", [(1, 3)]), NamedFeature("math-2", "f →", [(2, 4)])
)
COVERS = Reason("associated", 0.1, word("maps", 5), word("covers", 6))


def test_reasons_know_their_words_and_symbols_in_the_proof():
    shown = shown_reasons(explanation(ETALE, ARROW, COVERS))
    assert [(reason.kind, reason.names) for reason in shown] == [
        ("shared", ("étale", "étale")),
        ("shared", ("f", "f")),
        ("associated", ("maps", "covers")),
    ]
    assert [set(reason.keys) for reason in shown] == [{"t:étale"}, {"m:f"}, {"t:covers"}]


def test_words_between_a_pair_and_common_words_are_not_marked():
    pair = Reason(
        "shared",
        1.0,
        NamedFeature("stem-2", "étale maps", [(4, 6)]),
        NamedFeature("stem-2", "étale covers", [(4, 7)]),
    )
    (shown,) = shown_reasons(explanation(pair))
    assert shown.keys == {"t:étale", "t:covers"}
    the = Reason("shared", 1.0, word("étale", 4), NamedFeature("stem-2", "the étale", [(0, 2)]))
    (shown,) = shown_reasons(explanation(the))
    assert shown.keys == {"t:étale"}


def test_weak_features_of_a_reason_do_not_mark_more():
    weak = Reason("shared", 0.01, word("étale", 4), NamedFeature("stem-2", "étale covers", [(4, 7)]))
    (shown,) = shown_reasons(explanation(ETALE, weak))
    assert shown.keys == {"t:étale"}


def test_negligible_reasons_are_not_shown():
    assert shown_reasons(explanation(Reason("shared", 0.004, word("étale", 4), word("étale", 1)))) == []
    assert shown_reasons(explanation()) == []
    assert marks_of([]) == {}


def test_there_are_few_reasons():
    many = [Reason("shared", 1.0, word(f"w{at}", 4), word(f"w{at}", 1)) for at in range(50)]
    assert len(shown_reasons(explanation(*many))) < 10


def test_marks_tell_kind_strength_and_reasons():
    assert marks_of(shown_reasons(explanation(ETALE, ARROW, COVERS))) == {
        "t:étale": "orange-mark strong reason-0",
        "m:f": "orange-mark strong reason-1",
        "t:covers": "blue-mark weak reason-2",
    }


def test_a_mark_lists_all_its_reasons():
    both = Reason("associated", 0.5, word("maps", 5), word("étale", 4))
    marks = marks_of(shown_reasons(explanation(ETALE, both)))
    assert marks == {"t:étale": "orange-mark strong reason-0 reason-1"}


def test_symbols_are_named_as_the_page_shows_them_and_words_in_lower_case():
    proof = ["t:Étale", "m.script:O", "m.double-struck:R"]
    reasons = [
        Reason("shared", 1.0, word("étale", 4), word("Étale", 0)),
        Reason("shared", 1.0, word("étale", 4), NamedFeature("math-2", "O R", [(1, 3)])),
    ]
    shown = shown_reasons(Explanation(STATEMENT, proof, 0.0, 0.0, 0.0, 0.0, reasons))
    keys = {key for reason in shown for key in reason.keys}
    assert keys == {"t:étale", "m:𝒪", "m:ℝ"}
    assert list(leaves(shown_formula(r"\mathcal{O}\mathbb{R}"))) == ["𝒪", "ℝ"]


def depth(node):
    return 1 + max((depth(child) for child in node[1:] if isinstance(child, list)), default=0)


def test_formulas_are_found_with_any_delimiters():
    x = ["math", ["mi", "x"]]
    text = r"If $x$, \(x\), \[x\] or \begin{equation}x\end{equation} is \emph{new $x$}"
    assert [piece for piece in shown_statement(text) if isinstance(piece, list)].count(x) == 4
    assert shown_statement(r"``so'' --- 5\$") == ["“so” — 5$"]


def test_invalid_tex_is_shown_as_it_is():
    assert shown_statement("$x") == ["$x"]
    assert shown_statement(r"$\foo{$") != []


def test_deep_formulas_are_shown_as_they_are_written():
    for tex in (r"\sqrt" * 200 + "x", "x^{" * 100 + "x" + "}" * 100):
        assert shown_statement(f"${tex}$") == [["code", tex]]
    assert depth(shown_statement("$" + r"\sqrt" * 20 + "x$")[0]) > 20


def test_examples_in_docstrings_hold():
    results = doctest.testmod(service)
    assert results.attempted > 0
    assert results.failed == 0
