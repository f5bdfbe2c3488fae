"""What the README tells people to type works."""

import doctest
import importlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
from urllib.request import urlopen

import pytest

from proofmatch.builder import import_published
from proofmatch.builder.published_source import PUBLISHED_CORPUS
from proofmatch.cli import INTERRUPTED
from tests.builder.latex.texts import article as latex_article
from tests.builder.published_corpus import write_corpus
from tests.conftest import REPOSITORY

README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", README, re.DOTALL)


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """A small corpus, in the place of the published one."""
    folder = tmp_path_factory.mktemp("published")
    write_corpus(folder, {"train": 80, "dev": 10, "test": 10})
    return folder


def test_the_shell_commands_of_the_readme_run_one_after_the_other(articles, published, tmp_path, owner):
    (tmp_path / "articles").symlink_to(articles)
    owner.hub.publish(PUBLISHED_CORPUS, published)
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "main.tex").write_text(latex_article())
    commands = [line for kind, block in BLOCKS if kind == "sh" for line in block.splitlines()]
    ours = [shlex.split(line, comments=True) for line in commands if line.startswith("proofmatch ")]
    assert len(ours) >= 2
    for command in ours:
        if "papers/" in command and shutil.which("latexmlc") is None:
            continue
        if "serve" in command:
            serves_until_interrupted([*command, "--port", "0"], tmp_path, owner.environment)
            continue
        result = subprocess.run(
            [sys.executable, "-m", *command],
            cwd=tmp_path,
            env={**owner.environment, "XDG_CACHE_HOME": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == 0, (command, result.stderr)


def serves_until_interrupted(command, folder, environment):
    with subprocess.Popen(
        [sys.executable, "-m", *command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # shells may have it ignored
    ) as process:
        try:
            said = process.stdout.readline()
            url = re.match(r"(http://127\.0\.0\.1:\d+/?) has the page", said)
            assert url, (command, said)
            with urlopen(url[1]) as page:  # noqa: S310 - the pattern allows nothing else
                assert b"<textarea" in page.read()
            process.send_signal(signal.SIGINT)
            assert process.wait(30) == INTERRUPTED
        finally:
            process.kill()


def test_the_python_blocks_of_the_readme_run_one_after_the_other(articles, published, tmp_path, owner):
    (tmp_path / "articles").symlink_to(articles)
    owner.hub.publish(PUBLISHED_CORPUS, published)
    import_published(published, tmp_path / "match")
    script = "\n".join(block for kind, block in BLOCKS if kind == "python")
    result = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env=owner.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr


def test_make_targets_of_the_readme_exist():
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"`?make (\w+)", README):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


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
