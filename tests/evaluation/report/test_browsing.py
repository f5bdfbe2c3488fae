"""Wrong matches in a browser: what readers see and reach with a mouse, keys or a link."""

import re
from base64 import b64encode
from hashlib import sha256

import pytest

from proofmatch.evaluation.report.matches import unpacked

from .conftest import CATEGORIES
from .releases import Pair

PER_PAGE = 50
# Presses keys without any pause.
PRESS = """() => {
  const press = (key) => document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  [..."KEYS"].forEach(press);
}"""


@pytest.fixture(scope="module")
def entries(report_of_many):
    """The matches of the page, each an object."""
    (letters,) = re.findall(r'id="index">([^<]*)<', report_of_many.read_text())
    columns = unpacked(letters)
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


@pytest.fixture(scope="module")
def index(entries):
    """The wrong ones."""
    return [entry for entry in entries if entry["outcome"] != "broken"]


@pytest.fixture
def page(visit, report_of_many):
    return _ready(visit(report_of_many))


def _ready(seen):
    seen.page.wait_for_selector("#match .rival")
    return seen.page


def _shown(page):
    """The id of the match that is looked at."""
    (about,) = page.locator("#match .statement .faint").all_inner_texts()
    return about.rpartition(", ")[2]


def _wait_for(page, wanted):
    page.wait_for_function(
        "wanted => document.querySelector('#match .statement .faint')?.textContent.endsWith(', ' + wanted)",
        arg=wanted,
    )


def _listed(page):
    """The ids of the matches in the list."""
    links = page.eval_on_selector_all("#list a", "links => links.map(link => link.hash)")
    return [re.search(r"match=([^&]*)", link)[1] for link in links]


def _current(page):
    return page.eval_on_selector_all("#list [aria-current]", "links => links.map(link => link.hash)")


def _count(page):
    return page.inner_text("#count")


def _near(entry):
    return entry["rank"] or float("inf")


def test_the_list_begins_with_the_nearest_misses_and_the_first_is_shown(page, index):
    expected = [entry["id"] for entry in sorted(index, key=_near)]
    assert _listed(page) == expected[:PER_PAGE]
    assert _shown(page) == expected[0]
    assert _count(page) == "96 matches, showing number 1"
    assert len(_current(page)) == 1


@pytest.mark.parametrize(
    ("control", "value", "is_kept"),
    [
        ("category", "math.AC", lambda entry: entry["category"] == "math.AC"),
        ("rank", "2-2", lambda entry: entry["rank"] == 2),
        ("rank", "4-5", lambda entry: entry["rank"] is not None and 4 <= entry["rank"] <= 5),
        ("rank", "none", lambda entry: entry["rank"] is None),
        ("outcome", "fixed", lambda entry: entry["outcome"] == "fixed"),
        ("outcome", "wrong", lambda entry: entry["outcome"] == "wrong"),
        ("chosen", "2-4", lambda entry: 2 <= entry["chosen"] <= 4),
        ("chosen", "20-", lambda _: False),
        ("statement-tokens", "1", lambda entry: entry["classes"][0] == 1),
        ("proof-math", "0", lambda entry: entry["classes"][3] == 0),
    ],
)
def test_filters(page, index, control, value, is_kept):
    kept = [entry["id"] for entry in sorted(index, key=_near) if is_kept(entry)]
    page.evaluate("document.querySelector('.more').open = true")
    page.select_option(f"#{control}", value)
    page.wait_for_function("() => location.hash.length > 1")
    assert _listed(page) == kept[:PER_PAGE]
    assert _count(page).startswith(f"{len(kept)} of 96 matches")
    if kept:
        _wait_for(page, kept[0])
    else:
        page.click("text=Show all")
        _wait_for(page, sorted(index, key=_near)[0]["id"])
        assert _count(page).startswith("96 matches")


@pytest.mark.parametrize(
    ("order", "key"),
    [
        ("far", lambda entry: -_near(entry)),
        ("sure", lambda entry: -entry["margin"] if entry["margin"] is not None else float("inf")),
        ("short", lambda entry: len(entry["plain"])),
    ],
)
def test_orders(page, index, order, key):
    page.select_option("#order", order)
    expected = [entry["id"] for entry in sorted(index, key=key)]
    _wait_for(page, expected[0])
    assert _listed(page) == expected[:PER_PAGE]


