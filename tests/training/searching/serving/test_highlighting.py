"""Reasons on the page: the tokens that they concern, their places, and marks that change nothing else."""

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofmatch.builder.release.release import open_release
from proofmatch.builder.release.schema import SPLITS
from proofmatch.builder.tokens import text_tokens
from proofmatch.evaluation.pages.formulas import shown_formula
from proofmatch.evaluation.pages.texts import shown_text
from proofmatch.training.lexical.explanation import NamedFeature, Reason
from proofmatch.training.searching.explain import Explanation
from proofmatch.training.searching.query import tex_tokens
from proofmatch.training.searching.serving import highlighting, service
from proofmatch.training.searching.serving.highlighting import (
    Place,
    classes_of,
    leaves,
    marked,
    places_of,
    shown_reasons,
)
from proofmatch.training.searching.serving.service import shown_statement

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


def test_reasons_know_their_tokens_in_the_proof():
    shown = shown_reasons(explanation(ETALE, ARROW, COVERS))
    assert [(reason.kind, reason.names) for reason in shown] == [
        ("shared", ("étale", "étale")),
        ("shared", ("f", "f")),
        ("associated", ("maps", "covers")),
    ]
    assert [sorted(reason.tokens) for reason in shown] == [[1, 4], [2], [6]]


def test_words_between_a_pair_and_common_words_are_not_marked():
    pair = Reason(
        "shared",
        1.0,
        NamedFeature("stem-2", "étale maps", [(4, 6)]),
        NamedFeature("stem-2", "étale covers", [(4, 7)]),
    )
    (shown,) = shown_reasons(explanation(pair))
    assert sorted(shown.tokens) == [4, 6]
    the = Reason("shared", 1.0, word("étale", 4), NamedFeature("stem-2", "the étale", [(0, 2)]))
    (shown,) = shown_reasons(explanation(the))
    assert sorted(shown.tokens) == [1]


def test_weak_features_of_a_reason_do_not_mark_more():
    weak = Reason("shared", 0.01, word("étale", 4), NamedFeature("stem-2", "étale covers", [(4, 7)]))
    (shown,) = shown_reasons(explanation(ETALE, weak))
    assert sorted(shown.tokens) == [1, 4]


def test_negligible_reasons_are_not_shown():
    assert shown_reasons(explanation(Reason("shared", 0.004, word("étale", 4), word("étale", 1)))) == []
    assert shown_reasons(explanation()) == []
    assert classes_of([], []) == {}


def test_there_are_few_reasons():
    many = [Reason("shared", 1.0, word(f"w{at}", 4), word(f"w{at}", 1)) for at in range(50)]
    assert len(shown_reasons(explanation(*many))) < 10


def test_marks_tell_kind_strength_and_reasons():
    reasons = shown_reasons(explanation(ETALE, ARROW, COVERS))
    places = [Place(0, place, place + 1) for place in range(len(PROOF))]
    assert classes_of(reasons, places) == {
        places[1]: "orange-mark strong reason-0",
        places[4]: "orange-mark strong reason-0",
        places[2]: "orange-mark strong reason-1",
        places[6]: "blue-mark weak reason-2",
    }


def test_a_place_lists_all_its_reasons():
    both = Reason("associated", 0.5, word("maps", 5), word("étale", 4))
    reasons = shown_reasons(explanation(ETALE, both))
    place = Place(0, 0, 5)
    tokens = [None, None, None, None, place, None, None]
    assert classes_of(reasons, tokens) == {place: "orange-mark strong reason-0 reason-1"}


INVISIBLE = frozenset("\u2061\u2062\u2063\u2064")


def found(tokens, pieces):
    """What is shown at the place of each token."""
    texts = []
    for place in places_of(tokens, pieces):
        if place is None:
            texts.append(None)
        elif isinstance(piece := pieces[place.piece], str):
            texts.append(piece[place.begin : place.end])
        elif piece[0] == "code":
            texts.append(piece[1][place.begin : place.end])
        else:
            texts.append(list(leaves(piece))[place.begin])
    return texts


def test_words_and_symbols_have_their_places():
    pieces = ["Let ", ["math", ["msub", ["mi", "x"], ["mn", "1"]]], " be real."]
    tokens = ["t:Let", "m:x", "m:1", "t:be", "t:real", "t:."]
    places = [Place(0, 0, 3), Place(1, 0, 1), Place(1, 1, 2), Place(2, 1, 3), Place(2, 4, 8), Place(2, 8, 9)]
    assert places_of(tokens, pieces) == places


