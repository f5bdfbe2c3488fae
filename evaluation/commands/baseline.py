"""`proofmatch baseline`: TF-IDF, Dice similarity or BM25 → predictions."""

import argparse
from typing import Any

from proofmatch.errors import ProofmatchError

from ..baselines import BASELINES, BM25_SETTINGS, NgramChoice, baseline_scores, choose_ngrams
from ..system import System
from ..task import INPUTS, Task
from .arguments import add_data_arguments, positive
from .predicting import add_prediction_arguments, open_task, predict

EXAMPLE = "proofmatch baseline tfidf --data release --split test --input both --out tfidf.jsonl"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument
    add("name", choices=list(BASELINES), help="how to score a statement and a proof")
    add_data_arguments(parser)
    add("--input", choices=INPUTS, default="both", help="which tokens of the texts to use")
    add(
        "--ngrams",
        type=positive,
        metavar="N",
        help="bm25 counts n-grams of 1 to N tokens (default: the best on the validation split)",
    )
    add_prediction_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Write the predictions."""
    if options.ngrams is not None and options.name != "bm25":
        raise ProofmatchError("--ngrams applies to bm25 only: leave it out")
    task = open_task(options)
    ngrams, extra = None, {}
    if options.name == "bm25":
        ngrams, extra = _chosen_ngrams(options, task)
    source = baseline_scores(options.name, task, options.input, ngrams=ngrams)
    # Baselines have seen no answers: they count tokens, and the choice of n-grams on validation keeps none.
    predict(options, task, source, System(options.name, options.input, trained_on=[], extra=extra))
    return 0


def _chosen_ngrams(options: argparse.Namespace, task: Task) -> tuple[int, dict[str, Any]]:
    """Return the longest n-grams of BM25, and what the sidecar records about them."""
    if options.ngrams is not None:
        return options.ngrams, {"bm25": {**BM25_SETTINGS, "ngrams": options.ngrams}}
    choice = choose_ngrams(task.release, options.input, by_article=task.by_article)
    print(_in_words(choice))
    mrr = {str(size): round(value, 6) for size, value in choice.validation_mrr.items()}
    return choice.ngrams, {"bm25": {**BM25_SETTINGS, "ngrams": choice.ngrams, "validation_mrr": mrr}}


def _in_words(choice: NgramChoice) -> str:
    figures = ", ".join(f"{size}: {100 * mrr:.1f}" for size, mrr in choice.validation_mrr.items())
    return (
        f"n-grams of 1 to N tokens, N = {choice.ngrams} chosen on the validation split (MRR by N: {figures})"
    )
