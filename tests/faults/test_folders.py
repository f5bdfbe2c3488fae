"""An article that changes under a build of its folder: it is read as it was found, or the build says so."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from proofmatch.builder import build_release
from tests.builder.engine.killing import start_build
from tests.builder.engine.test_determinism import content
from tests.faults.stopping import go_on, start_build_that_stops


def edit(article: Path) -> None:
    with article.open("a") as file:
        file.write("<!-- and more -->")


def replace(article: Path) -> None:
    newer = article.with_suffix(".new")
    shutil.copy(article, newer)
    os.utime(newer, (1, 1))  # whatever the clock says
    newer.replace(article)


def cut_off(article: Path) -> None:
    """What is left by somebody who is still writing."""
    os.truncate(article, article.stat().st_size // 2)


@pytest.mark.parametrize("change", [edit, replace, cut_off, Path.unlink], ids=lambda change: change.__name__)
def test_an_article_that_changes_after_it_was_found(articles, tmp_path, change: Callable[[Path], None]):
    folder, release = shutil.copytree(articles, tmp_path / "articles"), tmp_path / "release"
    article = min(folder.iterdir())
    # By then the articles of the first batch are found, and nothing is read.
    build = start_build_that_stops(folder, release, before="is_done")
    change(article)
    go_on(build.pid)
    _, said = build.communicate()
    assert build.returncode == 2, said
    assert said.splitlines()[-1].endswith(
        f"{article} was changed while it was read; run the same command again when it is complete"
    )
    assert "Traceback" not in said
    assert not (release / "manifest.json").exists()
    again = start_build(folder, release)
    _, said = again.communicate()
    assert again.returncode == 0, said
    assert content(release) == content(build_release(folder, tmp_path / "other", workers=2))