def test_equal_words_and_symbols_have_different_places():
    pieces = ["x is ", ["math", ["mi", "x"]], ", not x"]
    tokens = ["t:x", "t:is", "m:x", "t:,", "t:not", "t:x"]
    assert [place.piece for place in places_of(tokens, pieces)] == [0, 0, 1, 2, 2, 2]


@pytest.mark.parametrize(
    ("tex", "tokens", "shown"),
    [
        (r"\mathcal{O}_X", ["m.script:O", "m:X"], ["𝒪", "X"]),
        (r"\mathbb{R} \longrightarrow S", ["m.double-struck:R", "m:→", "m:S"], ["ℝ", "⟶", "S"]),
        (r"\overline{x}", ["m:x", "m:¯"], ["x", "‾"]),
        (r"2x", ["m:2", "m:\u2062", "m:x"], ["2", None, "x"]),
        (r"\text{if so}", ["m:if", "m:so"], ["if\xa0so", "if\xa0so"]),
        (r"a + b", ["m:a", "m:−", "m:b"], ["a", None, "b"]),
    ],
)
def test_signs_are_found_in_any_spelling(tex, tokens, shown):
    assert found(["t:if", *tokens, "t:."], shown_text(f"if ${tex}$.")) == ["if", *shown, "."]


def test_a_word_with_combining_accents_is_found_as_a_whole():
    assert found(["t:étale", "t:site"], ["e\u0301tale site"]) == ["e\u0301tale", "site"]


def test_missing_tokens_do_not_shift_the_others():
    tokens = text_tokens("Proof. By definition of a ring, this is clear. QED")
    assert found(tokens, ["By the definition of ring, this is quite clear."]) == [
        *(None, None, "By", "definition", "of", None, "ring", ",", "this", "is", "clear", ".", None),
    ]


def test_words_are_found_in_code():
    diagram = r"$$\xymatrix{ X \ar[d] }$$"
    tokens = text_tokens(f"see {diagram} there")
    assert found(tokens, ["see ", ["code", diagram], " there"]) == [token[2:] for token in tokens]


def test_empty_texts_have_no_places():
    assert places_of([], ["a"]) == []
    assert places_of(["t:a"], []) == [None]


@given(st.lists(st.sampled_from(["a", "b", "ring", "x-y", "(", "."]), max_size=30))
def test_a_text_of_words_is_found_completely_and_in_order(words):
    tokens = text_tokens(text := " ".join(words))
    assert [f"t:{one}" for one in found(tokens, [text])] == tokens


def test_tokens_of_a_release_nearly_all_find_their_places(release):
    opened = open_release(release)
    hits = size = 0
    for split in SPLITS:
        for row in opened.table("pairs", split).to_pylist():
            for side in ("statement", "proof"):
                tokens = row[f"{side}_tokens"]
                places = places_of(tokens, shown_text(row[side], tokens))
                seen = [at for token, at in zip(tokens, places, strict=True) if token[-1] not in INVISIBLE]
                hits += sum(place is not None for place in seen)
                size += len(seen)
    assert hits / size > 0.98


def test_tokens_of_statements_as_people_type_them_find_their_places():
    text = r"\emph{Let} \(f : X \to Y\) be a map, $\overline{f}'' \ne \mathfrak{m}$, and \[ x^2 = 1. \]"
    shown = found(tex_tokens(text, invisible_operators=True), shown_statement(text))
    assert None not in shown
    assert shown[:8] == ["Let", "f", ":", "X", "→", "Y", "be", "a"]


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


def test_cached_formulas_are_not_changed():
    before = str(shown_formula("x+1"))
    marked(shown_formula("x+1"), {Place(0, 0, 1): "a"})
    assert str(shown_formula("x+1")) == before


def test_words_in_code_are_marked_there():
    pieces = marked([["code", r"\ar[d] X"]], {Place(0, 7, 8): "a"})
    assert pieces == [["code", r"\ar[d] "], ["mark", "a in-code", "X"]]


def test_without_marks_nothing_changes():
    pieces = ["a", ["math", ["mi", "x"]]]
    assert marked(pieces, {}) == pieces


@given(st.text(max_size=20), st.lists(st.tuples(st.integers(0, 20), st.integers(1, 5))))
def test_marks_keep_the_text(text, spans):
    places = {Place(0, begin, begin + size): "a" for begin, size in spans if begin + size <= len(text)}
    pieces = marked([text], places)
    assert "".join(piece if isinstance(piece, str) else piece[2] for piece in pieces) == text


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
    for module in (highlighting, service):
        results = doctest.testmod(module)
        assert results.attempted > 0
        assert results.failed == 0
