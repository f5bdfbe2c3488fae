"""Trains the systems of `models.toml` and makes their result files: `make models`.

python evaluation/results/train_models.py RELEASE MODELS [NAME…]

MODELS is the folder that the models are kept in. A run that was interrupted goes on, and a finished one is
not trained again.
"""

import shutil
import sys
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

from evaluating import write_results

from proofmatch.evaluation.release import Release, open_release
from proofmatch.evaluation.task import load_task
from proofmatch.training import ProofMatcher
from proofmatch.training.prediction import load_matcher, model_scores
from proofmatch.training.run import RUN, train_matcher
from proofmatch.training.settings import load_settings
from proofmatch.training.trainer.callbacks import HISTORY

RESULTS = Path(__file__).parent


def main(arguments: list[str]) -> int:
    """Train and evaluate all systems, or those named."""
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    release, models = open_release(arguments[0]), Path(arguments[1])
    systems = tomllib.loads((RESULTS / "models.toml").read_text(encoding="utf-8"))
    if unknown := set(arguments[2:]) - set(systems):
        print(f"there is no {', '.join(unknown)}; systems are {', '.join(systems)}", file=sys.stderr)
        return 2
    for name in arguments[2:] or systems:
        print(f"{name}:", flush=True)
        _train(release, models / name, systems[name])
        _evaluate(release, models / name, name, systems[name])
    return 0


def _train(release: Release, folder: Path, system: dict[str, Any]) -> None:
    overrides = list(system.get("set", []))
    if "encoder_package" in system:
        encoder = str(files(system["encoder_package"]) / "model")
        if "preset" not in system:
            _keep_untrained(encoder, folder)
            return
        overrides.append(f"encoder={encoder}")
    train_matcher(
        release,
        load_settings(system["preset"], overrides),
        folder,
        reads=system["input"],
        by_article=system.get("by_article", False),
        resume=(folder / RUN).exists(),
    )


def _keep_untrained(encoder: str, folder: Path) -> None:
    from transformers import AutoTokenizer

    ProofMatcher.from_encoder(encoder).save_pretrained(folder)
    AutoTokenizer.from_pretrained(encoder).save_pretrained(folder)


def _evaluate(release: Release, folder: Path, name: str, system: dict[str, Any]) -> None:
    results = RESULTS / release.id
    if (folder / HISTORY).exists():
        (results / "histories").mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder / HISTORY, results / "histories" / f"{name}.json")
    model = load_matcher(folder)
    for split, place in (("validation", results / "validation"), ("test", results)):
        task = load_task(release, split, by_article=system.get("by_article", False))
        write_results(task, model_scores(model, task), system["system"], system["input"], name, place)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
