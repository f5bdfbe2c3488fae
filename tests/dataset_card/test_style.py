"""Figures: the same bytes every time, for light and dark pages, and no matplotlib before one is drawn."""

import os
import subprocess
import sys

import pytest
from lxml import etree

from proofmatch.dataset_card.style import DARK, LIGHT, WIDTH, draw_svg, label, line_style

DRAW = """
from proofmatch.dataset_card.style import draw_svg
def draw(figure):
    axes = figure.add_subplot()
    for number in range(5):
        axes.plot([0, number], [1, 2], "o--", label=f"line {number}")
    axes.legend()
print(draw_svg("title", "description", 200, draw))
"""


def run(code: str, **variables: str) -> str:
    environment = os.environ | variables
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    ).stdout


def test_the_bytes_do_not_depend_on_hashes_or_settings(tmp_path):
    (tmp_path / "matplotlibrc").write_text("lines.linewidth: 7\nfont.size: 30\n")
    first = run(DRAW, PYTHONHASHSEED="1")
    assert first == run(DRAW, PYTHONHASHSEED="2", MATPLOTLIBRC=str(tmp_path))


def test_every_colour_that_is_drawn_has_one_for_dark_pages():
    def draw(figure):
        axes = figure.add_subplot()
        axes.set_title("heading")
        for number in range(4):
            axes.plot([0, 1], [0, number], **line_style(number))

    svg = draw_svg("title", "description", 200, draw)
    rules, drawn = svg.split("</style>", 1)
    for name in ("ink", "paper", "grid", "blue", "orange", "green", "purple"):
        assert getattr(LIGHT, name) in drawn
        assert getattr(DARK, name) not in drawn
        assert f": {getattr(DARK, name)} !important" in rules
    assert "#000000" not in drawn


def test_the_figure_is_named_for_those_who_do_not_see_it():
    root = etree.fromstring(draw_svg("a <title>", "a & b", 120, lambda _: None).encode())
    assert (root.get("width"), root.get("height")) == (str(WIDTH), "120")
    named = [root.xpath(f"//*[@id='{name}']")[0].text for name in root.get("aria-labelledby").split()]
    assert named == ["a <title>", "a & b"]


def test_sixteen_lines_look_different():
    assert len({str(line_style(number)) for number in range(16)}) == 16


@pytest.mark.parametrize(
    ("text", "shown"), [("a\n b", "a b"), ("x" * 70, "x" * 59 + "…"), ("\x1b[2J", "\\x1b[2J")]
)
def test_labels_are_one_short_line(text, shown):
    assert label(text) == shown


def test_matplotlib_is_not_imported_before_something_is_drawn():
    modules = "builder.release.assemble", "dataset_card.card", "training.trainer.learning_curve"
    code = "import sys; " + "".join(f"import proofmatch.{module}; " for module in modules)
    assert run(code + "print('matplotlib' in sys.modules)").strip() == "False"
