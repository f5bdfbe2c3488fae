"""`proofmatch match`: make any scored predictions one-to-one."""

import argparse
from pathlib import Path

from proofmatch.errors import ProofmatchError
from proofmatch.progress import Progress

EXAMPLE = "proofmatch match predictions.jsonl --out one-to-one.jsonl"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument
    add("predictions", metavar="PRED", type=Path, help="prediction file with scores")
    add(
        "--out",
        metavar="PRED2",
        type=Path,
        required=True,
        help="prediction file to write, with one proof per statement",
    )


def run(options: argparse.Namespace) -> int:
    """Match, write, and report how many statements stay unmatched."""
    from proofmatch.storage import is_same_file

    from ..decode import match_predictions
    from ..predictions import check_predictions_name

    if is_same_file(options.out, options.predictions):
        raise ProofmatchError(f"{options.out} is the prediction file to match; give --out another name")
    check_predictions_name(options.out)
    with Progress(f"matching {options.predictions.name}", "statements") as progress:
        matched = match_predictions(options.predictions, options.out, progress)
        progress.summary = f"{matched.n_statements:,} statements"
    n_matched = matched.n_statements - matched.n_unmatched
    print(
        f"{options.out}: {n_matched:,} of {matched.n_statements:,} statements matched one-to-one "
        f"with {matched.n_proofs:,} listed proofs"
    )
    if matched.n_unmatched:
        print(
            f"unmatched: {matched.n_unmatched:,}, because all their candidates are taken; each shares its "
            "best candidate with another statement. List more candidates for them"
        )
    return 0
