"""Makes the result files of the baselines, and the tables and curves of all systems, anew: `make results`.

python evaluation/results/regenerate.py [RELEASE]

Without a release, that of the Stacks project is built from ../shared/corpus/stacks.tar.xz. The result files
of trained systems are made by `train_models.py`, which takes hours, and by `ablate.py`; here they
are only read.
"""

import json
import sys
import tempfile
import tomllib
from itertools import product
from pathlib import Path
from typing import Any

from evaluating import write_results

from proofmatch.builder import build_release
from proofmatch.builder.variants.renaming import SYMBOLS
from proofmatch.evaluation.baselines import BASELINES, baseline_scores
from proofmatch.evaluation.predictions.system import System
from proofmatch.evaluation.release import Release, open_release
from proofmatch.evaluation.results_table import (
    read_results,
    results_table,
    symbols_table,
    transductive_table,
    update_between_marks,
)
from proofmatch.evaluation.task import INPUTS, load_task
from proofmatch.training.trainer.learning_curve import compare_curves

RESULTS = Path(__file__).parent
REPOSITORY = RESULTS.parents[1]
CORPUS = REPOSITORY.parent / "shared" / "corpus" / "stacks.tar.xz"


def main(arguments: list[str]) -> int:
    """Make everything."""
    with tempfile.TemporaryDirectory() as workplace:
        if not arguments and not CORPUS.exists():
            print("give a release, or put the corpus at ../shared/corpus/stacks.tar.xz", file=sys.stderr)
            return 2
        folder = (
            Path(arguments[0])
            if arguments
            else build_release(CORPUS, Path(workplace, "stacks"), license="gfdl")
        )
        release = open_release(folder)
        for by_article in (False, True):
            for name, reads in product(BASELINES, INPUTS):
                _evaluate_baseline(release, by_article, name, reads)
        write_pages(RESULTS / release.id)
    return 0


def write_pages(results: Path) -> None:
    """Put the tables and curves of a release's result files where people look for them."""
    table = results_table(read_results(results))
    for page in (RESULTS / "README.md", REPOSITORY / "README.md"):
        update_between_marks(page, table)
    for place, other in (
        ("validation", results_table(read_results(results / "validation"))),
        ("parts", parts_table(results)),
        ("transductive", transductive_table(read_results(results / "transductive"))),
        ("symbols", symbols_table(renamed_results(results))),
    ):
        update_between_marks(RESULTS / "README.md", other, place)
    (results / "learning-curves.svg").write_text(learning_curves(results), encoding="utf-8")
    print(table)


def learning_curves(results: Path) -> str:
    """Draw the trainings on the mixed split that were looked at more than once; others have no curve."""
    systems = tomllib.loads((RESULTS / "models.toml").read_text(encoding="utf-8"))
    histories = {
        name: json.loads(path.read_text(encoding="utf-8"))
        for name, system in sorted(systems.items())
        if not system.get("by_article") and (path := results / "histories" / f"{name}.json").exists()
    }
    return compare_curves({name: history for name, history in histories.items() if _evaluations(history) > 1})


def _evaluations(history: list[dict[str, Any]]) -> int:
    return sum("eval_mrr" in entry for entry in history)


def parts_table(results: Path) -> str:
    """Lay out the systems that lack something, and the whole ones they are to be compared with."""
    whole = [result for result in read_results(results) if _is_whole(result)]
    return results_table([*read_results(results / "ablation"), *whole])


def renamed_results(results: Path) -> dict[str, list[dict[str, Any]]]:
    """Read the results on proofs as they are, and on those with other names for their variables."""
    renamed = {symbols: read_results(results / "symbols" / symbols) for symbols in SYMBOLS}
    return {"names as they are": read_results(results), **renamed}


def _is_whole(result: dict[str, Any]) -> bool:
    system = result["system"]
    return system["name"] in ("fast", "best") and system["input"] == "both"


def _evaluate_baseline(release: Release, by_article: bool, name: str, reads: str) -> None:
    task = load_task(release, "test", by_article=by_article)
    scores = baseline_scores(name, task, reads)
    write_results(task, scores, System(name, reads), f"{name}-{reads}", RESULTS / release.id)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
