"""Every token that is shown finds its place, in words and formulas."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofmatch.builder.release.release import open_release
from proofmatch.builder.release.schema import SPLITS
from proofmatch.builder.tokens import text_tokens
from proofmatch.evaluation.pages.texts import shown_text
from proofmatch.training.searching.serving.places import Place, leaves, places_of
from proofmatch.training.searching.serving.shown import shown_statement
from proofmatch.training.searching.tex_tokens import tex_tokens

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


def test_words_of_the_same_letters_are_told_apart():
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
def test_signs_are_found_however_they_are_written(tex, tokens, shown):
    assert found(["t:if", *tokens, "t:."], shown_text(f"if ${tex}$.")) == ["if", *shown, "."]


def test_a_word_with_combining_accents_is_found_as_a_whole():
    assert found(["t:étale", "t:site"], ["e\u0301tale site"]) == ["e\u0301tale", "site"]


def test_what_is_missing_on_either_side_does_not_move_the_rest():
    tokens = text_tokens("Proof. By definition of a ring, this is clear. QED")
    assert found(tokens, ["By the definition of ring, this is quite clear."]) == [
        *(None, None, "By", "definition", "of", None, "ring", ",", "this", "is", "clear", ".", None),
    ]


def test_what_cannot_be_converted_is_searched_for_words():
    diagram = r"$$\xymatrix{ X \ar[d] }$$"
    tokens = text_tokens(f"see {diagram} there")
    assert found(tokens, ["see ", ["code", diagram], " there"]) == [token[2:] for token in tokens]


def test_nothing_has_no_places():
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
