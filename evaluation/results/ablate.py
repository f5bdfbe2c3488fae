"""Shows what each part of a system is worth: `make ablation`.

python evaluation/results/ablate.py RELEASE MODELS

Trains the systems of `ablation.toml`, each of which lacks or changes one thing; normalises scores over all
candidates; and judges systems of `models.toml`, which must have been trained, on releases whose proofs have
other names for their variables. MODELS is the folder that the models are kept in.
"""

import sys
import tempfile
from pathlib import Path

from evaluating import write_results, write_transductive_results
from regenerate import write_pages
from systems import RESULTS, describe, read_systems, task_of, trained_system

from proofmatch.builder.variants.renaming import SYMBOLS
from proofmatch.builder.variants.variant import make_variant
from proofmatch.evaluation.baselines import BASELINES, baseline_scores
from proofmatch.evaluation.predictions.system import System
from proofmatch.evaluation.release import Release, open_release
from proofmatch.evaluation.task import load_task
from proofmatch.training.prediction import load_matcher, model_scores

_QUICK_DECODINGS = ("local", "global")
_NORMALIZATIONS = (
    {"method": "dual-softmax", "temperature": 1.0},
    {"method": "sinkhorn", "temperature": 1.0, "rounds": 20},
)
# Judged with other names and with normalised scores: one or more of each kind.
_COMPARED = ("best-both", "fast-both", "fast-text", "fast-math", "quick-both")
_NORMALIZED = ("best-both", "best-both-by-article", "fast-both", "fast-both-by-article")


def main(arguments: list[str]) -> int:
    """Make everything."""
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    release, models = open_release(arguments[0]), Path(arguments[1])
    results = RESULTS / release.id
    _leave_out_parts(release, models, results / "ablation")
    _normalize(release, models, results / "transductive")
    _rename_symbols(Path(arguments[0]), models, results / "symbols")
    write_pages(results)
    return 0


def _leave_out_parts(release: Release, models: Path, results: Path) -> None:
    for name, system in read_systems("ablation").items():
        print(f"{name}:", flush=True)
        model, task = trained_system(release, models, name, system), task_of(release, system)
        scores = model_scores(model, task)
        write_results(task, scores, describe(name, system, models), name, results, _QUICK_DECODINGS)


def _normalize(release: Release, models: Path, results: Path) -> None:
    systems = read_systems("models")
    for name in _NORMALIZED:
        task, system = task_of(release, systems[name]), describe(name, systems[name], models)
        scores = model_scores(load_matcher(models / name), task)
        for normalization in _NORMALIZATIONS:
            write_transductive_results(task, scores, system, name, results, normalization)


def _rename_symbols(release: Path, models: Path, results: Path) -> None:
    systems = read_systems("models")
    with tempfile.TemporaryDirectory() as workplace:
        for symbols in SYMBOLS:
            renamed = open_release(make_variant(release, Path(workplace, symbols), symbols=symbols))
            task = load_task(renamed, "test")
            for baseline in BASELINES:
                scores = baseline_scores(baseline, task)
                described = System(baseline, "both")
                write_results(task, scores, described, baseline, results / symbols, _QUICK_DECODINGS)
            for name in _COMPARED:
                scores = model_scores(load_matcher(models / name), task)
                described = describe(name, systems[name], models)
                write_results(task, scores, described, name, results / symbols, _QUICK_DECODINGS)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
