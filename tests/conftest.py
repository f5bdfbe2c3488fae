"""Shared fixtures: the embedded sample as a release, and the real corpora where they are available."""

import os
from pathlib import Path

import hypothesis
import pytest

from proofmatch.builder import build_release
from proofmatch.builder.sample import sample_articles
from tests.browser.fixtures import chromium, visit  # noqa: F401 - fixtures for all tests
from tests.hub.client import hub, owner, stranger  # noqa: F401 - fixtures for all tests

# Tests run in one process per CPU; with more threads, they would wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# A slow moment of the machine is not a fault.
hypothesis.settings.register_profile("proofmatch", deadline=None)
hypothesis.settings.load_profile("proofmatch")

REPOSITORY = Path(__file__).resolve().parents[1]
SHARED = REPOSITORY.parent / "shared"

# What is slow has a marker, so that a quick run can leave it out.
SLOW = {
    "faults": "kills",
    "builder/engine/test_kill.py": "kills",
    "builder/engine/test_interruption.py": "kills",
    "hub/test_push_interruption.py": "kills",
    "training/trainer/test_resume.py": "kills",
    "builder/engine/clusters": "cluster",
    "training/trainer/test_two_processes.py": "cluster",
    "fuzz": "fuzz",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests by the folder they are in and by the browser they use, and run the slow ones first.

    At the end, workers that have nothing left to do take tests of others, which must be short then.
    """
    for item in items:
        for place, marker in SLOW.items():
            path = REPOSITORY / "tests" / place
            if item.path == path or path in item.path.parents:
                item.add_marker(marker)
        if "chromium" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")
    items.sort(key=lambda item: not any(item.get_closest_marker(marker) for marker in SLOW.values()))


@pytest.fixture(scope="session")
def articles() -> Path:
    return sample_articles()


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory, articles: Path) -> Path:
    return build_release(articles, tmp_path_factory.mktemp("sample") / "release", workers=1)


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder with the real corpora; tests that need real size skip without it."""
    folder = SHARED / "corpus"
    if not folder.is_dir():
        pytest.skip("no real corpora beside the repository (../shared/corpus)")
    return folder
