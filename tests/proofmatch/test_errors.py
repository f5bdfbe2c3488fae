"""Excerpts from untrusted files are short, on one line, and harmless to a terminal."""

import pytest

from proofmatch.errors import one_line, quoted, shown


def test_what_a_library_says_becomes_a_line():
    assert one_line("Corrupt\n  footer: \x1b[2J") == r"Corrupt footer: \x1b[2J"
    assert one_line("naïve reader") == "naïve reader"
    assert len(one_line("x" * 10_000)) < 400


@pytest.mark.parametrize("show", [quoted, shown])
def test_a_long_name_is_cut(show):
    assert len(show("x" * 10_000)) < 100
    assert show("\x1b[2J").isprintable()
