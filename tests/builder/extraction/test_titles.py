"""Titles ("Lemma 2.1.", "Proof."): kept in the texts, or dropped with nothing else."""

import pytest

from tests.builder.extraction.documents import DTD, GENERATIONS, texts, xhtml


def pair(statement: str, proof: str = "y", keep_titles: bool = False) -> tuple[str, str]:
    body = f'<div class="theorem">{statement}</div><div class="proof">{proof}</div>'
    (both,) = texts(xhtml(body, prologue=DTD), keep_titles=keep_titles)
    return both


@pytest.mark.parametrize("generation", GENERATIONS)
def test_titles_are_dropped_in_every_generation_of_markup(generation):
    name, data = GENERATIONS[generation]
    assert texts(data, name, keep_titles=False) == [("Let $x$ be positive.", "Clear, since $x$ is a square.")]


@pytest.mark.parametrize(
    ("statement", "without_title"),
    [
        ("<h6>Lemma 1.</h6><p>Let x.</p>", "Let x."),
        ("\n <h6>Lemma 1.</h6>\n Let x.", "Let x."),
        ("<h6>Lemma 1</h6>. Let x.", "Let x."),
        ("<p><b>Lemma 1.</b> Let x.</p>", "Let x."),
        ("<p><strong>3.1 Lemma</strong>: Let x.</p>", "Let x."),
        ("<p><span class='bold'>Theorem</span> <em>Let x.</em></p>", "Let x."),
        ("<div class='ltx_title_theorem'>Lemma 1.</div>Let x.", "Let x."),
        ("<h6>Lemma 1.</h6><h6>Part two</h6><p>Let x.</p>", "Part two\nLet x."),
        ("<h6>Anything (a name)</h6><p>Let x.</p>", "Let x."),
    ],
)
def test_a_title_goes_and_the_text_stays(statement, without_title):
    assert pair(statement)[0] == without_title


@pytest.mark.parametrize(
    "statement",
    [
        "<p>Let x.</p>",
        "<p>Let <b>Lemma</b> x.</p>",
        "<p><em>Let x be a prime.</em></p>",
        "<p>By</p><h6>Lemma 1.</h6>",
        f"<p><em>{'Let x be as in the lemma, and so on. ' * 5}</em></p>",
        "",
    ],
)
def test_a_statement_without_title_stays_whole(statement):
    assert pair(statement) == pair(statement, keep_titles=True)


@pytest.mark.parametrize("word", ["Proof", "Proof.", "Proof of Theorem 2.", "[Proof]", "Preuve.", "Beweis:"])
def test_emphasised_words_that_announce_a_proof_are_a_title(word):
    assert pair("x", f"<p><i>{word}</i> Clear.</p>")[1] == "Clear."
    assert pair("x", f"<p><i>{word}</i> Clear.</p>", keep_titles=True)[1] == f"{word} Clear."


def test_emphasised_words_that_only_begin_like_proof_are_text():
    assert pair("x", "<p><i>Proofreading</i> helps.</p>")[1] == "Proofreading helps."


@pytest.mark.parametrize("keep_titles", [True, False])
@pytest.mark.parametrize("statement", ["&nbsp;<p>Let x.</p>", "&nbsp;<h6>Lemma 1.</h6><p>Let x.</p>"])
def test_an_entity_before_the_title_is_no_obstacle(statement, keep_titles):
    assert pair(statement, keep_titles=keep_titles)[0].endswith("Let x.")


def test_an_entity_inside_a_title_is_part_of_it():
    assert pair("<h6>Lemma&nbsp;1.</h6><p>Let x.</p>", keep_titles=True)[0] == "Lemma 1.\nLet x."
    assert pair("<h6>Lemma&nbsp;1.</h6><p>Let x.</p>")[0] == "Let x."
