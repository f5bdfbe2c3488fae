"""The page in a real browser: what people see, click and type."""

import re
from urllib.parse import quote

import numpy as np
import pytest

from proofmatch.builder.release.release import open_release
from proofmatch.builder.release.schema import SPLITS
from proofmatch.training.prediction import load_matcher
from proofmatch.training.searching.searcher import Searcher

from .conftest import SCRIPT, STATEMENT

LONG_WAY = "Let $f : X \\to Y$ be a map and $x_1, \\dots, x_n \\in X$. " * 12


def find(seen, statement=STATEMENT):
    """Type a statement, and search by keyboard."""
    seen.page.fill("#statement", statement)
    seen.page.press("#statement", "Control+Enter")
    seen.page.wait_for_selector("#go:enabled")  # it is not while a search goes on
    return seen.page


def sideways(page):
    """How far the page can be scrolled to the side."""
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


def test_a_statement_is_typed_and_proofs_are_found(visit, served, searcher):
    page = find(visit(served.url))
    assert page.locator("article").count() == 5
    assert re.fullmatch(r"5 proofs of [\d,]+ in \d+\.\d\d s", page.inner_text("#status"))
    expected = searcher.search(STATEMENT, 5)
    for number, hit in enumerate(expected):
        text = page.locator("article").nth(number).inner_text()
        assert hit.title in text
        assert hit.proof_id in text
        assert text.index("Statement") < text.index("Proof")
        assert f"{hit.score:.2f}" in text
    # Those who cannot see are told, and are where the results begin.
    assert page.get_attribute("#status", "role") == "status"
    assert page.evaluate("document.activeElement.id") == "found"
    assert page.inner_text("#found") == "The best 5 proofs"


def test_formulas_are_rendered_as_mathml(visit, served):
    page = find(visit(served.url))
    sizes = page.evaluate(
        "[...document.querySelectorAll('.text:not(details .text) math')].map(one => [one.namespaceURI, "
        "one.getBoundingClientRect().width, one.getBoundingClientRect().height])"
    )
    assert len(sizes) > 5
    assert {space for space, _, _ in sizes} == {"http://www.w3.org/1998/Math/MathML"}
    assert all(width > 2 and height > 2 for _, width, height in sizes)


def test_reasons_are_marked_in_the_proof_and_can_be_pointed_at(visit, served):
    page = find(visit(served.url))
    article = page.locator("article").first
    assert article.locator(".proof .orange-mark").count() > 0
    reason = article.locator(".reason").first
    assert article.locator(".chosen").count() == 0
    reason.hover()
    assert article.locator(".proof .chosen").count() > 0
    page.hover("h1")
    assert article.locator(".chosen").count() == 0
    reason.focus()
    assert article.locator(".proof .chosen").count() > 0
    page.focus("#statement")
    assert article.locator(".chosen").count() == 0
    reason.click()
    assert reason.get_attribute("aria-pressed") == "true"
    page.hover("h1")
    assert article.locator(".proof .chosen").count() > 0


def test_symbols_are_marked_too(visit, served):
    page = find(visit(served.url))
    symbols = page.locator("math .orange-mark")
    assert symbols.count() > 0
    assert symbols.first.evaluate("one => getComputedStyle(one).borderBottomStyle") == "solid"


def test_the_score_adds_up(visit, served):
    page = find(visit(served.url))
    article = page.locator("article").first
    parts = [
        float(text.replace("−", "-")) for text in article.locator(".parts td:last-child").all_inner_texts()
    ]
    assert sum(parts) == pytest.approx(float(article.locator(".score strong").inner_text()), abs=0.02)
    assert page.evaluate("document.querySelector('.parts rect').getBoundingClientRect().width") > 5


def test_a_search_can_be_linked(visit, served):
    first = find(visit(served.url))
    assert "#q=Let+%24p%24" in first.url
    again = visit(first.url).page
    again.wait_for_selector("article")
    assert again.input_value("#statement") == STATEMENT
    assert again.locator("article").all_inner_texts() == first.locator("article").all_inner_texts()
    assert STATEMENT[:20] in again.title()


