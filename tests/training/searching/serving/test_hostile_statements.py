"""Hostile statements are answered or refused, in JSON and in time."""

import json
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofmatch.training.searching.serving.service import (
    MAX_CHARACTERS,
    Refused,
    SearchService,
    read_request,
)
from tests.training.searching.test_query import TEX

PATIENCE = 120  # seconds


def answer(service, statement):
    """Send a request as a browser does; return the answer, or the reason for the refusal."""
    try:
        fields = {"statement": statement, "k": 1, "why": True, "shown": True}
        found = service.search(read_request(json.dumps(fields).encode()))
    except Refused as refused:
        assert refused.status == 400
        return refused.sentence
    return json.loads(found.model_dump_json())


@pytest.fixture(scope="module")
def service(searcher):
    return SearchService(searcher)


@settings(max_examples=60)
@given(st.one_of(st.text(), TEX, TEX.map("${}$".format), TEX.map(lambda tex: (tex * 50)[:MAX_CHARACTERS])))
def test_any_statement_is_answered_or_refused(service, statement):
    answer(service, statement)


UNITS = [
    *(
        "{",
        "}",
        "$",
        "${",
        "{$",
        "$}{",
        "\\",
        "\\(",
        "\\[",
        "&",
        "\\\\",
        "'",
        "~",
        "^",
        "_",
        "x^",
        "_{",
        "%",
        "#",
    ),
    *(r"\text{", r"\left(", r"\sqrt", r"\sqrt{", r"\frac", r"\emph{", r"\begin{matrix}", r"\begin{equation}"),
    *(
        r"\mathrm{",
        r"\not",
        r"\label{",
        r"\ref[",
        r"\overline",
        r"\def\a{",
        r"\def\a{\a\a}\a",
        r"\def\a#1{#1#1}\a{\a",
        r"\newcommand\a[9]{",
        "x ",
        "<b>",
        "é",
        "𝒪",
        "\u0301",
        "\u202e",
    ),
]


@pytest.mark.parametrize("unit", UNITS)
def test_long_repetitions_are_answered_in_time(service, unit):
    done = []

    def ask():
        for before, after in (("", ""), ("$", "$"), ("$x", "y$")):
            done.append(answer(service, before + unit * (7_990 // len(unit)) + after))

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert len(done) == 3


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("{", "}"),
        (r"\sqrt{", "}"),
        (r"\text{", "}"),
        ("x^{", "}"),
        (r"\left(", r"\right)"),
        (r"\frac{1}{", "}"),
    ],
)
@pytest.mark.parametrize("times", [30, 50, 400])
def test_deep_nesting_is_answered(service, opening, closing, times):
    answer(service, "$" + opening * times + "x" + closing * times + "$")
