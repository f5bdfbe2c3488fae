"""The site of the documentation: built strictly, complete, and without third-party servers."""

import os
import re
import subprocess
import sys
from html import unescape
from importlib.util import find_spec
from pathlib import Path
from shutil import copytree

import pytest

import proofmatch.builder
import proofmatch.evaluation
import proofmatch.training
from tests.conftest import REPOSITORY

pytestmark = pytest.mark.skipif(
    find_spec("mkdocs") is None, reason="mkdocs is not installed: pip install 'proofmatch[docs]'"
)
# Nobody listens there, so a request would fail.
NO_NETWORK = dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), "http://127.0.0.1:9")


def build(repository: Path, site: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(site)],
        cwd=repository,
        env={**os.environ, **NO_NETWORK, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """The repository, with pages that a test may change."""
    folder = tmp_path_factory.mktemp("repository")
    for entry in REPOSITORY.iterdir():
        if entry.name not in ("docs", "build", "site", ".git"):
            (folder / entry.name).symlink_to(entry)
    copytree(REPOSITORY / "docs", folder / "docs")
    return folder


@pytest.fixture(scope="module")
def site(copied, tmp_path_factory):
    folder = tmp_path_factory.mktemp("built") / "site"
    built = build(copied, folder)
    assert built.returncode == 0, built.stderr
    return folder


def test_every_page_is_in_the_site(site):
    pages = {f"{page.stem}.html" for page in (REPOSITORY / "docs").glob("*.md")}
    assert pages | {"index.html", "results.html"} <= {page.name for page in site.glob("*.html")}


def test_pages_load_nothing_from_other_servers(site):
    for page in site.glob("*.html"):
        loaded = re.findall(
            r"<(?:script|img|link|iframe)\b[^>]*\b(?:src|href)=\"?([^\s\">]+)", page.read_text()
        )
        assert not [address for address in loaded if "//" in unescape(address)], page.name


def test_the_reference_has_all_public_names(site):
    text = (site / "reference.html").read_text(encoding="utf-8")
    names = [
        *(f"proofmatch.{name}" for name in proofmatch.__all__),
        *(
            f"{package.__name__}.{name}"
            for package in (proofmatch.builder, proofmatch.evaluation, proofmatch.training)
            for name in package.__all__
        ),
    ]
    documented = set(re.findall(r'id="?(proofmatch[\w.]+)', text))
    ends = {name.rpartition(".")[2] for name in documented}
    assert {name.rpartition(".")[2] for name in names} <= ends


@pytest.mark.parametrize("link", ["nowhere.md", "data.md#nowhere", "../nowhere.py"])
def test_a_broken_link_is_an_error(copied, tmp_path, link):
    page = copied / "docs" / "search.md"
    before = page.read_text(encoding="utf-8")
    page.write_text(f"{before}\n[lost]({link})\n", encoding="utf-8")
    try:
        built = build(copied, tmp_path / "site")
    finally:
        page.write_text(before, encoding="utf-8")
    assert built.returncode != 0
    assert "nowhere" in built.stderr
