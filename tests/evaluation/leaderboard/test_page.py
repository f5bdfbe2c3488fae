"""The page as its readers see it: complete without scripts, sorted and filtered with them, on any screen."""

import json
import shutil
from pathlib import Path

import pytest

from experiments.store import Store
from proofmatch.evaluation.leaderboard import make_leaderboard
from tests.evaluation.leaderboard.editing import edit

# Results without predictions, and so without ranks, but many of them.
MAIN = f"unverified-{Store('stacks').results('main')[0]['dataset']['manifest_sha256'][:8]}-mixed-test"
TRANSDUCTIVE = f"{MAIN}-transductive"
EVIL = "<script>document.title = 'gone'</script><b>x</b>"


@pytest.fixture(scope="session")
def site(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("stacks")
    Store("stacks").write_files(folder / "results")
    return make_leaderboard(folder / "results", folder / "site").folder


@pytest.fixture(scope="session")
def ranked(submissions, release, tmp_path_factory) -> Path:
    """A site with ranks, and one row without."""
    folder = tmp_path_factory.mktemp("ranked")
    results = Path(shutil.copytree(submissions, folder / "results"))
    (results / "dice-local.jsonl").unlink()
    return make_leaderboard(results, folder / "site", release).folder


@pytest.fixture(scope="session")
def boards(site) -> dict[str, dict]:
    document = json.loads((site / "leaderboard.json").read_text())
    return {board["id"]: board for board in document["boards"]}


def rows(page, column=".system", board=MAIN) -> list[str]:
    """What visible rows say in a column, from top to bottom."""
    return page.locator(f"section#{board} tbody tr:visible {column}").all_inner_texts()


def names(page, board=MAIN) -> list[str]:
    return [
        text.split("\n")[0].replace("\xa0", " ").strip()
        for text in rows(page, ".system > :first-child", board)
    ]


def usual(board) -> list[dict]:
    """The rows of a board that are shown at first."""
    return [row for row in board["rows"] if row["kind"] != "ablation"]


def heading(page, key, board=MAIN):
    return page.locator(f"section#{board} th[data-key={key}]")


def test_without_scripts_every_board_is_there(visit, site, boards):
    page = visit(site / "index.html", javascript=False).page
    for board in boards.values():
        assert page.locator(f"section#{board['id']}").is_visible()
        assert len(rows(page, board=board["id"])) == len(board["rows"])
    assert page.locator("#controls").is_hidden()
    assert names(page) == [row["system"] for row in boards[MAIN]["rows"]]
    assert heading(page, "system").get_attribute("aria-sort") == "ascending"
    page.click(f"nav a[href='#{TRANSDUCTIVE}']")
    assert page.locator(f"section#{TRANSDUCTIVE} table").is_visible()


def test_one_board_is_shown_at_a_time(visit, site):
    page = visit(site / "index.html").page
    assert page.locator("section.board:visible").count() == 1
    page.click(f"nav a[data-board='{TRANSDUCTIVE}']")
    assert page.locator("section.board:visible").get_attribute("id") == TRANSDUCTIVE
    assert page.locator("nav a[aria-current]").get_attribute("data-board") == TRANSDUCTIVE
    page.go_back()
    assert page.locator("section.board:visible").get_attribute("id") == MAIN


def test_headings_sort_by_click(visit, site, boards):
    page = visit(site / "index.html").page
    scores = [row["scores"].get("one_to_one_exact") for row in usual(boards[MAIN])]
    values = [score["value"] for score in scores if score]
    heading(page, "one_to_one_exact").get_by_role("button").click()
    shown = rows(page, ".one_to_one_exact .figure")
    assert shown == [f"{100 * value:.1f}" for value in sorted(values, reverse=True)]
    assert rows(page, "td.one_to_one_exact")[len(values) :] == ["–"] * (len(scores) - len(values))
    assert page.locator(f"section#{MAIN} .rank:visible").count() == 0  # there are no ranks to show
    assert heading(page, "one_to_one_exact").get_attribute("aria-sort") == "descending"
    assert heading(page, "system").get_attribute("aria-sort") is None
    heading(page, "one_to_one_exact").get_by_role("button").click()
    assert rows(page, ".one_to_one_exact .figure") == shown[::-1]
    assert rows(page, "td.one_to_one_exact")[-1] == "–"
    assert heading(page, "one_to_one_exact").get_attribute("aria-sort") == "ascending"


def test_headings_sort_by_keyboard(visit, site):
    page = visit((site / "index.html").as_uri() + f"#{MAIN}&sort=mrr").page
    heading(page, "system").get_by_role("button").focus()
    page.keyboard.press("Enter")
    assert names(page) == sorted(names(page), key=str.casefold)
    assert heading(page, "system").get_attribute("aria-sort") == "ascending"
    page.keyboard.press("Space")
    assert heading(page, "system").get_attribute("aria-sort") == "descending"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert heading(page, "input").get_attribute("aria-sort") == "ascending"
    assert rows(page, "td.input") == sorted(rows(page, "td.input"))


def test_filters_narrow_the_rows_and_say_how_many_are_left(visit, site, boards):
    page = visit(site / "index.html").page
    total, all_of_them = len(usual(boards[MAIN])), len(boards[MAIN]["rows"])
    assert len(names(page)) == total
    page.select_option("#input", "math")
    assert set(rows(page, "td.input")) == {"math"}
    page.select_option("#kind", "baseline")
    assert sorted(names(page)) == ["bm25", "dice", "tfidf"]
    assert page.inner_text("#status").startswith(f"3 of {all_of_them} rows")
    page.fill("#find", "DIC")
    assert names(page) == ["dice"]
    page.fill("#find", "no such system")
    assert page.locator(f"section#{MAIN} .empty").is_visible()
    page.locator(f"section#{MAIN} .reset").click()
    assert len(names(page)) == all_of_them
    assert page.input_value("#find") == ""


def test_ablations_are_shown_to_those_who_ask(visit, site, boards):
    page = visit(site / "index.html").page
    assert not [name for name in names(page) if "view" in name]
    page.check("#ablations")
    assert len(names(page)) == len(boards[MAIN]["rows"]) > len(usual(boards[MAIN]))
    again = visit(page.url).page
    assert again.is_checked("#ablations")
    again.select_option("#kind", "baseline")
    again.select_option("#kind", "ablation")
    assert {row["kind"] for row in boards[MAIN]["rows"] if row["system"] in names(again)} == {"ablation"}


def test_places_are_those_of_the_whole_board(visit, ranked):
    page = visit(ranked / "index.html").page
    board = page.locator("section.board:visible").get_attribute("id")
    assert rows(page, ".rank", board)[:2] == ["1", "2"]
    (main, *_) = json.loads((ranked / "leaderboard.json").read_text())["boards"]
    page.select_option("#input", "text")
    wanted = [str(row["rank"]) for row in main["rows"] if row["input"] == "text"]
    assert rows(page, ".rank", board) == wanted


def test_what_was_not_checked_stands_apart_from_ranks(visit, ranked):
    for javascript in (True, False):
        page = visit(ranked / "index.html", javascript=javascript).page
        apart = page.locator("section.board >> nth=0").locator(".apart")
        assert "not checked" in apart.locator("h3").inner_text()
        assert [text.split("\n")[0] for text in apart.locator("tbody .system").all_inner_texts()] == [
            "dice baseline"
        ]
        assert apart.locator("tbody .rank").is_hidden()
        assert page.locator("section.board >> nth=0").locator("table").count() == 2
    page = visit(ranked / "index.html").page
    page.fill("#find", "tfidf")
    assert page.locator(".apart").first.is_hidden()
    page.fill("#find", "dice")
    assert page.locator(".apart").first.is_visible()
    assert page.inner_text("#status").startswith("1 of 3 rows")


def test_a_link_shows_the_same_view_again(visit, site):
    first = visit(site / "index.html").page
    first.click("nav a[data-board$='by-article-test']")
    first.select_option("#input", "both")
    first.fill("#find", "fast & <b>")
    first.fill("#find", "fast")
    board = first.locator("section.board:visible").get_attribute("id")
    heading(first, "accuracy", board).get_by_role("button").click()
    heading(first, "accuracy", board).get_by_role("button").click()
    link = first.locator("#view").get_attribute("href")
    assert first.url.endswith(link)
    second = visit((site / "index.html").as_uri() + link).page
    assert names(second, board) == names(first, board)
    assert len(names(second, board)) > 1
    assert second.input_value("#find") == "fast"
    assert second.input_value("#input") == "both"
    assert heading(second, "accuracy", board).get_attribute("aria-sort") == "ascending"


@pytest.mark.parametrize(
    "address",
    [
        "#nothing",
        "#&sort=nothing&order=sideways&input=%3Cb%3E&kind=x",
        f"#{MAIN}&sort=__proto__",
        "#main",
        "#%",
        "#=&=&",
    ],
)
def test_an_odd_address_shows_the_first_board(visit, site, boards, address):
    page = visit((site / "index.html").as_uri() + address).page
    assert page.locator("section.board:visible").get_attribute("id") == MAIN
    assert len(names(page)) == len(usual(boards[MAIN]))


@pytest.mark.parametrize("width", [320, 390, 800, 1280])
@pytest.mark.parametrize("name", ["index.html", "submit.html"])
def test_no_page_scrolls_sideways(visit, site, width, name):
    page = visit(site / name, width=width, height=844).page
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_on_a_phone_rows_are_cards_that_can_be_sorted(visit, site):
    page = visit(site / "index.html", width=390, height=844).page
    first = page.locator(f"section#{MAIN} tbody tr").first.bounding_box()
    assert first["y"] + first["height"] < 844  # a result on the first screen
    page.click("#filters summary")
    page.select_option("#sort", "system")
    assert names(page) == sorted(names(page), key=str.casefold)
    page.select_option("#order", "down")
    assert names(page) == sorted(names(page), key=str.casefold, reverse=True)
    card = page.locator(f"section#{MAIN} tbody tr").first
    assert card.bounding_box()["width"] > 300
    label = card.locator("td.mrr").evaluate("cell => getComputedStyle(cell, '::before').content")
    assert label == '"MRR"'
    page.select_option("#board", TRANSDUCTIVE)
    page.wait_for_selector(f"section#{TRANSDUCTIVE}", state="visible")


def test_dark_and_print_have_their_own_colours(visit, site):
    colour = "getComputedStyle(document.body).backgroundColor"
    dark = visit(site / "index.html", dark=True).page
    assert dark.evaluate(colour) != "rgb(255, 255, 255)"
    printed = visit(site / "index.html", dark=True, media="print").page
    assert printed.evaluate(colour) in ("rgb(255, 255, 255)", "rgba(0, 0, 0, 0)")
    assert printed.locator("#controls").is_hidden()


def test_tables_are_tables_for_those_who_hear_them(visit, site):
    for width in (390, 1280):
        page = visit(site / "index.html", width=width).page
        table = page.get_by_role("table").first
        assert table.get_by_role("row").count() > 10
        assert table.get_by_role("rowheader").first.inner_text().startswith(names(page)[0])
    assert page.get_by_role("status").inner_text().endswith("sorted by system, ascending")


def test_reported_and_transductive_boards_say_what_they_are(visit, site):
    page = visit((site / "index.html").as_uri() + "#paper-test").page
    assert "on the paper's corpus" in page.inner_text("#paper-test .note")
    assert page.locator("section#paper-test .rank:visible").count() == 0
    assert set(rows(page, ".system .badge", "paper-test")) == {"reported"}
    other = visit((site / "index.html").as_uri() + f"#{TRANSDUCTIVE}").page
    assert "cannot be compared" in other.inner_text(f"#{TRANSDUCTIVE}")
    assert "(claimed)" in other.inner_text(f"#{TRANSDUCTIVE} h2")
    assert "Not verified" in other.inner_text(f"#{TRANSDUCTIVE}")


def test_figures_link_to_result_files(visit, site):
    page = visit(site / "index.html").page
    links = page.locator("td.score a").evaluate_all("links => links.map(link => link.getAttribute('href'))")
    assert len(links) > 200
    assert all((site / link).is_file() for link in links)


def test_names_are_text_everywhere(visit, results, tmp_path):
    def spoil(content):
        content["system"] |= {
            "name": EVIL,
            "notes": EVIL,
            "submitter": EVIL,
            "decoding": "local",
            "url": "https://example.org/'\"><b>",
        }
        content["dataset"]["id"] = EVIL

    edit(results / "tfidf-local.result.json", spoil)
    site = make_leaderboard(results, tmp_path / "evil").folder
    seen = visit(site / "index.html").page
    assert "Matching statements" in seen.title()
    assert seen.locator("main b, main script").count() == 0
    assert EVIL in seen.inner_text("main")
    link = seen.locator("tbody th a[href^='https://example.org']").first
    assert link.get_attribute("href") == "https://example.org/'\"><b>"
    assert "noopener" in link.get_attribute("rel")
    board = seen.locator("section.board:visible").get_attribute("id")
    seen.fill("#find", EVIL)
    assert EVIL in names(seen, board)
    assert visit(site / "submit.html").page.locator("main b").count() == 0


def test_reports_of_another_evaluator_are_marked(visit, results, tmp_path):
    edit(results / "dice-local.result.json", lambda content: content["evaluator"].update(version="0.0.1"))
    site = make_leaderboard(results, tmp_path / "mixed").folder
    page = visit(site / "index.html").page
    marked = page.locator("section.board:visible tr", has_text="evaluator 0.0.1")
    assert marked.count() == 1
    assert marked.locator(".rank").is_hidden()
