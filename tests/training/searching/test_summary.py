"""Summaries of explanations: each thing is said once, formulas are printed readably."""

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofmatch.builder.tokens import text_tokens
from proofmatch.training.lexical.explanation import Reason, feature_names
from proofmatch.training.lexical.features import GROUPS, SHAPES
from proofmatch.training.prediction import TrainedMatcher
from proofmatch.training.searching import summary as module
from proofmatch.training.searching.explain import Explanation, explain
from proofmatch.training.searching.summary import closed, common_formulas, printed_formula, summarize, trimmed
from tests.training.lexical.corpora import random_texts, small_matcher
from tests.training.lexical.test_lexical_matcher import kinds


def tokens_of(text):
    """Text with formulas between dollars, whose symbols have spaces between them."""
    tokens = []
    for place, part in enumerate(text.split("$")):
        tokens += [f"m:{symbol}" for symbol in part.split()] if place % 2 else text_tokens(part)
    return tokens


NAMED = tuple(group for group in GROUPS if group not in SHAPES)


def summary_of(statement, proof, *associated, weights=None, input="both", groups=NAMED):
    """Explain a match in which a shared feature adds 1, or what its group or surface weighs."""
    texts = [tokens_of(text) for text in (statement, proof)]
    ours, theirs = (feature_names(text, groups, input) for text in texts)
    reasons = []
    for feature in ours.keys() & theirs.keys():
        named = ours[feature], theirs[feature]
        weight = (weights or {}).get(named[0].surface, (weights or {}).get(named[0].group, 1.0))
        reasons.append(Reason("shared", weight, *named))
    for left, right, weight in associated:
        named = [
            next(one for one in names.values() if (one.group, one.surface) == which)
            for names, which in ((ours, left), (theirs, right))
        ]
        reasons.append(Reason("associated", weight, *named))
    reasons.sort(key=lambda reason: (-reason.contribution, reason.statement.group, reason.statement.surface))
    return summarize(Explanation(*texts, 0.0, 0.0, 0.0, 0.0, reasons))


def shared(summary):
    return {line.statement: line.contribution for line in summary.shared}


def associated(summary):
    return {(line.statement, line.proof): line.contribution for line in summary.associated}


def test_a_word_and_its_stem_and_its_neighbours_are_one_line():
    found = shared(summary_of("it is smooth", "which is smooth", weights={"is": 0.5}))
    assert found == {"smooth": 3.0}  # the word, the stem, and `is smooth`


def test_a_formula_with_other_names_is_shown_with_placeholders():
    found = shared(summary_of("$ f : X → Y $", "$ g : A → B $", weights={"shape-5": 5.0}, groups=SHAPES))
    assert list(found) == ["□: △ → ○"]
    assert found["□: △ → ○"] == 5.0 + 4 + 3 + 2  # with all windows inside, but for single symbols


def test_a_formula_with_the_same_names_is_shown_with_them():
    found = shared(summary_of("$ f : X → Y $", "$ f : X → Y $", groups=SHAPES))
    assert list(found) == ["f: X → Y"]


def test_forms_of_a_word_are_one_line_with_the_word_of_the_statement():
    assert shared(summary_of("smooth morphism", "morphisms")) == {"morphism": 1.0}


def test_a_phrase_is_shown_where_it_weighs_more_than_its_words():
    found = summary_of("complete intersection", "complete intersections", weights={"stem-2": 2.0})
    assert shared(found) == {"complete intersection": 5.0}
    found = summary_of("complete $ x $ intersection", "complete intersections", weights={"stem-2": 2.0})
    assert list(shared(found)) == ["complete … intersection"]


def test_parts_of_a_compound_that_both_texts_have_are_that_compound():
    assert shared(summary_of("quasi-finite", "quasi-finite", weights={"finite": 5.0})) == {
        "quasi-finite": 8.0
    }
    assert shared(summary_of("quasi-finite", "quasi-compact")) == {"quasi": 1.0}


def test_symbols_are_shown_with_the_longest_formula_that_both_have():
    found = shared(summary_of("a map $ f : X → Y $ of", "$ g ( f : X → Y )$ then $ X = Z $"))
    n_grams = 5 + 4 + 3 + 2
    assert found == {"f: X → Y": n_grams - 2}  # a colon and an arrow say nothing by themselves


def test_a_common_word_next_to_a_symbol_joins_the_line_of_the_symbol():
    assert shared(summary_of("let $ ζ $ be", "let $ ζ $", weights={"let": 0.1})) == {"ζ": 2.0}


def test_meaningless_tokens_have_no_line():
    assert shared(summary_of("Let it be. Then, by Lemma 1, $ ( = ) $", "Let it be. By Lemma $ ( = ) $")) == {}


def test_long_formulas_are_cut():
    formula = " + ".join(["x"] * 20)
    (line,) = summary_of(f"${formula}$", f"${formula}$").shared
    assert line.statement == "x+" * 8 + " …"


def test_associations_of_the_same_two_things_are_one_line():
    found = summary_of(
        "it is étale",
        "we see that is unramified",
        (("stem-2", "is étale"), ("word", "unramified"), 0.5),
        (("word", "étale"), ("stem", "unramified"), 0.25),
        (("word", "étale"), ("stem", "see"), 0.25),
        weights={"is": 0.0},
    )
    assert associated(found) == {("étale", "unramified"): 0.75}


def test_associations_of_a_feature_with_itself_join_the_shared_line():
    found = summary_of("étale", "it is étale", (("word", "étale"), ("stem-2", "is étale"), 0.5))
    assert shared(found) == {"étale": 2.5}
    assert associated(found) == {}