@pytest.mark.parametrize(
    ("typed", "is_found"),
    [
        ("WIDGET57", lambda entry: "widget57" in entry["plain"]),
        (
            "volume 4",
            lambda entry: "4" in entry["title"] + entry["plain"] + "".join(entry["proofs"]) + entry["id"],
        ),
        ("s41", lambda entry: entry["id"] == "s41"),
        ("p42", lambda entry: "p42" in entry["proofs"]),
        ("xxx", lambda entry: "xxx" in entry["plain"]),  # symbols of formulas
        ("xyzzy", lambda _: False),
        ("(", lambda _: False),
    ],
)
def test_search_finds_words_symbols_titles_and_ids(page, index, typed, is_found):
    found = sum(bool(is_found(entry)) for entry in index)
    page.fill("#search", typed)
    page.wait_for_function("() => location.hash.includes('search=')")
    assert _count(page).startswith(f"{found} of 96 matches")


def test_filters_go_together_and_clear_takes_all_of_them_back(page, index):
    page.select_option("#category", "math.NT")
    page.select_option("#rank", "4-5")
    page.fill("#search", "volume")
    page.wait_for_function("() => location.hash.includes('search=volume')")
    kept = sum(entry["category"] == "math.NT" and entry["rank"] == 4 for entry in index)
    assert _count(page).startswith(f"{kept} of 96")
    page.click("#clear")
    assert _count(page).startswith("96 matches")
    assert [page.input_value(f"#{name}") for name in ("search", "category", "rank")] == ["", "", ""]
    assert page.evaluate("location.hash") == ""


def test_the_categories_to_choose_from_are_those_of_the_list(page):
    options = page.locator("#category option").all_inner_texts()
    assert [option.split()[0] for option in options] == ["all", *sorted(CATEGORIES)]
    assert "math.AG Algebraic Geometry" in options


def test_keys_go_forward_and_back(page, index):
    order = [entry["id"] for entry in sorted(index, key=_near)]
    page.keyboard.press("k")  # nothing before the first
    for place in (1, 2):
        page.keyboard.press("j")
        _wait_for(page, order[place])
        assert _count(page).endswith(f"number {place + 1}")
        assert _current(page) == [f"#match={order[place]}"]
    page.keyboard.press("k")
    _wait_for(page, order[1])


def test_no_key_is_dropped_however_fast_they_are_pressed(page, index):
    order = [entry["id"] for entry in sorted(index, key=_near)]
    page.evaluate(PRESS.replace("KEYS", "jjjjjjjjjjkkj"))
    _wait_for(page, order[9])
    assert _current(page) == [f"#match={order[9]}"]


def test_keys_that_are_pressed_before_the_list_is_there_count(visit, report_of_many, index):
    order = [entry["id"] for entry in sorted(index, key=_near)]
    early = report_of_many.with_name("early.html")
    # The reader is faster than the unpacking: the keys come with the script that starts it.
    keys = f"({PRESS.replace('KEYS', 'jjj')})();"
    text = report_of_many.read_text(encoding="utf-8")
    (script,) = re.findall(r'<script type="module">(.*?)</script>', text, re.DOTALL)
    old, new = (b64encode(sha256(one.encode()).digest()).decode() for one in (script, script + keys))
    early.write_text(text.replace(script, script + keys).replace(old, new), encoding="utf-8")
    page = visit(early).page
    _wait_for(page, order[3])


def test_right_matches_that_one_to_one_matching_breaks_are_there_for_those_who_ask(make_report, visit):
    pairs = [Pair(f"Statement {name}.", f"Proof of {name}.") for name in "AB"]
    report = make_report(pairs, {0: {0: 2.0, 1: 1.9}, 1: {0: 3.0, 1: 0.5}})
    seen = visit(report)
    page = _ready(seen)
    assert _listed(page) == ["s1"]
    page.click("text=one-to-one matching breaks")
    _wait_for(page, "s0")
    assert _listed(page) == ["s0"]
    assert "breaks it" in page.inner_text("#match .steps")
    assert "one-to-one" in page.inner_text("#match .rival h3")
    seen.check()


def test_a_bar_leads_to_the_matches_behind_it(page, index):
    page.click(".bars a[href='#rank=3-3']")
    kept = [entry["id"] for entry in sorted(index, key=_near) if entry["rank"] == 3]
    _wait_for(page, kept[0])
    assert _listed(page) == kept[:PER_PAGE]
    page.wait_for_function("() => document.getElementById('browser').getBoundingClientRect().top < 200")


