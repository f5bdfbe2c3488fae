"""The page never parses a text as HTML, and works on phones, on paper and with screen readers."""

from itertools import pairwise

import pytest

from .releases import Pair

HOSTILE = [
    "<script>window.ran = 1; alert(1)</script>",
    "</script><script>window.ran = 1</script>",
    "<img src=x onerror=window.ran=1>",
    "]]> --> <!-- <![CDATA[",
    "{{7*7}} {% raw %} ${7*7}",
    "line\u2028and\u2029ends",
    "\"quotes' `and` &amp; &lt;",
    "marks \u202eright to left\u202c \u200f",
]
ATTACK = " ".join(HOSTILE)
FORMULAS = (
    r"$\href{javascript:window.ran=1}{x} \style{position:fixed}{y} \text{<img src=x onerror=window.ran=1>}$"
)


@pytest.fixture(scope="module")
def hostile(make_report):
    pairs = [
        Pair(
            f"{ATTACK.replace('$', chr(92) + '$')} {FORMULAS}",
            ATTACK.replace("$", r"\$"),
            ATTACK,
            ATTACK,
            ATTACK,
            ATTACK,
        ),
        Pair("Second.", f"{HOSTILE[0]} {FORMULAS}", "two  spaces", HOSTILE[2], HOSTILE[2]),
    ]
    lists = {0: {1: 2.0, 0: 1.0}, 1: {0: 2.0, 1: 1.0}}
    return make_report(
        pairs,
        lists,
        name=" ".join(HOSTILE[1:3]),
        notes=" ".join(HOSTILE[:5]),
        url='https://a"onclick=window.ran=1>',
    )


@pytest.mark.parametrize("match", ["s0", "s1"])
def test_hostile_texts_do_nothing(visit, hostile, match):
    seen = visit(f"{hostile.as_uri()}#match={match}")
    page = seen.page
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    page.wait_for_selector("#match .rival")
    assert page.locator("#match :is(a, img, script, [style], [onerror])").count() == 0
    assert page.locator("img, script:not([type])").count() == 0
    page.fill("#search", HOSTILE[0])
    page.wait_for_function("() => location.hash.includes('search=')")
    page.wait_for_timeout(100)
    assert page.evaluate("window.ran") is None
    assert [url for url in seen.requests if "report.html" not in url] == []


def test_hostile_texts_are_shown_as_they_are(visit, hostile):
    page = visit(f"{hostile.as_uri()}#match=s0").page
    page.wait_for_selector("#match .rival")
    places = ("#match .gold .words", "#match .statement .words", "#match .statement .faint")
    for place in places:
        shown = page.text_content(place)
        assert [text for text in HOSTILE if text not in shown] == []
    assert HOSTILE[2] in page.text_content("#match .rival .faint")
    assert all(text in page.text_content("header p") for text in HOSTILE[:5])
    assert all(text in page.text_content("h1") for text in HOSTILE[1:3])
    assert all(text in page.title() for text in HOSTILE[1:3])
    assert page.get_attribute("header p a", "href") == 'https://a"onclick=window.ran=1>'
    assert page.get_attribute("header p a", "onclick") is None


@pytest.mark.parametrize("category", [ATTACK, "two  spaces"])
def test_any_category_can_be_chosen(visit, hostile, category):
    page = visit(hostile).page
    page.wait_for_selector("#match .rival")
    page.select_option("#category", category)
    page.wait_for_function("() => location.hash.includes('category=')")
    assert page.inner_text("#count").startswith("1 of 2 matches")


WIDE = [
    Pair(
        f"{'Unbreakable' * 30} $f({', '.join(f'a_{{{n}}}' for n in range(60))})$",
        rf"$\begin{{pmatrix}} {' & '.join(12 * ['xxxxxxxxx'])} \end{{pmatrix}}$ and \$\${'x' * 300}\$\$",
        "a-category-of-many-letters-that-somebody-made-up",
        "T" * 200,
        article="a" * 200,
    ),
    Pair("Short.", "Short."),
]


