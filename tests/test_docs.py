"""The pages of the documentation: numbers come from result files, and what they tell people to type works."""

import doctest
import json
import os
import re
import shlex
import subprocess
import sys

import pytest

from tests.benchmarks.growth_page import PAGE, draw_plots, render_page
from tests.conftest import REPOSITORY

RESULTS = REPOSITORY / "tests" / "benchmarks" / "results"
FEW = "60"  # documents, instead of thousands


@pytest.fixture(scope="module")
def growth() -> dict:
    return json.loads((RESULTS / "growth.json").read_text(encoding="utf-8"))


def test_the_page_about_growth_is_made_of_the_results(growth):
    assert PAGE.read_text(encoding="utf-8") == render_page(growth), "run `make bench`, which writes the page"


def test_the_plots_can_be_drawn(growth):
    for name, svg in draw_plots(growth).items():
        assert (RESULTS / name).exists()
        assert "<svg" in svg


def test_links_of_the_pages_lead_somewhere():
    for page in PAGE.parent.glob("*.md"):
        for link in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            assert "://" in link or (page.parent / link).exists(), (page.name, link)


def test_files_that_the_architecture_names_exist():
    for page in (PAGE.parent / "architecture.md", REPOSITORY / "CONTRIBUTING.md"):
        walks = page.read_text(encoding="utf-8")
        for name in re.findall(r"`((?:\w+/)+[\w.]*)`", walks):
            folders = (REPOSITORY, REPOSITORY / "builder")
            assert any((folder / name).exists() for folder in folders), (page.name, name)


def test_the_commands_of_the_pages_run(tmp_path):
    for page in PAGE.parent.glob("*.md"):
        for block in re.findall(r"```sh\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
            for line in block.splitlines():
                line = re.sub(r"(?<=--documents )\d+", FEW, line.removeprefix("python -m "))
                done = subprocess.run(
                    [sys.executable, "-m", *shlex.split(line, comments=True)],
                    cwd=tmp_path,
                    env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
                    capture_output=True,
                    text=True,
                    check=False,
                )
                assert done.returncode == 0, (line, done.stderr)


def test_the_examples_of_the_pages_are_right():
    for page in PAGE.parent.glob("*.md"):
        blocks = re.findall(r"```pycon\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
        session = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page.name, str(page), 0)
        assert doctest.DocTestRunner().run(session).failed == 0, page.name


def test_the_costs_of_decoding_are_those_of_the_results():
    found = json.loads((RESULTS / "matching.json").read_text(encoding="utf-8"))
    lines = (PAGE.parent / "decoding.md").read_text(encoding="utf-8").splitlines()
    rows = [decoding_row(kind, one) for kind in ("random", "tfidf") for one in found[kind]]
    assert [line for line in lines if line.startswith(("| random |", "| tfidf |"))] == rows
    assert all(one["exact_gap"] == 0 for kind in ("random", "tfidf") for one in found[kind])
    assert found["processors"] == 2


def decoding_row(kind: str, one: dict) -> str:
    cells = (
        kind,
        f"{one['n']:,}",
        f"{one['candidates_seconds'] + one['pruned_seconds']:.1f}",
        f"{one['exact_seconds']:.1f}",
        str(one["exact_rounds"]),
        f"{one['exact_pairs']:,}",
        f"{one['exact_pairs'] / one['n'] ** 2:.1%}",
        f"{one['verify_seconds']:.2f}",
        f"{one['peak_mb']:,.0f}",
        f"{one['lapjv_seconds']:.1f}" if "lapjv_seconds" in one else "–",
        f"{one['lapjv_peak_mb']:,.0f}" if "lapjv_peak_mb" in one else "–",
    )
    return f"| {' | '.join(cells)} |"
