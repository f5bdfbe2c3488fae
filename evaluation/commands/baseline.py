"""`proofmatch baseline`: TF-IDF or Dice similarity → predictions."""

import argparse

from ..baselines import BASELINES, baseline_scores
from ..system import System
from ..task import INPUTS
from .arguments import add_data_arguments
from .predicting import add_prediction_arguments, open_task, predict

EXAMPLE = "proofmatch baseline tfidf --data release --split test --input both --out tfidf.jsonl"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument
    add("name", choices=list(BASELINES), help="which similarity")
    add_data_arguments(parser)
    add("--input", choices=INPUTS, default="both", help="which tokens of the texts to use")
    add_prediction_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Write the predictions."""
    task = open_task(options)
    source = baseline_scores(options.name, task, options.input)
    predict(options, task, source, System(options.name, options.input))
    return 0
