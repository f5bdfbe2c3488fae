"""The commands that are killed: build, import, train and push, small but with all their stages."""

import hashlib
import json
import shutil
from pathlib import Path

from proofmatch.builder.sample import sample_articles
from tests.builder.engine.killing import copy_many_times
from tests.builder.published_corpus import write_corpus
from tests.faults.kills import Errand
from tests.hub.client import Client
from tests.hub.server import LoopbackHub
from tests.training.conftest import TINY

REPOSITORY = "ada/statement-proof-matching"
TAG = "v1.0"

_COPIES = 4
_PAIRS = {"train": 6000, "dev": 700, "test": 700}
_TRAINING = [
    *TINY,
    *("per_device_train_batch_size=30", "num_train_epochs=4", "save_epochs=0.4", "log_epochs=0.6"),
    *("optimizer=adamw", "learning_rate=0.01", "max_words=42"),
]
# How long it took is in the history as well, and differs.
_TIMES = ("train_runtime", "train_samples_per_second", "train_steps_per_second")


def build_sources(folder: Path) -> Path:
    return copy_many_times(sample_articles(), folder / "articles", _COPIES)


def import_sources(folder: Path) -> Path:
    write_corpus(folder / "published", _PAIRS)
    return folder / "published"


def making_a_release(command: str, sources: Path, folder: Path) -> Errand:
    """A build or an import."""
    release = folder / "release"
    return Errand(
        command,
        lambda: [command, str(sources), "--out", str(release), "--workers", "2"],
        lambda: all_files(release),
        victims=("driver", "driver", "worker", "group"),
    )


def train(release: Path, folder: Path) -> Errand:
    model = folder / "model"

    def command() -> list[str]:
        return train_command(release, model, *(["--resume"] if (model / "run.json").exists() else []))

    # Sums of several threads differ in their last digits from those of one.
    return Errand("train", command, lambda: trained(model), {"OMP_NUM_THREADS": "1"}, ("driver", "group"))


def train_command(release: Path, model: Path, *more: str) -> list[str]:
    settings = [part for setting in _TRAINING for part in ("--set", setting)]
    return ["train", "--data", str(release), "--preset", "quick", "--out", str(model), *settings, *more]


def push(release: Path, folder: Path, hub: LoopbackHub) -> Errand:
    """A push to a Hub of its own, so that nothing is there before."""
    owner = Client(hub, folder / "home", hub.add_token("ada"))
    return Errand(
        "push",
        lambda: ["push", str(release), REPOSITORY, "--tag", TAG],
        lambda: _pushed(hub),
        owner.environment,
    )


def all_files(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def trained(model: Path) -> dict[str, object]:
    logged = json.loads((model / "history.json").read_text(encoding="utf-8"))
    return {
        "history": [{key: value for key, value in row.items() if key not in _TIMES} for row in logged],
        "weights": hashlib.sha256((model / "model.safetensors").read_bytes()).hexdigest(),
        "files": sorted(path.name for path in model.iterdir()),
    }


def _pushed(hub: LoopbackHub) -> dict[str, object]:
    repository = hub.dataset(REPOSITORY)
    return {
        "files": {
            path: hashlib.sha256(hub.content(blob)).hexdigest()
            for path, blob in repository.at(TAG).files.items()
        },
        "is_tagged_once": list(repository.tags) == [TAG],
        "is_at_the_tag": repository.at(TAG) is repository.at("main"),
        "commits": [commit.title for commit in repository.history("main")],
        "all_commits": len(repository.commits),
    }


def cleared(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder
