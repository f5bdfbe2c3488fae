"""`proofmatch baseline`: TF-IDF or Dice similarity → predictions."""

import argparse

from ..task import INPUTS
from .arguments import add_data_arguments, add_decoding_arguments, add_predictions_argument

EXAMPLE = "proofmatch baseline tfidf --data release --split test --input both --out tfidf.jsonl"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    from ..baselines import BASELINES

    parser.add_argument("name", choices=list(BASELINES), help="which similarity")
    add_data_arguments(parser)
    parser.add_argument("--input", choices=INPUTS, default="both", help="what may be read of the texts")
    add_decoding_arguments(parser)
    add_predictions_argument(parser)


def run(options: argparse.Namespace) -> int:
    """Write the predictions."""
    from ..baselines import baseline_scores
    from ..system import System
    from .predicting import open_task, predict

    task = open_task(options)
    source = baseline_scores(options.name, task, options.input)
    predict(options, task, source, System(options.name, options.input))
    return 0
