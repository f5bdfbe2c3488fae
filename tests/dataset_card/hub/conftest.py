"""A release of one's own to push, and the Hub to push it to."""

import shutil
from pathlib import Path

import pytest

from tests.hub.fixtures import hub as hub
from tests.hub.fixtures import owner as owner
from tests.hub.fixtures import stranger as stranger


@pytest.fixture
def folder(release: Path, tmp_path: Path) -> Path:
    """A copy of the sample release, free to be changed."""
    return Path(shutil.copytree(release, tmp_path / "release"))
