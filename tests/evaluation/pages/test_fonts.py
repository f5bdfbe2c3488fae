"""Formulas where no font has mathematical letters: ordinary letters in their styles, not empty boxes."""

import os
from pathlib import Path
from shutil import copy

import matplotlib
import pytest

from proofmatch.evaluation.pages.rendering import render_page
from tests.browser.fixtures import OFFLINE, find_chromium

FONTS = Path(matplotlib.get_data_path(), "fonts", "ttf")
# x, sin, and the letters of several styles, as `shown_formula` writes them
FORMULA = (
    '["math", ["mi", "x"], ["mi", "sin"], ["mi", "𝐯"], ["mi", "ℝ"], ["mi", "𝒪"], ["mi", "𝔭"], ["mi", "𝖠"]]'
)


@pytest.fixture
def page(tmp_path):
    (tmp_path / "own.html.jinja").write_text(
        '{% extends "page.html.jinja" %}{% block content %}<p id="here"></p>{% endblock %}'
    )
    (tmp_path / "own.js").write_text(
        f'document.getElementById("here").append(formula({FORMULA}, () => ""), drawable("𝐴ℬ"));'
    )
    text = render_page("own.html.jinja", tmp_path, title="Fonts", scripts=["elements.js", "own.js"])
    (tmp_path / "page.html").write_text(text, encoding="utf-8")
    return tmp_path / "page.html"


@pytest.fixture
def without_math_fonts(chromium, tmp_path):
    """A browser on a machine that has a single font for texts."""
    (tmp_path / "fonts").mkdir()
    copy(FONTS / "DejaVuSansMono.ttf", tmp_path / "fonts")
    settings = tmp_path / "fonts.conf"
    settings.write_text(
        '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>'
        f"<dir>{tmp_path / 'fonts'}</dir><cachedir>{tmp_path / 'cache'}</cachedir></fontconfig>"
    )
    with chromium.in_use() as browser:
        other = browser.browser_type.launch(
            executable_path=find_chromium(),
            args=OFFLINE,
            env={**os.environ, "FONTCONFIG_FILE": str(settings)},
        )
        try:
            yield other
        finally:
            other.close()


def leaves(page):
    return page.eval_on_selector_all(
        "#here mi",
        "all => all.map(one => [one.textContent, one.className.baseVal ?? one.getAttribute('class') ?? '',"
        " getComputedStyle(one).textTransform])",
    )


def test_without_such_a_font_letters_are_ordinary_ones_with_a_style(without_math_fonts, page):
    window = without_math_fonts.new_page()
    window.goto(page.as_uri())
    window.wait_for_selector("#here mi")
    found = leaves(window)
    assert [(text, style.replace("letters-", "")) for text, style, _ in found] == [
        ("x", "italic"),
        ("sin", ""),
        ("v", "bold"),
        ("ℝ", ""),  # which this font has
        ("O", "script"),
        ("p", "fraktur"),
        ("A", "sans"),
    ]
    assert {transform for _, _, transform in found} == {"none"}
    assert window.inner_text("#here").endswith("AB")


def test_with_one_the_letters_stay(visit, page):
    window = visit(page).page
    window.wait_for_selector("#here mi")
    if window.evaluate("document.documentElement.classList.contains('no-math-letters')"):
        pytest.skip("no font with mathematical letters on this machine: apt install fonts-stix")
    assert [text for text, _, _ in leaves(window)] == ["x", "sin", "𝐯", "ℝ", "𝒪", "𝔭", "𝖠"]
