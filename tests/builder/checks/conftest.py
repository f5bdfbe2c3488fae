"""A variant of the sample, for faults that only a variant can have."""

from pathlib import Path

import pytest

from proofmatch.builder.variants.variant import make_variant


@pytest.fixture(scope="session")
def variant(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_variant(release, tmp_path_factory.mktemp("variant") / "release", symbols="full", workers=1)
