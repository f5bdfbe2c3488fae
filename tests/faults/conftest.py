"""References for fault tests: an undisturbed build and an undisturbed training."""

from pathlib import Path

import pytest

from proofmatch.builder import build_release
from tests.builder.engine.test_determinism import content
from tests.faults.errands import build_sources, train_command, trained
from tests.training.trainer.running import run


@pytest.fixture(scope="session")
def source(tmp_path_factory) -> Path:
    """Articles that make several batches."""
    return build_sources(tmp_path_factory.mktemp("faults"))


@pytest.fixture(scope="session")
def expected(source, tmp_path_factory) -> dict[str, str]:
    """The content of their release."""
    return content(build_release(source, tmp_path_factory.mktemp("whole") / "release", workers=2))


@pytest.fixture(scope="session")
def undisturbed(release, tmp_path_factory) -> dict[str, object]:
    """What comes of a training."""
    folder = tmp_path_factory.mktemp("undisturbed")
    code, said = run(folder / "said", *train_command(release, folder / "model"))
    assert code == 0, said
    return trained(folder / "model")
