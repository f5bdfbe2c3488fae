"""Options that several commands share."""

import argparse
from math import inf

from ...builder.release.schema import SPLITS


def add_data_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that choose a release and a split."""
    parser.add_argument(
        "--data", required=True, metavar="RELEASE", help="a folder, or OWNER/NAME[@REVISION] on the Hub"
    )
    add_split_arguments(parser)


def add_split_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that choose a split."""
    add = parser.add_argument
    add("--split", choices=SPLITS, default="test", help="which statements and proofs")
    add("--by-article", action="store_true", help="use the split by article, not the mixed one")


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
