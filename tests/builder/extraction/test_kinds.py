"""What a statement calls itself: by its class, or else by its title."""

import pytest

from proofmatch.builder.extraction.kinds import kind_in_words, kind_of_class
from tests.builder.extraction.documents import raw_pairs, xhtml


def kind(statement_class: str, title: str) -> str:
    body = f'<div class="{statement_class}">{title}<p>x</p></div><div class="proof">y</div>'
    (pair,) = raw_pairs(xhtml(body))
    return pair.kind


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ("theorem", "theorem"),
        ("thm", "theorem"),
        ("Thm", "theorem"),
        ("lemma", "lemma"),
        ("lem", "lemma"),
        ("lemma*", "lemma"),
        ("prop", "proposition"),
        ("Proposition", "proposition"),
        ("cor", "corollary"),
        ("coro", "corollary"),
        ("conj", "conjecture"),
        ("defn", "definition"),
        ("defi", "definition"),
        ("rem", "remark"),
        ("rmk", "remark"),
        ("claim", "claim"),
        ("ex", "example"),
        ("thm2", "theorem"),
        ("obs", "observation"),
        ("situation", "situation"),
    ],
)
def test_the_environment_in_the_class_tells_the_kind(environment, expected):
    assert kind_of_class(f"ltx_theorem ltx_theorem_{environment}") == expected


@pytest.mark.parametrize(
    "classes", ["", "theorem", "theorem ltx_thm", "ltx_theorem", "ltx_theorem ltx_theorem_foo", "ltx_lemma"]
)
def test_a_class_without_a_known_environment_tells_nothing(classes):
    assert kind_of_class(classes) is None


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Lemma 2.1.", "lemma"),
        ("3.1 Lemma.", "lemma"),
        ("3.1. LEMMA (Gauss)", "lemma"),
        ("Theorem A (Main theorem).", "theorem"),
        ("Main Theorem", "theorem"),
        ("Prop. 4", "proposition"),
        ("(2.3) Cor.", "corollary"),
        ("Thm.", "theorem"),
        ("Corollary of Theorem 3", "corollary"),
        ("Sublemma 1", "lemma"),
        ("Key Lemma", "lemma"),
        ("Fact–Definition", "fact"),
        ("Examples 2.4", "example"),
        ("§2.Claim", "claim"),
    ],
)
def test_the_first_kind_that_a_title_mentions_counts(title, expected):
    assert kind_in_words(title) == expected


@pytest.mark.parametrize("title", ["", "2.1.", "Gauss", "Theoremlike", "Dilemma 3", "Proper maps"])
def test_a_title_without_a_known_word_tells_nothing(title):
    assert kind_in_words(title) is None


def test_the_class_counts_more_than_the_title():
    assert kind("ltx_theorem ltx_theorem_lem", "<h6>Theorem 1.</h6>") == "lemma"


@pytest.mark.parametrize(
    "title",
    [
        '<h6 class="title">Corollary 2.</h6>',
        '<h6 class="title"><span class="tag"><span class="text bold">Corollary 2</span></span>.</h6>',
        '<div class="ltx_title_theorem">Corollary 2.</div>',
        "<p><strong>Corollary 2.</strong> Let</p>",
        "<p><b>2. Corollary</b> Let</p>",
    ],
)
def test_without_a_telling_class_the_title_tells(title):
    assert kind("theorem ltx_thm", title) == "corollary"


def test_an_environment_of_the_authors_own_is_known_by_its_title():
    assert kind("ltx_theorem ltx_theorem_mainlem", "<h6>Main Lemma.</h6>") == "lemma"


@pytest.mark.parametrize("title", ["", "<h6>2.1.</h6>", "<p>By the lemma of <b>Gauss</b></p>"])
def test_a_statement_that_says_nothing_is_of_another_kind(title):
    assert kind("theorem", title) == "other"
