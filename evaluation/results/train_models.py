"""Trains the systems of `models.toml` and makes their result files: `make models`.

python evaluation/results/train_models.py RELEASE MODELS [NAME…]

MODELS is the folder that the models are kept in. A run that was interrupted goes on, and a finished one is
not trained again.
"""

import sys
from pathlib import Path

from evaluating import write_results
from systems import RESULTS, describe, keep_history, read_systems, task_of, trained_system

from proofmatch.evaluation.release import open_release
from proofmatch.training.prediction import model_scores


def main(arguments: list[str]) -> int:
    """Train and evaluate all systems, or those named."""
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    release, models = open_release(arguments[0]), Path(arguments[1])
    systems = read_systems("models")
    if unknown := set(arguments[2:]) - set(systems):
        print(f"there is no {', '.join(unknown)}; systems are {', '.join(systems)}", file=sys.stderr)
        return 2
    results = RESULTS / release.id
    for name in arguments[2:] or systems:
        print(f"{name}:", flush=True)
        system = systems[name]
        model = trained_system(release, models, name, system)
        keep_history(models, name, results / "histories")
        for split, place in (("validation", results / "validation"), ("test", results)):
            task = task_of(release, system, split)
            write_results(task, model_scores(model, task), describe(name, system, models), name, place)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
