"""`proofmatch report`: a page about a prediction file."""

import argparse
from pathlib import Path

from proofmatch.errors import ProofmatchError

from ..report import DEFAULT_MEGABYTES
from .arguments import add_data_arguments, add_gold_argument, positive_number

EXAMPLE = "proofmatch report predictions.jsonl --data release --split test --out report.html"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument
    add("predictions", metavar="PRED", type=Path, help="prediction file")
    add_data_arguments(parser)
    add_gold_argument(parser)
    add("--out", metavar="PAGE", type=Path, required=True, help="the page, such as report.html")
    add(
        "--max-mb",
        metavar="MB",
        type=positive_number,
        default=DEFAULT_MEGABYTES,
        help="the largest size of the page; wrong matches that do not fit are left out at random",
    )


def run(options: argparse.Namespace) -> int:
    """Write the page and say what is on it."""
    from proofmatch.storage import is_same_file

    from ..report.page import write_report

    if is_same_file(options.out, options.predictions, options.gold):
        raise ProofmatchError(f"{options.out} is the prediction or gold file; give --out another name")
    wrong = write_report(
        options.predictions,
        options.data,
        options.split,
        out=options.out,
        by_article=options.by_article,
        gold=options.gold,
        max_megabytes=options.max_mb,
    )
    left_out = f" of {wrong.total:,}" if wrong.listed < wrong.total else ""
    matches = "match" if wrong.total == 1 else "matches"
    size = options.out.stat().st_size
    written = f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"
    print(f"{options.out}: {wrong.listed:,}{left_out} wrong {matches}, {written}; open it in a browser")
    return 0