def test_a_link_may_say_how_many_and_where(visit, served, searcher):
    page = visit(f"{served.url}#q={quote(STATEMENT)}&k=10&split=test").page
    page.wait_for_selector("article")
    expected = [hit.proof_id for hit in searcher.search(STATEMENT, 10, split="test")]
    assert [text.split(" · ")[-1] for text in page.locator(".ids").all_inner_texts()] == expected
    assert (page.input_value("#k"), page.input_value("#split")) == ("10", "test")
    odd = visit(f"{served.url}#q=x&k=99999&split=nowhere").page
    odd.wait_for_selector("article")
    assert (odd.input_value("#k"), odd.input_value("#split")) == ("5", "")


def test_the_back_button_returns_to_the_previous_search(visit, served):
    from playwright.sync_api import expect

    seen = visit(served.url)
    page = find(seen, "Every group of prime order is cyclic.")
    before = page.locator("article").all_inner_texts()
    find(seen, STATEMENT)
    assert page.locator("article").all_inner_texts() != before
    page.go_back()
    expect(page.locator("#statement")).to_have_value(re.compile("^Every"))
    page.wait_for_selector("#go:enabled")
    assert page.locator("article").all_inner_texts() == before
    page.go_back()
    page.wait_for_selector("#results", state="hidden")
    assert page.input_value("#statement") == ""


def test_examples_are_a_click_away(visit, served):
    page = visit(served.url).page
    for example in page.locator(".example").all():
        with page.expect_response("**/search"):  # a click in between would end the request
            example.click()
        page.wait_for_selector("article")
        assert page.input_value("#statement") == example.get_attribute("data-statement")


