"""Pinned here: a chart is a table that can be read without its bars, and whose labels are only texts."""

from html.parser import HTMLParser

import jinja2
import pytest

from proofmatch.evaluation.pages.bars import Bar, percent, percent_between
from proofmatch.evaluation.pages.templates import FOLDER


def _chart(*rows, **options):
    loader = jinja2.FileSystemLoader(FOLDER)
    environment = jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True)
    module = environment.get_template("bars.html.jinja").module
    return str(module.bars("Ranks", ("rank", "statements", "share"), rows, **options))


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
        ["rank", "", "statements", "share"],
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
