"""Which `div` elements are a pair: the rule of the paper, in every generation of LaTeXML's markup."""

import pytest

from proofmatch.builder.extraction.passages import passage_tokens
from tests.builder.extraction.documents import DTD, GENERATIONS, found, html5, raw_pairs, texts, xhtml

LEMMA = '<div class="theorem">Lemma</div>'
PROOF = '<div class="proof">Proof</div>'


@pytest.mark.parametrize("generation", GENERATIONS)
def test_every_generation_of_markup_says_the_same(generation):
    name, data = GENERATIONS[generation]
    (pair,) = raw_pairs(data, name)
    assert pair.kind == "lemma"
    assert texts(data, name) == [
        ("Lemma 2.1 (Gauss).\nLet $x$ be positive.", "Proof.\nClear, since $x$ is a square.")
    ]
    expected = "t:Lemma t:2.1 t:( t:Gauss t:) t:. t:Let m:x t:be t:positive t:."
    assert passage_tokens(pair.statement) == expected
    assert (pair.statement.length, pair.proof.length) == ((6, 1), (6, 1))


@pytest.mark.parametrize(
    "proof", ["proof", "ltx_proof", "proof ltx_x", "ltx_x ltx_proof", "  proof\n", "proof proof"]
)
def test_a_proof_has_a_class_that_is_the_word(proof):
    assert len(found(xhtml(f'{LEMMA}<div class="{proof}">x</div>'))) == 1


@pytest.mark.parametrize(
    "other",
    ["proofread", "disproof", "ltx_proofs", "Proof", "ltx_title_proof", "proof-sketch", "", "theorem"],
)
def test_a_class_that_only_contains_the_word_is_no_proof(other):
    assert found(xhtml(f'{LEMMA}<div class="{other}">x</div>')) == []


def test_a_div_without_class_is_no_proof():
    assert found(xhtml(f"{LEMMA}<div>x</div>")) == []


@pytest.mark.parametrize(
    "statement", ["theorem", "theorem ltx_thm", "ltx_theorem ltx_theorem_prop", "mytheorem", "theorem-lemma"]
)
def test_a_statement_has_a_class_that_contains_theorem(statement):
    assert len(found(xhtml(f'<div class="{statement}">x</div>{PROOF}'))) == 1


@pytest.mark.parametrize("other", ["lemma", "ltx_thm", "Theorem", "para", ""])
def test_other_classes_are_no_statements(other):
    assert found(xhtml(f'<div class="{other}">x</div>{PROOF}')) == []


@pytest.mark.parametrize("page", [xhtml, html5])
@pytest.mark.parametrize(
    "between", ["", " \n\t ", "&#160;", "<!-- proof -->", "\n<!-- a -->\n<!-- b -->\n", "<?page 3?>"]
)
def test_white_space_comments_and_instructions_may_stand_between(page, between):
    name = "article.xhtml" if page is xhtml else "article.html"
    assert len(found(page(LEMMA + between + PROOF), name)) == 1


def test_a_space_that_an_external_dtd_names_may_stand_between():
    assert len(found(xhtml(f"{LEMMA}&nbsp;{PROOF}", prologue=DTD))) == 1


@pytest.mark.parametrize("page", [xhtml, html5])
@pytest.mark.parametrize(
    "between", ["<p>x</p>", "<div>x</div>", "<span></span>", "<hr/>", '<div class="theorem">y</div><p>x</p>']
)
def test_no_other_element_may_stand_between(page, between):
    name = "article.xhtml" if page is xhtml else "article.html"
    assert found(page(LEMMA + between + PROOF), name) == []


@pytest.mark.parametrize(
    "body",
    [
        '<section class="theorem">x</section><div class="proof">y</div>',
        '<div class="theorem">x</div><section class="proof">y</section>',
        '<p class="theorem">x</p><p class="proof">y</p>',
    ],
)
def test_only_div_elements_make_pairs(body):
    assert found(xhtml(body)) == []


@pytest.mark.parametrize(
    "body",
    [
        f"<div>{LEMMA}</div>{PROOF}",
        f"{LEMMA}<div>{PROOF}</div>",
        f"<div>{LEMMA}</div><div>{PROOF}</div>",
        PROOF + LEMMA,
        LEMMA,
        PROOF,
    ],
)
def test_a_pair_is_two_neighbours_in_this_order(body):
    assert found(xhtml(body)) == []


def test_of_two_statements_before_a_proof_the_second_has_the_proof():
    body = '<div class="theorem">first</div><div class="theorem">second</div>' + PROOF
    assert texts(xhtml(body)) == [("second", "Proof")]


def test_of_two_proofs_after_a_statement_the_first_belongs_to_it():
    assert texts(xhtml(f'{LEMMA}{PROOF}<div class="proof">Another</div>')) == [("Lemma", "Proof")]


def test_a_proof_that_is_also_called_theorem_can_be_a_statement():
    body = f'{LEMMA}<div class="proof theorem">both</div>{PROOF}'
    assert texts(xhtml(body)) == [("Lemma", "both"), ("both", "Proof")]


def test_a_pair_inside_a_proof_is_a_pair_too():
    inner = '<div class="theorem">Claim</div><div class="proof">Inner</div>'
    body = f'{LEMMA}<div class="proof">Outer {inner} end</div>'
    assert texts(xhtml(body)) == [("Lemma", "Outer\nClaim\nInner\nend"), ("Claim", "Inner")]


def test_pairs_come_in_the_order_of_the_document():
    body = "".join(f'<div class="theorem">{n}</div><div class="proof">{n}</div><p>…</p>' for n in range(5))
    assert texts(xhtml(body)) == [(str(n), str(n)) for n in range(5)]


@pytest.mark.parametrize("page", [xhtml, html5])
def test_pairs_are_found_at_any_depth(page):
    name = "article.xhtml" if page is xhtml else "article.html"
    nested = "<div>" * 100 + LEMMA + PROOF + "</div>" * 100
    assert len(found(page(nested), name)) == 1


@pytest.mark.parametrize("page", [xhtml, html5])
def test_a_pair_inside_a_comment_is_none(page):
    name = "article.xhtml" if page is xhtml else "article.html"
    assert found(page(f"<!-- {LEMMA}{PROOF} --><p>x</p>"), name) == []
