"""A release for each test to push."""

import shutil
from pathlib import Path

import pytest


@pytest.fixture
def folder(release: Path, tmp_path: Path) -> Path:
    """A copy of the sample release, free to be changed."""
    return Path(shutil.copytree(release, tmp_path / "release"))
