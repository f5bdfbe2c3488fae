"""The page on how to submit: its commands are run, and their result is on the board."""

import json
import os
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from proofmatch.evaluation.leaderboard import make_leaderboard

REPOSITORY = "https://example.org/results.git"


class Blocks(HTMLParser):
    """The blocks of code on a page, with their languages."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.blocks: list[tuple[str, str]] = []
        self._language = ""
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        if tag == "code" and (language := dict(attributes).get("class")):
            self._language = language
            self.blocks.append((language, ""))

    def handle_endtag(self, tag):
        if tag == "code":
            self._language = ""

    def handle_data(self, data):
        if self._language:
            self.blocks[-1] = (self._language, self.blocks[-1][1] + data)


def program(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def git(*arguments: str, cwd: Path) -> str:
    return subprocess.run(["git", *arguments], cwd=cwd, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def desk(release, results, tmp_path) -> tuple[Path, dict[str, str]]:
    """A folder with the release, programs to type, and a repository of results on the web, so to speak."""
    folder, programs, remote = tmp_path / "desk", tmp_path / "programs", tmp_path / "remote.git"
    folder.mkdir()
    programs.mkdir()
    (folder / "release").symlink_to(release)
    program(programs / "proofmatch", f'exec "{sys.executable}" -m proofmatch "$@"')
    program(programs / "pip", f'echo "$@" >> "{tmp_path}/installed"')
    git("init", "--quiet", "--initial-branch", "main", cwd=results)
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    git("add", ".", cwd=results)
    git(*who, "commit", "--quiet", "--message", "Begin", cwd=results)
    git("clone", "--quiet", "--bare", str(results), str(remote), cwd=tmp_path)
    settings = {f"url.{remote}.insteadOf": REPOSITORY, "user.name": "Ada", "user.email": "ada@example.org"}
    variables = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (key, value) in enumerate(settings.items()):
        variables |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    return folder, {**os.environ, **variables, "PATH": path, "HF_HOME": str(tmp_path / "home")}


@pytest.mark.skipif(shutil.which("git") is None, reason="no git")
def test_what_the_page_says_works(desk, results, release, tmp_path):
    folder, environment = desk
    made = make_leaderboard(results, tmp_path / "first", release, repository=REPOSITORY)
    blocks = Blocks((made.folder / "submit.html").read_text()).blocks
    assert [language for language, _ in blocks] == ["sh", "python", "sh", "sh", "sh", "sh"]
    for language, text in blocks:
        command = ["sh", "-e", "-c", text] if language == "sh" else [sys.executable, "-c", text]
        run = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        assert run.returncode == 0, (text, run.stderr)
    assert (tmp_path / "installed").read_text() == "install proofmatch\n"
    document = json.loads((folder / "site" / "leaderboard.json").read_text())
    (row,) = [row for board in document["boards"] for row in board["rows"] if row["system"] == "overlap"]
    assert row["checked"]
    assert row["scores"].keys() == {"mrr", "accuracy", "one_to_one"}
    sent = git("ls-tree", "-r", "--name-only", "my-system", cwd=tmp_path / "remote.git").split()
    assert "my-system/overlap-local.jsonl" in sent
    assert "my-system/overlap-global.result.json" in sent


def test_options_follow_the_board(results, release, tmp_path):
    for path in results.glob("*.result.json"):
        path.unlink()
    data = tmp_path / "my $(proofs)"
    data.symlink_to(release)
    site = make_leaderboard(results, tmp_path / "site", data).folder
    text = "".join(block for _, block in Blocks((site / "submit.html").read_text()).blocks)
    assert "--data 'my $(proofs)' --split test --by-article" in text
    assert '"statements_by_article", split="test"' in text
    assert "git clone" not in text


def test_the_page_needs_no_scripts(visit, results, tmp_path):
    site = make_leaderboard(results, tmp_path / "site", repository=REPOSITORY).folder
    page = visit(site / "submit.html", dark=True).page
    assert page.locator("script").count() == 0
    assert page.locator(f"a[href='{REPOSITORY}']").count() == 1
    page.click("text=The leaderboard >> nth=0")
    assert page.url.endswith("index.html")