def test_every_bar_with_a_link_has_as_many_matches_as_it_says(page):
    for address in page.eval_on_selector_all(".bars a", "links => links.map(link => link.hash)"):
        page.evaluate("address => { location.hash = address }", address)
        page.wait_for_function("address => location.hash === address", arg=address)
        page.wait_for_function("() => document.querySelector('#list a')")
        assert not _count(page).startswith("0 of"), address


def test_keys_are_letters_while_somebody_types(page):
    before = _shown(page)
    page.keyboard.press("/")
    page.keyboard.type("jk/")
    assert page.input_value("#search") == "jk/"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") == "match"
    page.wait_for_function("() => location.hash === '#search=jk%2F'")
    assert page.input_value("#search") == "jk/"  # some browsers would empty it
    page.fill("#search", "")
    _wait_for(page, before)
    page.focus("#category")
    page.keyboard.press("j")
    assert _shown(page) == before


def test_keys_with_others_held_are_the_browsers(page):
    before = _shown(page)
    page.keyboard.press("Control+j")
    page.keyboard.press("Alt+j")
    page.wait_for_timeout(100)
    assert _shown(page) == before


def test_focus_stays_on_the_link_that_was_entered(page, index):
    order = [entry["id"] for entry in sorted(index, key=_near)]
    page.focus(f"#list a[href='#match={order[3]}']")
    page.keyboard.press("Enter")
    _wait_for(page, order[3])
    assert page.evaluate("document.activeElement.hash") == f"#match={order[3]}"
    page.keyboard.press("j")
    _wait_for(page, order[4])
    assert page.evaluate("document.activeElement.hash") == f"#match={order[4]}"


def test_focus_stays_on_next_and_goes_to_previous_at_the_end(page):
    page.select_option("#category", "math.NT")
    page.fill("#search", "volume 12")
    page.wait_for_function("() => location.hash.includes('search=')")
    kept = _listed(page)
    assert len(kept) > 2
    _wait_for(page, kept[0])
    page.focus("#match >> text=Next")
    for place, wanted in enumerate(kept[1:], 1):
        page.keyboard.press("Enter")
        _wait_for(page, wanted)
        focused = page.evaluate("document.activeElement.textContent")
        assert focused == ("Next" if place < len(kept) - 1 else "Previous")
    assert page.is_disabled("#match >> text=Next")


def test_focus_inside_a_match_stays_in_the_next_one(page, index):
    page.focus("#match summary")
    page.keyboard.press("j")
    _wait_for(page, sorted(index, key=_near)[1]["id"])
    assert page.evaluate("document.activeElement.id") == "match"


def test_the_next_match_is_read_from_its_beginning(visit, report_of_many, index):
    page = _ready(visit(report_of_many, height=300))
    page.evaluate("document.querySelector('.rival').scrollIntoView({block: 'end', behavior: 'instant'})")
    assert page.evaluate("document.getElementById('match').getBoundingClientRect().top") < 0
    page.keyboard.press("j")
    _wait_for(page, sorted(index, key=_near)[1]["id"])
    assert page.evaluate("document.getElementById('match').getBoundingClientRect().top") >= 0


def test_pages_of_the_list_turn_and_the_match_stays(page, index):
    order = [entry["id"] for entry in sorted(index, key=_near)]
    assert page.is_disabled("#earlier")
    page.focus("#later")
    page.keyboard.press("Enter")
    assert _listed(page) == order[PER_PAGE:]
    assert page.inner_text("#page") == "page 2 of 2"
    assert page.is_disabled("#later")
    assert page.evaluate("document.activeElement.id") == "earlier"
    assert _shown(page) == order[0]
    assert _current(page) == []
    page.keyboard.press("Enter")
    assert _listed(page) == order[:PER_PAGE]
    assert _current(page) == [f"#match={order[0]}"]
    page.keyboard.press("j")
    _wait_for(page, order[1])


def test_the_list_follows_to_its_next_page(visit, report_of_many, index):
    order = [entry["id"] for entry in sorted(index, key=_near)]
    page = _ready(visit(f"{report_of_many.as_uri()}#match={order[PER_PAGE - 1]}"))
    assert page.inner_text("#page") == "page 1 of 2"
    page.keyboard.press("j")
    _wait_for(page, order[PER_PAGE])
    assert page.inner_text("#page") == "page 2 of 2"
    assert _listed(page)[0] == order[PER_PAGE]


