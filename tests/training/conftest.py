"""Fixtures for tests of models: tiny matchers of all kinds, trained on the sample for an epoch or two."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from proofmatch.builder.release.release import open_release
from proofmatch.training.run import train_matcher
from proofmatch.training.settings import load_settings
from tests.training.tiny_encoder import save_tiny_encoder

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


# The same for the presets of matchers with features.
ONE_VIEW = "blind_groups=[]"  # so that matchers are of the kind that tests are about
TINY_FAST = [ONE_VIEW, "rank=8", "per_device_train_batch_size=16", "num_train_epochs=2"]
TINY_FAST += ["eval_epochs=1", "save_epochs=1"]
TINY_JOINT = [*TINY, "rank=8", "max_words=42", "chunk_size=7"]


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A cache that has nothing of earlier runs, nor leaves anything behind."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        yield folder


@pytest.fixture(scope="session")
def tiny_model(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a matcher; what it has learnt is next to nothing."""
    out = tmp_path_factory.mktemp("models") / "tiny"
    return train_matcher(open_release(release), load_settings("quick", TINY), out)


@pytest.fixture(scope="session")
def lexical_model(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a lexical matcher whose scores do not depend on the other candidates."""
    out = tmp_path_factory.mktemp("models") / "lexical"
    settings = load_settings("fast", [*TINY_FAST, "candidate_weight=0"])
    return train_matcher(open_release(release), settings, out)


@pytest.fixture(scope="session")
def joint_model(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a joint matcher."""
    out = tmp_path_factory.mktemp("models") / "joint"
    return train_matcher(open_release(release), load_settings("joint", TINY_JOINT), out)


@pytest.fixture(scope="session")
def best_model(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a matcher with three views and a pretrained encoder, which is gone.

    Its scores do not depend on the other candidates.
    """
    encoder = save_tiny_encoder(tmp_path_factory.mktemp("encoders") / "tiny-bert", n_layers=2)
    own = [f"encoder={encoder}", "frozen_layers=1", "encoder_share=0.5", "candidate_weight=0"]
    tiny = [setting for setting in TINY_FAST if setting != ONE_VIEW]
    out = train_matcher(
        open_release(release),
        load_settings("best", [*tiny, *own]),
        tmp_path_factory.mktemp("models") / "best",
    )
    shutil.rmtree(encoder)
    return out


@pytest.fixture(scope="session", params=["fast", "best"])
def multi_view_model(
    release: Path, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Path:
    """The folder of a matcher whose first view sees names, and whose last one does not."""
    out = tmp_path_factory.mktemp("models") / f"views-{request.param}"
    own = {"fast": [], "best": ["encoder=none", "learning_rate=0.05", "feature_rate=1", "table_rate=0.4"]}
    tiny = [setting for setting in TINY_FAST if setting != ONE_VIEW]
    settings = load_settings(request.param, [*tiny, *own[request.param]])
    return train_matcher(open_release(release), settings, out)
