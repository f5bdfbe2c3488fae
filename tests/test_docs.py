"""The pages of the documentation: numbers come from result files, and their commands and examples work."""

import doctest
import importlib
import json
import os
import re
import shlex
import subprocess
import sys

import pytest

from proofmatch.builder.published_source import PUBLISHED_CORPUS
from proofmatch.builder.release.release import open_release
from proofmatch.evaluation import evaluate
from proofmatch.evaluation.baselines import baseline_scores, choose_ngrams
from proofmatch.evaluation.task import load_task
from proofmatch.training.run import train_matcher
from proofmatch.training.settings import load_settings
from tests.benchmarks.growth_page import PAGE, draw_plots, render_page
from tests.builder.latex.texts import article as latex_article
from tests.builder.published_corpus import write_corpus
from tests.conftest import REPOSITORY
from tests.documentation import SHOWN, follow, read_blocks
from tests.training.conftest import TINY_FAST

DOCS = sorted((REPOSITORY / "docs").glob("*.md"))
PAGES = [
    *DOCS,
    *(REPOSITORY / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")),
]
PAGES.append(REPOSITORY / "experiments" / "README.md")
# The page about growth has its own test here, because of its sizes, and that about integrations its own file.
FOLLOWED = [
    page
    for page in PAGES
    if page.name not in ("growth.md", "integrations.md")
    and any(block.language in ("sh", "python") for block in read_blocks(page))
]
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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_of_the_pages_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
        assert "://" in link or (page.parent / link).exists(), link


def test_the_readme_is_short():
    assert len((REPOSITORY / "README.md").read_bytes()) <= 8_000


def test_the_table_of_the_demo_in_the_readme_has_the_scores_of_the_baselines(release):
    """Those of a trained matcher may differ in the last digit between processors."""
    opened = open_release(release)
    shown = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    for title, name in (("TF-IDF", "tfidf"), ("BM25", "bm25")):
        task = load_task(opened, "test")
        ngrams = choose_ngrams(opened, "both").ngrams if name == "bm25" else None
        scores = baseline_scores(name, task, "both", ngrams=ngrams).block(0, len(task.statement_ids))
        found = evaluate(scores, opened, statement_ids=task.statement_ids, proof_ids=task.proof_ids).measures
        assert re.search(
            rf"^{title} +{100 * found.mrr:.1f} +{100 * found.accuracy:.1f} ", shown, re.MULTILINE
        )


def test_files_that_the_architecture_names_exist():
    for page in (PAGE.parent / "architecture.md", REPOSITORY / "CONTRIBUTING.md"):
        walks = page.read_text(encoding="utf-8")
        for name in re.findall(r"`((?:\w+/)+[\w.]*)`", walks):
            folders = (REPOSITORY, REPOSITORY / "builder")
            assert any((folder / name).exists() for folder in folders), (page.name, name)


@pytest.fixture(scope="module")
def place(articles, release, tmp_path_factory):
    """What pages take for granted: articles, LaTeX sources, a release, and a model."""
    folder = tmp_path_factory.mktemp("place")
    (folder / "articles").symlink_to(articles)
    (folder / "papers").mkdir()
    (folder / "papers" / "main.tex").write_text(latex_article())
    (folder / "release").symlink_to(release)
    train_matcher(open_release(release), load_settings("fast", TINY_FAST), folder / "model")
    return folder


@pytest.mark.parametrize("page", FOLLOWED, ids=lambda page: page.name)
def test_what_a_page_tells_people_to_type_works(page, place, tmp_path, owner):
    published = tmp_path / "published"
    write_corpus(published, {"train": 80, "dev": 10, "test": 10})
    owner.hub.publish(PUBLISHED_CORPUS, published)
    folder = tmp_path / "here"
    folder.mkdir()
    makes = {
        command[command.index("--out") + 1]
        for block in read_blocks(page)
        if block.language == "sh"
        for command in (shlex.split(line, comments=True) for line in block.content.splitlines())
        if "--out" in command and "--status" not in command
    }
    for given in place.iterdir():
        if given.name not in makes:
            (folder / given.name).symlink_to(given.resolve())
    assert follow(page, folder, owner.environment) > 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_of_a_page_is_run_or_only_shown(page):
    assert {block.language for block in read_blocks(page)} <= {"sh", "python", *SHOWN}


def test_synthetic_articles_are_made_as_the_page_about_growth_says(tmp_path):
    lines = [
        line for block in read_blocks(PAGE) if block.language == "sh" for line in block.content.splitlines()
    ]
    assert lines
    for line in lines:
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


@pytest.mark.parametrize(
    "module",
    [
        "tokens",
        "extraction.pairs",
        "extraction.metadata",
        "linearization.content",
        "linearization.fonts",
        "linearization.formulas",
    ],
)
def test_examples_in_docstrings_hold(module):
    results = doctest.testmod(importlib.import_module(f"proofmatch.builder.{module}"))
    assert results.attempted > 0
    assert results.failed == 0
