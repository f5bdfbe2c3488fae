"""Trains the systems of `models.toml` and makes their result files: `make models`.

python evaluation/results/train_models.py RELEASE MODELS [NAME…]

MODELS is the folder that the models are kept in. A run that was interrupted goes on, and a finished one is
not trained again.
"""

import shutil
import sys
import tempfile
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

from proofmatch.evaluation.decode import DECODINGS, decode
from proofmatch.evaluation.evaluator import evaluate
from proofmatch.evaluation.predictions.system import System
from proofmatch.evaluation.predictions.writing import write_predictions
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
    model, by_article = load_matcher(folder), system.get("by_article", False)
    if (folder / HISTORY).exists():
        (results / "histories").mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder / HISTORY, results / "histories" / f"{name}.json")
    for split, place in (("validation", results / "validation"), ("test", results)):
        place.mkdir(exist_ok=True)
        task = load_task(release, split, by_article=by_article)
        scores = model_scores(model, task)
        for decoding in DECODINGS:
            decoded = decode(scores, decoding)
            described = System(
                name=system["system"],
                input=system["input"],
                decoding=decoding,
                extra={"details": decoded.details},
            )
            stem = f"{task.config}-{name}-{decoding}"
            with tempfile.TemporaryDirectory() as workplace:
                predictions = Path(workplace, f"{stem}.jsonl")
                write_predictions(predictions, decoded.batches(task.statement_ids, task.proof_ids), described)
                evaluate(predictions, release, split, by_article=by_article, out=place / f"{stem}.json")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
