"""Which `div` elements are a pair, in every generation of LaTeXML's markup; their kinds and titles."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofmatch.builder.extraction.pairs import kind_in_words, kind_of_class, names_label
from proofmatch.builder.extraction.passages import passage_tokens
from tests.builder.extraction.documents import DTD, GENERATIONS, found, html5, raw_pairs, texts, xhtml

LEMMA = '<div class="theorem">Lemma</div>'
PROOF = '<div class="proof">Proof</div>'


@pytest.mark.parametrize("generation", GENERATIONS)
def test_every_generation_of_markup_gives_the_same_pairs(generation):
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
def test_a_pair_inside_a_comment_is_ignored(page):
    name = "article.xhtml" if page is xhtml else "article.html"
    assert found(page(f"<!-- {LEMMA}{PROOF} --><p>x</p>"), name) == []


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


NUMBER = r"(\d+(?:\.\d+)*|[A-Z](?:\.\d+)*)"
MENTION = re.compile(rf"\b([^\W\d_]{{3,}})\.?[\s~]*{NUMBER}(?!\w|\.\d)")
PARTS = (
    "Lemma",
    "lem",
    "Thm",
    "Theorem",
    "le",
    "x",
    "_",
    "²",
    ".",
    " ",
    "~",
    "\n",
    "\u00a0",
    "é",
    *"12A",
    "2.1",
    ",",
)


@given(
    st.lists(st.sampled_from(PARTS), max_size=9).map("".join), st.sampled_from(["1", "2", "2.1", "A", "A.2"])
)
def test_a_mention_of_a_label_is_a_word_and_a_number(text, number):
    mentions = {(kind_in_words(word), found) for word, found in MENTION.findall(text)}
    assert names_label(text, ("lemma", number)) == (("lemma", number) in mentions)