def test_scripts_in_statements_and_proofs_are_text(visit, serve, lexical_model, hostile_release):
    searcher = Searcher(load_matcher(lexical_model), open_release(hostile_release), SPLITS)
    seen = visit(serve(searcher).url)
    asked = []
    seen.page.on("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))
    page = find(seen, f"{SCRIPT} and $x < \\text{{{SCRIPT}}}$ are peaks of Sequences {SCRIPT}")
    page.wait_for_timeout(300)
    assert asked == []
    assert page.locator("#results script, #results img").count() == 0
    assert SCRIPT in page.locator("#read .text").text_content()
    assert any(SCRIPT in text for text in page.locator(".proof .text").all_text_contents())
    assert any(SCRIPT in text for text in page.locator("article h3").all_text_contents())


def test_long_texts_are_folded(visit, served):
    page = find(visit(served.url, width=390), LONG_WAY)
    text, button = page.locator(".folded").first, page.locator(".unfold").first
    folded = text.evaluate("one => one.clientHeight")
    assert button.get_attribute("aria-expanded") == "false"
    unfolded = page.locator(".proof .text, .statement .text").filter(has_not=page.locator(".folded"))
    button.click()
    assert (button.inner_text(), button.get_attribute("aria-expanded")) == ("Show less", "true")
    heights = unfolded.evaluate_all("all => all.map(one => one.clientHeight)")
    assert max(heights) > folded * 1.2
    page.emulate_media(media="print")
    assert page.locator(".folded").count() > 0
    assert page.evaluate(
        "[...document.querySelectorAll('.folded')].every(one => one.scrollHeight <= one.clientHeight + 1)"
    )
    assert not page.locator("#form").is_visible()


def test_similar_statements_are_found(visit, served, searcher):
    page = visit(f"{served.url}#q={quote(STATEMENT)}&among=statements").page
    page.wait_for_selector("article")
    assert page.inner_text("#found") == "The most similar 5 statements"
    expected = searcher.search(STATEMENT, 5, among="statements")
    assert [text.split(" · ")[-1] for text in page.locator(".ids").all_inner_texts()] == [
        hit.proof_id for hit in expected
    ]
    assert "similarity" in page.locator(".score").first.inner_text()
    assert not page.locator(".legend").is_visible()


def test_what_is_not_understood_is_named_and_definitions_help(visit, served):
    seen = visit(served.url)
    page = find(seen, r"Let $x \in \PP^n$ be.")
    assert page.inner_text("#faults") == r"Not understood: \PP."
    page = find(seen, r"\newcommand{\PP}{\mathbb{P}} Let $x \in \PP^n$ be.")
    assert not page.locator("#faults").is_visible()
    assert "ℙ" in page.locator("#read").text_content()


def test_confidence_is_shown_in_words_and_percent(visit, serve, searcher, monkeypatch):
    monkeypatch.setattr(
        type(searcher.model.matcher),
        "confidences",
        lambda _, scores: np.linspace(0.9, 0.0, len(scores)) ** 8 * 2,
        raising=False,
    )
    page = find(visit(serve(searcher).url))
    assert page.locator(".certainty").first.inner_text() == "86% likely"
    assert page.inner_text("#verdict") == "The best proof is likely right (86%)."


def test_equal_proofs_are_one_hit_that_lists_the_other_places(visit, serve, lexical_model, twin_release):
    searcher = Searcher(load_matcher(lexical_model), open_release(twin_release), SPLITS)
    page = find(visit(serve(searcher).url))
    assert page.locator(".others").count() > 0
    assert page.locator(".others summary").first.inner_text().startswith("The same text in")


@pytest.mark.parametrize("dark", [True, False])
@pytest.mark.parametrize("width", [320, 390, 1280])
def test_it_fits_on_any_screen(visit, served, width, dark):
    page = find(visit(served.url, width=width, dark=dark), LONG_WAY)
    assert sideways(page) <= 0
    page.evaluate("document.querySelectorAll('.unfold').forEach(one => one.click())")
    assert sideways(page) <= 0


def test_a_model_without_features_shows_proofs_and_says_why_there_are_no_reasons(
    visit, serve, tiny_model, release
):
    searcher = Searcher(load_matcher(tiny_model), open_release(release), SPLITS)
    page = find(visit(serve(searcher).url))
    assert page.locator("article").count() == 5
    assert "neither says why" in page.inner_text("header")
    assert page.locator("#hits mark, .reason, #among").count() == 0
    assert not page.locator(".legend").is_visible()
    page.click("#read summary")
    assert page.locator("#read math").count() >= 2


def test_errors_are_shown_and_announced(visit, served):
    seen = visit(served.url, checked=False)  # a browser reports answers that are refusals
    page = find(seen, "$" + "{" * 60)
    assert page.inner_text("#status").startswith("More than 50 braces")
    assert page.evaluate("document.activeElement.id") == "statement"
    assert page.get_attribute("#statement", "aria-invalid") == ""
    assert not page.locator("#results").is_visible()
    assert page.locator("#go").is_enabled()
    find(seen)
    assert page.locator("article").count() == 5
    assert page.get_attribute("#statement", "aria-invalid") is None


def test_an_empty_statement_is_refused(visit, served):
    page = visit(served.url).page
    page.fill("#statement", "  ")
    page.press("#statement", "Control+Enter")
    assert page.inner_text("#status") == "Write or paste a statement first."


def test_a_stopped_server_is_reported(visit, served):
    seen = visit(served.url, checked=False)
    seen.page.route("**/search", lambda route: route.abort())
    assert find(seen).inner_text("#status").startswith("The server does not answer")


def test_without_scripts_the_page_says_what_to_do(visit, served):
    assert "needs JavaScript" in visit(served.url, javascript=False).page.inner_text("main")


def test_everything_has_a_label(visit, served):
    page = find(visit(served.url))
    assert page.get_by_label("Statement", exact=True).get_attribute("id") == "statement"
    assert page.get_by_role("combobox", name="Hits").get_attribute("id") == "k"
    assert page.get_by_role("combobox", name="Search in").get_attribute("id") == "among"
    assert page.get_by_role("combobox", name="Split").get_attribute("id") == "split"
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(one => one.id)")
    assert len(ids) == len(set(ids))
    assert page.evaluate("[...document.querySelectorAll('[style], [onclick]')].length") == 0
