"""The trained systems of the tables: trains them, or opens them if they are already trained."""

import json
import tomllib
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Any

from proofmatch.builder.release.release import Release
from proofmatch.evaluation.system import System
from proofmatch.evaluation.task import Task, load_task
from proofmatch.training import ProofMatcher
from proofmatch.training.matcher import saved_training_data
from proofmatch.training.model_folder import RUN
from proofmatch.training.prediction import TrainedMatcher, load_matcher
from proofmatch.training.run import train_matcher
from proofmatch.training.settings import load_settings
from proofmatch.training.trainer.callbacks import HISTORY
from proofmatch.training.trainer.history import training_seconds

from .store import EXPERIMENTS, History


def read_systems(name: str) -> dict[str, dict[str, Any]]:
    """Read a list of systems: `models` or `ablation`."""
    return tomllib.loads((EXPERIMENTS / f"{name}.toml").read_text(encoding="utf-8"))


def read_claims() -> dict[str, dict[str, Any]]:
    """Read the systems of `claims.toml`, one for each input and seed."""
    claims = tomllib.loads((EXPERIMENTS / "claims.toml").read_text(encoding="utf-8"))
    return {
        f"{name}-{input_}-seed-{seed}": {
            **system,
            "input": input_,
            "set": [*claims["set"], *system["set"], f"seed={seed}"],
        }
        for seed, input_, (name, system) in product(
            claims["seeds"], claims["inputs"], claims["systems"].items()
        )
    }


def trained_system(release: Release, models: Path, name: str, system: dict[str, Any]) -> TrainedMatcher:
    """Train a system in the folder of its name, resume its training, or open it if it is complete.

    Args:
        release: The pairs.
        models: The folder of all models.
        name: The system's name.
        system: Its entry in the list of systems.
    """
    by_article = system.get("by_article", False)
    folder = models / name
    overrides = list(system.get("set", []))
    if "encoder_package" in system:
        encoder = models / system["encoder_package"]  # by this name, models and results refer to it
        if not encoder.exists():
            models.mkdir(parents=True, exist_ok=True)
            encoder.symlink_to(str(files(system["encoder_package"]) / "model"))
        if "preset" not in system:
            _save_untrained(str(encoder), folder)
            return load_matcher(folder)
        overrides.append(f"encoder={encoder}")
    train_matcher(
        release,
        load_settings(system["preset"], overrides),
        folder,
        input=system["input"],
        by_article=by_article,
        resume=(folder / RUN).exists(),
    )
    return load_matcher(folder)


def load_history(models: Path, name: str) -> History | None:
    """Read what was logged while a system was trained; None if it was not trained."""
    path = models / name / HISTORY
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def describe(name: str, system: dict[str, Any], models: Path) -> System:
    """Describe a system for the tables, with its training time if it was trained."""
    history = load_history(models, name)
    seconds = None if history is None else training_seconds(history)
    extra = {} if seconds is None else {"training_seconds": round(seconds, 1)}
    data = saved_training_data(models / name)
    trained_on = None if data is None else [entry.as_json() for entry in data.entries]
    return System(system["system"], system["input"], trained_on=trained_on, extra=extra)


def task_of(release: Release, system: dict[str, Any], split: str = "test") -> Task:
    """Open the split that a system is evaluated on."""
    return load_task(release, split, by_article=system.get("by_article", False))


def _save_untrained(encoder: str, folder: Path) -> None:
    from transformers import AutoTokenizer

    ProofMatcher.from_encoder(encoder).save_pretrained(folder)
    AutoTokenizer.from_pretrained(encoder).save_pretrained(folder)
