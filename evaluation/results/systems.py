"""The trained systems of the tables: trained, or opened if they have been."""

import json
import shutil
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

from proofmatch.evaluation.predictions.system import System
from proofmatch.evaluation.release import Release
from proofmatch.evaluation.task import load_task
from proofmatch.training import ProofMatcher
from proofmatch.training.joint.fusion import fuse
from proofmatch.training.prediction import TrainedMatcher, load_matcher
from proofmatch.training.run import RUN, train_matcher
from proofmatch.training.settings import load_settings
from proofmatch.training.trainer.callbacks import HISTORY
from proofmatch.training.trainer.history import training_seconds

RESULTS = Path(__file__).parent


def read_systems(name: str) -> dict[str, dict[str, Any]]:
    """Read a list of systems: `models` or `ablation`."""
    return tomllib.loads((RESULTS / f"{name}.toml").read_text(encoding="utf-8"))


def trained_system(release: Release, models: Path, name: str, system: dict[str, Any]) -> TrainedMatcher:
    """Train a system in a folder of its name, go on with its training, or open it.

    Args:
        release: The pairs.
        models: The folder that models are kept in.
        name: Of the system.
        system: What a list of systems says of it.
    """
    by_article = system.get("by_article", False)
    if "fused" in system:
        lexical, encoder = (load_matcher(models / part) for part in system["fused"])
        return fuse(lexical, encoder, release, by_article=by_article)
    folder = models / name
    overrides = list(system.get("set", []))
    if "encoder_package" in system:
        encoder = str(files(system["encoder_package"]) / "model")
        if "preset" not in system:
            _keep_untrained(encoder, folder)
            return load_matcher(folder)
        overrides.append(f"encoder={encoder}")
    train_matcher(
        release,
        load_settings(system["preset"], overrides),
        folder,
        reads=system["input"],
        by_article=by_article,
        resume=(folder / RUN).exists(),
    )
    return load_matcher(folder)


def describe(name: str, system: dict[str, Any], models: Path) -> System:
    """Say what tables say of a system; for how long it was trained is in its history."""
    history = models / name / HISTORY
    seconds = training_seconds(json.loads(history.read_text(encoding="utf-8"))) if history.exists() else None
    extra = {} if seconds is None else {"training_seconds": round(seconds, 1)}
    return System(system["system"], system["input"], extra=extra)


def keep_history(models: Path, name: str, folder: Path) -> None:
    """Keep what was logged while a system was trained, if it was."""
    if (models / name / HISTORY).exists():
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(models / name / HISTORY, folder / f"{name}.json")


def task_of(release: Release, system: dict[str, Any], split: str = "test"):  # noqa: ANN201 - a task
    """Open the split that a system is judged on."""
    return load_task(release, split, by_article=system.get("by_article", False))


def _keep_untrained(encoder: str, folder: Path) -> None:
    from transformers import AutoTokenizer

    ProofMatcher.from_encoder(encoder).save_pretrained(folder)
    AutoTokenizer.from_pretrained(encoder).save_pretrained(folder)