def test_an_address_opens_the_same_match_and_filters_in_another_window(page, visit):
    page.select_option("#category", "math.AC")
    page.select_option("#order", "short")
    page.fill("#search", "every & widget")
    page.wait_for_function("() => location.hash.includes('search=')")
    assert _count(page).startswith("0 of")
    page.fill("#search", "every widget")
    page.wait_for_function("() => location.hash.includes('search=every+widget&')")
    wanted = _listed(page)[7]
    page.click(f"#list a[href$='match={wanted}']")
    _wait_for(page, wanted)
    again = _ready(visit(page.url))
    assert _shown(again) == wanted
    assert _listed(again) == _listed(page)
    assert _count(again) == _count(page)
    for name in ("search", "category", "rank", "order", "outcome"):
        assert again.input_value(f"#{name}") == page.input_value(f"#{name}")
    assert again.evaluate("scrollY") > 0


def test_the_buttons_back_and_forward(page, index):
    order = [entry["id"] for entry in sorted(index, key=_near)]
    for place in (1, 2):
        page.keyboard.press("j")
        _wait_for(page, order[place])
    page.go_back()
    _wait_for(page, order[1])
    page.go_back()
    _wait_for(page, order[0])
    page.go_forward()
    _wait_for(page, order[1])
    assert _current(page) == [f"#match={order[1]}"]
    page.click("text=Where it fails")  # no match of that name
    assert _shown(page) == order[1]


def test_an_unknown_id_is_told_and_the_list_is_there(visit, report_of_many, index):
    seen = visit(f"{report_of_many.as_uri()}#match=s-nowhere&category=nowhere")
    seen.page.wait_for_selector("#list a")
    assert "s-nowhere is not listed here" in seen.page.inner_text("#match")
    seen.page.wait_for_function(
        "() => document.getElementById('match').getBoundingClientRect().top < innerHeight"
    )
    assert _count(seen.page) == "96 matches"
    seen.page.keyboard.press("j")
    _wait_for(seen.page, sorted(index, key=_near)[0]["id"])


def test_a_match_that_a_filter_hides_is_shown_if_it_is_asked_for(visit, report_of_many, index):
    hidden = next(entry for entry in index if entry["category"] != "math.AC")
    page = _ready(visit(f"{report_of_many.as_uri()}#category=math.AC&match={hidden['id']}"))
    assert _shown(page) == hidden["id"]
    assert hidden["id"] not in _listed(page)
    assert page.is_disabled("#match >> text=Next")
    page.keyboard.press("j")
    _wait_for(page, _listed(page)[0])


PAIRS = [
    Pair(
        r"Lemma 1. Let $x \in X$ be on the Smooth projective curve of genus 7 "
        "over the field $k$ with $n = 3$ points.",
        r"Proof. The smooth curve $X$ over $k$ has genus 7. Take $n = 3$. By Lemma 1 we are done with $z$.",
    ),
    Pair(
        "Lemma 2.", r"Proof. A projective curve $X$ has the points by Lemma 1, with $x$, 7 and $3$. Take $z$."
    ),
]


@pytest.fixture(scope="module")
def marked(make_report):
    return make_report(PAIRS, {0: {1: 1.0, 0: 1.0}, 1: {1: 1.0}})


def _marks(page, panel):
    return page.eval_on_selector_all(
        f"#match .{panel} [class$=-mark]",
        "marks => marks.map(mark => [mark.textContent, mark.getAttribute('class').split('-')[0]])",
    )


def test_words_and_symbols_are_marked_by_where_they_occur(visit, marked):
    page = _ready(visit(marked))
    both, only_right, only_predicted = "orange", "blue", "purple"
    assert _marks(page, "statement") == [
        ["x", only_predicted],
        ["X", both],
        ["Smooth", only_right],
        ["projective", only_predicted],
        ["curve", both],
        ["genus", only_right],
        ["k", only_right],
        ["n", only_right],
        ["points", only_predicted],
    ]
    assert _marks(page, "gold") == [
        ["smooth", only_right],
        ["curve", both],
        ["X", both],
        ["k", only_right],
        ["genus", only_right],
        ["n", only_right],
    ]
    assert _marks(page, "rival") == [
        ["projective", only_predicted],
        ["curve", both],
        ["X", both],
        ["points", only_predicted],
        ["x", only_predicted],
    ]


