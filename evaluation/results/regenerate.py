"""Makes the result files of the baselines, and the tables and curves of all systems, anew: `make results`.

python evaluation/results/regenerate.py [RELEASE]

Without a release, that of the Stacks project is built from ../shared/corpus/stacks.tar.xz. The result files
of trained systems are made by `train_models.py`, which takes hours, and are only read here.
"""

import json
import sys
import tempfile
from itertools import product
from pathlib import Path

from evaluating import write_results

from proofmatch.builder import build_release
from proofmatch.evaluation.baselines.scores import BASELINES, baseline_scores
from proofmatch.evaluation.release import Release, open_release
from proofmatch.evaluation.results_table import read_results, results_table, update_between_marks
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
    update_between_marks(
        RESULTS / "README.md", results_table(read_results(results / "validation")), "validation"
    )
    histories = {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted((results / "histories").glob("*.json"))
    }
    (results / "learning-curves.svg").write_text(compare_curves(histories), encoding="utf-8")
    print(table)


def _evaluate_baseline(release: Release, by_article: bool, name: str, reads: str) -> None:
    task = load_task(release, "test", by_article=by_article)
    scores = baseline_scores(name, task, reads)
    write_results(task, scores, name, reads, f"{name}-{reads}", RESULTS / release.id)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
