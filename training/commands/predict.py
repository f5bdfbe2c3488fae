"""`proofmatch predict`: a trained matcher → predictions."""

import argparse
from pathlib import Path

from ...evaluation.commands.arguments import add_data_arguments
from ...evaluation.commands.predicting import add_prediction_arguments, open_task, predict

EXAMPLE = "proofmatch predict model --data release --split test --decode global --out predictions.jsonl"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "model", metavar="MODEL", help="a folder of `proofmatch train`, or OWNER/NAME on the Hub"
    )
    add_data_arguments(parser)
    add_prediction_arguments(parser)
    parser.add_argument("--name", help="what tables call the system, if not by the name of the model")


def run(options: argparse.Namespace) -> int:
    """Write the predictions."""
    from ...evaluation.system import System
    from ..prediction import load_matcher, model_scores, refuse_other_splits

    task = open_task(options)
    refuse_other_splits(options.model, task)
    model = load_matcher(options.model)
    system = System(options.name or _name_of(options.model), model.matcher.config.input)
    predict(options, task, model_scores(model, task), system)
    return 0


def _name_of(model: str) -> str:
    folder = Path(model)
    return folder.resolve().name if folder.is_dir() else model
