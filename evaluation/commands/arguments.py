"""Options that several commands share."""

import argparse
from math import inf
from pathlib import Path

from ...builder.release.schema import ALL, SPLITS


def add_data_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that choose a release and a split."""
    parser.add_argument(
        "--data", required=True, metavar="RELEASE", help="a folder, or OWNER/NAME[@REVISION] on the Hub"
    )
    add_split_arguments(parser)


def add_split_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that choose a split."""
    add = parser.add_argument
    add(
        "--split",
        choices=(*SPLITS, ALL),
        default="test",
        help="the split to match; all takes the pairs of all three as one candidate set",
    )
    add("--by-article", action="store_true", help="use the split by article, not the mixed one")


def add_gold_argument(parser: argparse.ArgumentParser) -> None:
    """Declare the option that gives the answers of a sealed release."""
    parser.add_argument(
        "--gold", metavar="GOLD", type=Path, help="the answers of a sealed release, from `proofmatch seal`"
    )


def positive(text: str) -> int:
    """Parse a positive integer."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a positive integer")
    return int(text)


def positive_number(text: str) -> float:
    """Parse a number greater than 0."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < inf:
        raise argparse.ArgumentTypeError(f"{text} is not a number greater than 0")
    return number
