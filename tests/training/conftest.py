"""What tests around models share: a tiny matcher, trained on the sample for one epoch."""

from pathlib import Path

import pytest

from proofmatch.evaluation.release import open_release
from proofmatch.training.run import train_matcher
from proofmatch.training.settings import load_settings

TINY = [
    "embedding_size=16",
    "num_layers=1",
    "num_heads=2",
    "key_size=8",
    "value_size=8",
    "feed_forward_size=16",
    "per_device_train_batch_size=16",
    "num_train_epochs=1",
]


@pytest.fixture(scope="session")
def tiny_model(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a matcher; what it has learnt is next to nothing."""
    out = tmp_path_factory.mktemp("models") / "tiny"
    return train_matcher(open_release(release), load_settings("quick", TINY), out)
