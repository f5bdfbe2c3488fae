"""A corpus of several batches, and the release that a local build makes from it."""

from pathlib import Path

import pytest

from proofmatch.builder import build_release
from tests.builder.engine.killing import copy_many_times
from tests.builder.engine.test_determinism import content


@pytest.fixture(scope="session")
def source(articles, tmp_path_factory) -> Path:
    return copy_many_times(articles, tmp_path_factory.mktemp("several") / "articles", 4)


@pytest.fixture(scope="session")
def expected(source, tmp_path_factory) -> dict[str, str]:
    return content(build_release(source, tmp_path_factory.mktemp("local") / "release", workers=2))