@pytest.fixture(scope="module")
def wide(make_report):
    return make_report(WIDE, {0: {1: 2.0, 0: 1.0}, 1: {0: 2.0, 1: 1.0}}, name="N" * 100, notes="n" * 300)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("which", ["report_of_many", "wide", "hostile"])
def test_on_a_phone_the_page_does_not_scroll_sideways(visit, which, dark, request):
    page = visit(request.getfixturevalue(which), width=390, height=800, dark=dark).page
    page.wait_for_selector("#match .rival")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(255, 255, 255)") is not dark


def test_on_a_phone_a_link_leads_to_the_match(visit, report_of_many):
    page = visit(report_of_many, width=390, height=800).page
    page.wait_for_selector("#match .rival")
    page.locator("#list a").nth(2).click()
    page.wait_for_function(
        "() => Math.abs(document.getElementById('match').getBoundingClientRect().top) < 30"
    )


def test_on_a_phone_an_address_leads_to_the_match(visit, report_of_many):
    page = visit(f"{report_of_many.as_uri()}#match=s71", width=390, height=800).page
    page.wait_for_selector("#match .rival")
    page.wait_for_function(
        "() => Math.abs(document.getElementById('match').getBoundingClientRect().top) < 30"
    )


def test_without_javascript_figures_are_there_and_the_list_says_what_it_needs(visit, report_of_many):
    page = visit(report_of_many, javascript=False).page
    assert page.locator("table.bars").first.is_visible()
    assert "Accuracy" in page.inner_text(".tiles")
    assert "The list needs JavaScript" in page.inner_text("main")
    assert not page.locator("#browser").is_visible()


def test_on_paper_there_are_charts_and_no_controls(visit, report_of_many):
    page = visit(report_of_many, media="print", dark=True).page
    page.wait_for_selector("#match .rival")
    assert page.locator("table.bars").count() >= 9
    for table in page.locator("table.bars").all():
        assert table.is_visible()
    bars = page.eval_on_selector_all(
        ".bar rect", "bars => bars.map(bar => bar.getBoundingClientRect().width)"
    )
    assert max(bars) > 100
    for hidden in (".controls", "nav.list", "header nav", ".steps"):
        assert not page.locator(hidden).first.is_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_on_paper_nothing_is_folded(make_report, visit):
    pairs = [Pair("A", f"B{number}", f"math.{number}") for number in range(13)]
    report = make_report(pairs, {number: {0: 2.0, number or 1: 1.0} for number in range(13)})
    category = "table:has-text('MRR by primary category')"
    assert not visit(report).page.locator(category).is_visible()
    assert visit(report, media="print").page.locator(category).is_visible()


def test_headings_are_in_order(visit, report_of_many):
    page = visit(report_of_many).page
    page.wait_for_selector("#match .rival")
    levels = page.eval_on_selector_all("h1, h2, h3, h4", "all => all.map(one => Number(one.tagName[1]))")
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_every_control_has_a_name_and_every_table_a_caption(visit, report_of_many):
    page = visit(report_of_many).page
    page.wait_for_selector("#match .rival")
    nameless = page.eval_on_selector_all(
        "input, select, button, a, nav, summary",
        "all => all.filter(one => !(one.labels?.[0]?.textContent || one.ariaLabel || one.textContent).trim())"
        ".map(one => one.outerHTML)",
    )
    assert nameless == []
    assert page.locator("table:not(:has(caption))").count() == 0
    assert page.locator("tbody tr:not(:has(th[scope=row]))").count() == 0
    assert page.get_attribute("html", "lang") == "en"
    assert page.locator("main").count() == 1
    assert page.locator("#list [aria-current]").count() == 1
    assert page.get_attribute("#count", "role") == "status"
    ids = page.eval_on_selector_all("[id]", "all => all.map(one => one.id)")
    assert len(ids) == len(set(ids))


def test_the_keyboard_reaches_the_content_first(visit, report_of_many):
    page = visit(report_of_many).page
    page.wait_for_selector("#match .rival")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.activeElement.id === 'main'")
