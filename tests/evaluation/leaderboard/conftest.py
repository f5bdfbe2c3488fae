"""Real results of the sample, for tests to modify."""

import shutil
from pathlib import Path

import pytest

from proofmatch.cli import main

SYSTEMS = [
    ("tfidf-local", "tfidf", ["--decode", "local"]),
    ("tfidf-global", "tfidf", ["--decode", "global"]),
    ("tfidf-text", "tfidf", ["--input", "text"]),
    ("dice-local", "dice", []),
    ("sinkhorn", "tfidf", ["--normalize", "sinkhorn", "--temperature", "0.05"]),
]


@pytest.fixture(scope="session")
def submissions(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("submissions")
    for name, baseline, options in SYSTEMS:
        evaluated(release, folder / f"{name}.jsonl", baseline, *options)
    evaluated(release, folder / "by-article" / "dice.jsonl", "dice", split=["--by-article"])
    return folder


@pytest.fixture
def results(submissions: Path, tmp_path: Path) -> Path:
    """A copy of all submissions, free to be changed."""
    return Path(shutil.copytree(submissions, tmp_path / "results"))


@pytest.fixture
def one(submissions: Path, tmp_path: Path) -> Path:
    """A folder with the submission `tfidf-local` and nothing else."""
    folder = tmp_path / "one"
    folder.mkdir()
    for path in submissions.glob("tfidf-local.*"):
        shutil.copy(path, folder)
    return folder


def evaluated(release: Path, predictions: Path, baseline: str, *options: str, split: list[str] = ()) -> None:
    """Let a baseline make predictions, and score them."""
    data = ["--data", str(release), *split]
    predictions.parent.mkdir(exist_ok=True)
    assert main(["baseline", baseline, *data, *options, "--out", str(predictions)]) == 0
    assert (
        main(["evaluate", str(predictions), *data, "--out", str(predictions.with_suffix(".result.json"))])
        == 0
    )
