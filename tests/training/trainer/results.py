"""What two trainings must have in common to be the same."""

import json
from pathlib import Path

import torch
from safetensors.torch import load_file

TIMES = ("train_runtime", "train_samples_per_second", "train_steps_per_second")


def history(model: Path) -> list[dict[str, float]]:
    """All that was logged, without how long it took."""
    logged = json.loads((model / "history.json").read_text())
    return [{key: value for key, value in entry.items() if key not in TIMES} for entry in logged]


def weights(model: Path) -> dict[str, torch.Tensor]:
    return load_file(model / "model.safetensors")


def assert_same_weights(model: Path, other: Path) -> None:
    ours, theirs = weights(model), weights(other)
    assert ours.keys() == theirs.keys()
    assert [name for name in ours if not torch.equal(ours[name], theirs[name])] == []