def test_brackets_of_associated_formulas_are_closed():
    found = summary_of("sheaf $ F ( m - 1 ) = 0 $", "higher", (("math-3", "F ( m"), ("word", "higher"), 0.5))
    assert associated(found) == {("F(m-1)", "higher"): 0.5}


def test_lines_are_sorted_by_contribution():
    found = summary_of("flat smooth étale", "étale. Smooth. Flat.", weights={"smooth": 3.0, "étale": 2.0})
    assert list(shared(found).items()) == [("smooth", 6.0), ("étale", 4.0), ("flat", 2.0)]


def test_math_only_input_joins_formulas_across_words():
    found = shared(summary_of("$ x $ and $ y $", "$ x $ or $ y $", input="math", weights={"math-2": 2.0}))
    assert found == {"xy": 5.0}  # each symbol, both of them, and all that is read


@kinds
def test_contributions_of_meaningful_tokens_are_all_kept(settings):
    matcher, _ = small_matcher(**settings)
    model = TrainedMatcher(matcher, None)  # pyright: ignore[reportArgumentType] - it has no use for one
    telling = {"m:x", "m:y", "m.bold:x", "m:ζ", "t:groups", "t:group", "t:smooth-local", "t:sheaf", "t:étale"}
    for texts in zip(random_texts(10, 6), random_texts(11, 6), strict=True):
        explanation = explain(model, *([token for token in text if token in telling] for text in texts))
        found = summarize(explanation)
        lines = [*found.shared, *found.associated]
        assert all(line.statement and line.proof for line in lines)
        assert sum(line.contribution for line in lines) == pytest.approx(
            explanation.shared + explanation.associated, abs=1e-6
        )


def test_any_tokens_can_be_summarized():
    matcher, _ = small_matcher()
    model = TrainedMatcher(matcher, None)  # pyright: ignore[reportArgumentType] - as above
    for texts in zip(random_texts(12, 20), random_texts(13, 20), strict=True):
        summarize(explain(model, *(["m:", "m.bold:", "t:", *text, "t:-", "m:)"] for text in texts)))


def symbols(text):
    return [token if token[:2] in ("m.", "t:") else f"m:{token}" for token in text.split()]


@pytest.mark.parametrize(
    ("tokens", "printed"),
    [
        ("f : X → Y", "f: X → Y"),
        ("H p ( X , m.script:F ) = 0", "Hp(X, ℱ) = 0"),
        ("m.fraktur:m / m.fraktur:m 2", "𝔪/𝔪2"),
        ("dim κ ( R )", "dim κ(R)"),
        ("Spec ( A ) × Spec ( B )", "Spec(A)×Spec(B)"),
        ("x \u2062 y", "xy"),
        ("m.double-struck:R m.bold:L m.script:Pic m.nowhere:x m.bold:′", "ℝ𝐋 𝒫𝒾𝒸 x′"),
        ("= 0", "= 0"),
        (":", ":"),
        ("", ""),
    ],
)
def test_formulas_are_printed_with_natural_spaces(tokens, printed):
    assert printed_formula(symbols(tokens)) == printed


@pytest.mark.parametrize(
    ("tokens", "left"),
    [
        ("f : X →", "f : X"),
        (") ≤ dim ( R )", "dim ( R )"),
        ("p (", "p"),
        ("( R )", "R"),
        ("( ( R ) )", "R"),
        ("( a ) + ( b )", "( a ) + ( b )"),
        ("′ ⊂ L ′", "L ′"),
        ("F ) = 0", "F ) = 0"),
        ("R ) ≤", "R"),
        ("( ]", ""),
        ("= , )", ""),
        ("∑ i", "∑ i"),
        ("", ""),
    ],
)
def test_operators_and_unmatched_brackets_are_trimmed(tokens, left):
    tokens = symbols(tokens)
    assert tokens[slice(*trimmed(tokens, 0, len(tokens)))] == symbols(left)
    around = [*symbols("( x"), *tokens, *symbols("y )")]
    assert around[slice(*trimmed(around, 2, 2 + len(tokens)))] == symbols(left)


@pytest.mark.parametrize(
    ("begin", "end", "closing"), [(1, 3, 3), (1, 4, 9), (4, 6, 8), (1, 9, 9), (9, 11, 11), (2, 2, 2)]
)
def test_brackets_are_closed_within_the_formula(begin, end, closing):
    assert closed(symbols("t:Let f = ( g ( x ) ) ( y t:and )"), begin, end) == closing


texts = st.lists(st.sampled_from(["m:x", "m:y", "m:=", "m.bold:x", "t:x", "t:be"]), max_size=12)


def contains(text, piece):
    return any(tuple(text[place : place + len(piece)]) == piece for place in range(len(text)))


@given(texts, texts)
def test_common_formulas_are_complete(statement, proof):
    found = common_formulas(statement, proof)
    assert [len(piece) for piece in found] == sorted((len(piece) for piece in found), reverse=True)
    assert all(contains(statement, piece) and contains(proof, piece) for piece in found)
    assert all(token.startswith("m") for piece in found for token in piece)
    for begin in range(len(statement)):
        for end in range(begin + 1, len(statement) + 1):
            piece = tuple(statement[begin:end])
            if all(token.startswith("m") for token in piece) and contains(proof, piece):
                assert any(contains(longer, piece) for longer in found)
    for piece in found:
        assert sum(contains(other, piece) for other in found) == 1


def test_examples_in_docstrings_hold():
    results = doctest.testmod(module)
    assert results.attempted > 0
    assert results.failed == 0
