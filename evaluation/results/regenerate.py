"""Makes the result files of this folder, and the tables made of them, anew: `make results`.

python evaluation/results/regenerate.py [RELEASE]

Without a release, that of the Stacks project is built from ../shared/corpus/stacks.tar.xz.
"""

import sys
import tempfile
from itertools import product
from pathlib import Path

from proofmatch.builder import build_release
from proofmatch.evaluation.baselines.scores import BASELINES, baseline_scores
from proofmatch.evaluation.decode import DECODINGS, decode
from proofmatch.evaluation.evaluator import evaluate
from proofmatch.evaluation.predictions.system import System
from proofmatch.evaluation.predictions.writing import write_predictions
from proofmatch.evaluation.release import Release, open_release
from proofmatch.evaluation.results_table import read_results, results_table, update_between_marks
from proofmatch.evaluation.task import INPUTS, load_task

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
                _evaluate_baseline(release, by_article, name, reads, Path(workplace))
        table = results_table(read_results(RESULTS / release.id))
    for page in (RESULTS / "README.md", REPOSITORY / "README.md"):
        update_between_marks(page, table)
    print(table)
    return 0


def _evaluate_baseline(release: Release, by_article: bool, name: str, reads: str, workplace: Path) -> None:
    task = load_task(release, "test", by_article=by_article)
    scores = baseline_scores(name, task, reads)
    for decoding in DECODINGS:
        decoded = decode(scores, decoding)
        predictions = workplace / f"{task.config}-{name}-{reads}-{decoding}.jsonl"
        system = System(name=name, input=reads, decoding=decoding, extra={"details": decoded.details})
        write_predictions(predictions, decoded.batches(task.statement_ids, task.proof_ids), system)
        out = RESULTS / release.id / f"{predictions.stem}.json"
        out.parent.mkdir(exist_ok=True)
        evaluate(predictions, release, by_article=by_article, out=out)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
