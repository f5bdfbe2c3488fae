"""A page runs only its own script and loads nothing; a chart is a table, readable without its bars."""

import re
from base64 import b64encode
from dataclasses import asdict
from hashlib import sha256
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import jinja2
import pytest

import proofmatch.evaluation
from proofmatch.dataset_card.style import DARK, LIGHT
from proofmatch.evaluation.pages.rendering import TEMPLATES, Bar, percent, percent_between, render_page

HOSTILE = "</title><script>alert(1)</script>"
NAMESPACES = ("http://www.w3.org/1998/Math/MathML", "http://www.w3.org/2000/svg")


@pytest.fixture
def folder(tmp_path):
    """The templates of a page."""
    (tmp_path / "own.html.jinja").write_text(
        '{% extends "page.html.jinja" %}{% block content %}<p>{{ told }}</p>{% endblock %}'
    )
    (tmp_path / "own.css").write_text("p { color: var(--ink); }")
    (tmp_path / "own.js").write_text('document.querySelector("p").append(element("b", {}, " & more"));')
    return tmp_path


def _page(folder, **options):
    options = {
        "title": "Toys",
        "told": "Told",
        "style": "own.css",
        "scripts": ["elements.js", "own.js"],
        **options,
    }
    return render_page("own.html.jinja", folder, **options)


def _policy(page):
    (content,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    return dict(rule.partition(" ")[::2] for rule in unescape(content).split("; "))


def _hash(text):
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def test_the_policy_names_the_script_and_style_inside_and_nothing_else(folder):
    page = _page(folder)
    policy = _policy(page)
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    (script,) = re.findall(r'<script type="module">(.*?)</script>', page, re.DOTALL)
    assert (policy["style-src"], policy["script-src"]) == (_hash(style), _hash(script))
    assert (policy["default-src"], policy["connect-src"]) == ("'none'", "'none'")
    assert (policy["base-uri"], policy["form-action"]) == ("'none'", "'none'")
    assert "unsafe" not in str(policy)
    assert style.endswith((folder / "own.css").read_text())
    assert script.endswith((folder / "own.js").read_text())


def test_a_page_that_talks_does_so_to_its_own_server_only(folder):
    assert _policy(_page(folder, connects=True))["connect-src"] == "'self'"


def test_a_page_without_scripts_has_none(folder):
    assert "<script" not in _page(folder, scripts=[])


def test_titles_and_values_are_texts(folder):
    page = _page(folder, title=HOSTILE, told=HOSTILE)
    assert "<script>" not in page
    assert page.count("&lt;script&gt;") == 3  # title, heading and text


def test_the_browser_runs_the_script_and_refuses_all_else(folder, tmp_path, visit):
    page = _page(folder).replace(
        "</main>", '<i onclick="window.ran = 1">x</i><script>window.ran = 1</script></main>'
    )
    (tmp_path / "page.html").write_text(page)
    seen = visit(tmp_path / "page.html", checked=False)
    seen.page.click("i")
    assert seen.page.text_content("main p") == "Told & more"
    assert seen.page.evaluate("window.ran") is None
    assert seen.page.evaluate("fetch('page.html').then(() => 'read', () => 'refused')") == "refused"
    assert "Content Security Policy" in str(seen.errors)


EVERY_TEMPLATE = sorted(
    path
    for path in Path(proofmatch.evaluation.__file__).parent.glob("*/templates/*")
    if path.suffix in (".jinja", ".css", ".js") and not path.name.endswith(".md.jinja")
)


@pytest.mark.parametrize("path", EVERY_TEMPLATE, ids=lambda path: "/".join(path.parts[-3:]))
def test_templates_name_nothing_in_the_network(path):
    text = path.read_text(encoding="utf-8")
    for namespace in NAMESPACES:
        text = text.replace(namespace, "")
    text = re.sub(r'<a href="https?://', "", text)  # who clicks on it goes there
    text = re.sub(r"<(code|pre)\b.*?</\1>", "", text, flags=re.DOTALL)  # to read
    assert not re.search(r"https?://|//[a-z0-9-]+\.[a-z]|@import|url\(", text)


def _luminance(colour):
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one, other):
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _mixed(colour, paper, share):
    """A colour of which there is only so much, on paper."""
    channels = [
        round(share * int(colour[at : at + 2], 16) + (1 - share) * int(paper[at : at + 2], 16))
        for at in (1, 3, 5)
    ]
    return "#" + "".join(f"{channel:02x}" for channel in channels)


@pytest.mark.parametrize(("mode", "tint"), [("light", 0.22), ("dark", 0.32)])
def test_texts_stand_out_from_what_is_behind_them(mode, tint):
    palette = {"light": LIGHT, "dark": DARK}[mode]
    colours = asdict(palette)
    for text in ("ink", "faint_ink", "blue"):  # links are blue
        assert _contrast(colours[text], palette.paper) >= 4.5, text
    for text in ("ink", "blue"):
        assert _contrast(colours[text], palette.panel) >= 4.5, text
    for mark in ("blue", "orange", "purple"):
        assert _contrast(palette.ink, _mixed(colours[mark], palette.paper, tint)) >= 4.5, mark
        assert _contrast(colours[mark], palette.paper) >= 3, mark  # lines, and bars


@pytest.mark.parametrize(
    "palette",
    [
        pytest.param(LIGHT, id="light"),
        pytest.param(DARK, id="dark"),
    ],
)
def test_remarks_stand_out_from_panels(palette):
    assert _contrast(palette.faint_ink, palette.panel) >= 4.5


def _chart(*rows, **options):
    loader = jinja2.FileSystemLoader(TEMPLATES)
    environment = jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True)
    module = environment.get_template("bars.html.jinja").module
    return str(module.bars("Ranks", ("rank", "statements", "share"), rows, ("statements", "380"), **options))


class _Cells(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.rows = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):  # noqa: ARG002
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data):
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data.strip()


def test_the_table_has_all_figures_without_its_bars():
    chart = _chart(Bar("1", 1.0, ("380", "40.3 %")), Bar("2–3", 0.25, ("95", "10.1 %")))
    assert _Cells(chart).rows == [
        ["rank", "0statements380", "statements", "share"],
        ["1", "", "380", "40.3 %"],
        ["2–3", "", "95", "10.1 %"],
    ]
    assert "<caption>Ranks</caption>" in chart
    assert chart.count('aria-hidden="true"') == 2


def test_widths_intervals_and_colours():
    chart = _chart(Bar("a", 1 / 3, ("1",), (0.25, 0.5)), Bar("b", 0, ("0",), (0, 0), colour="orange"))
    assert 'class="bars with-intervals"' in chart
    assert 'width="33.33%"' in chart
    assert 'x1="25.00%" x2="50.00%"' in chart
    assert 'class="bar blue"' in chart
    assert 'class="bar orange"' in chart
    assert "with-intervals" not in _chart(Bar("a", 1, ("1",)))


def test_labels_and_hints_are_texts():
    hostile = '"><script>alert(1)</script>'
    chart = _chart(Bar(hostile, 1, (hostile,), hint=hostile))
    assert "<script" not in chart
    assert chart.count("&lt;script&gt;") == 3


@pytest.mark.parametrize(
    ("fraction", "written"), [(0, "0.0"), (1, "100.0"), (0.12349, "12.3"), (1e-9, "0.0")]
)
def test_percent(fraction, written):
    assert percent(fraction) == written
    assert percent_between((0, fraction)) == f"0.0–{written}"
