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
    parser.add_argument(
        "--allow-seen",
        action="store_true",
        help="predict a test split although the model has seen answers of it in training",
    )
    parser.add_argument("--name", help="name of the system in tables (default: the name of the model)")


def run(options: argparse.Namespace) -> int:
    """Write the predictions."""
    from ..prediction import count_seen, load_matcher, model_scores

    task = open_task(options)
    model = load_matcher(options.model)
    name = options.name or _name_of(options.model)
    system = count_seen(model, task, name, allow_seen=options.allow_seen)
    predict(options, task, model_scores(model, task), system)
    return 0


def _name_of(model: str) -> str:
    folder = Path(model)
    return folder.resolve().name if folder.is_dir() else model