def test_the_legend_has_the_marks_that_are_used(visit, marked):
    page = _ready(visit(marked))
    legend = page.eval_on_selector_all(
        ".legend mark", "marks => marks.map(mark => [mark.className, mark.innerText])"
    )
    assert legend == [
        ["orange-mark", "in both proofs"],
        ["blue-mark", "only in the right one"],
        ["purple-mark", "only in the predicted one"],
    ]
    # Colours are not alone: the lines below the marks differ.
    lines = page.eval_on_selector_all(
        ".legend mark", "marks => marks.map(mark => getComputedStyle(mark).borderBottomStyle)"
    )
    assert len(set(lines)) == 3


def test_formulas_are_drawn(visit, marked):
    page = _ready(visit(marked))
    sizes = page.eval_on_selector_all(
        "#match .statement math",
        "all => all.map(one => one.getBoundingClientRect()).map(r => [r.width, r.height])",
    )
    assert len(sizes) == 3
    assert all(width > 5 and height > 5 for width, height in sizes)
    assert page.evaluate("document.querySelector('#match math mi').namespaceURI").endswith("/MathML")


def test_what_is_told_of_a_match(visit, marked):
    page = _ready(visit(marked))
    assert page.locator("#match .badge").all_inner_texts() == [
        "right proof at rank 2",
        "same score as the predicted one",
        "one-to-one matching fixes it",
    ]
    assert page.inner_text("#match .rival .faint") == "of a lemma in “On toys”, p1"
    page.click("text=What the predicted proof proves")
    assert page.inner_text("#match details p") == "Lemma 2."


def test_what_is_opened_stays_open(page, index):
    page.click("text=What the predicted proof proves")
    page.keyboard.press("j")
    _wait_for(page, sorted(index, key=_near)[1]["id"])
    assert page.locator("#match details[open]").count() == 1


def test_a_full_stop_stands_at_its_formula(make_report, visit):
    text = "".join(f"{'word ' * number}$x$.), " for number in range(40))
    page = _ready(
        visit(make_report([Pair(text, "A"), Pair("B", "C")], {0: {1: 2.0, 0: 1.0}, 1: {1: 1.0}}), width=390)
    )
    assert page.inner_text("#match .statement .words").count(".),") == 40
    heights = page.eval_on_selector_all(
        "#match .unbroken", "all => all.map(one => one.getClientRects().length)"
    )
    assert heights == [1] * 40


def test_a_predicted_proof_of_no_statement_has_only_its_id(make_report, visit):
    page = _ready(visit(make_report(PAIRS, {0: {2: 2.0, 0: 0.5}, 1: {1: 1.0}}, ("Spare.",))))
    assert page.inner_text("#match .rival .faint") == "p2"
    assert page.locator("#match details").count() == 0
    assert "score 1.5 below the predicted one" in page.locator("#match .badge").all_inner_texts()


@pytest.mark.parametrize(
    ("source", "link"),
    [
        ("https://arxiv.org/abs/0704.0001#S1.Thm1", "https://arxiv.org/abs/0704.0001#S1.Thm1"),
        ("articles/one.xhtml#S1.Thm1", None),
        ("javascript:alert(1)//https://", None),
        ("<img src=x onerror=alert(1)>", None),
    ],
)
def test_a_source_is_shown_and_a_link_only_if_it_is_a_web_address(visit, make_report, source, link):
    pairs = [Pair("One.", "Two.", source=source), Pair("Three.", "Four.")]
    page = _ready(visit(make_report(pairs, {0: [1, 0], 1: [0, 1]})))
    for side, match in (("statement", "s0"), ("rival", "s1")):
        page.goto(page.url.partition("#")[0] + f"#match={match}")
        page.wait_for_function(
            "id => document.querySelector('#match .statement .faint')?.textContent.includes(id)", arg=match
        )
        about = page.locator(f"#match .{side} .faint")
        assert about.inner_text().endswith(f" · {source}")
        assert page.eval_on_selector_all(f"#match .{side} a", "links => links.map(link => link.href)") == (
            [link] if link else []
        )
        assert page.locator("#match img").count() == 0
