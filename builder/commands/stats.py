"""`proofmatch stats`: the paper's two statistics tables, filled in for a release."""

import argparse
import json
from pathlib import Path

from proofmatch.errors import ProofmatchError, printable

from ...dataset_card.tables import statistics_tables
from ..release.schema import STATISTICS

EXAMPLE = "proofmatch stats release"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("release", metavar="RELEASE", type=Path, help="release folder")


def run(options: argparse.Namespace) -> int:
    """Print the tables."""
    try:
        tables = statistics_tables(json.loads((options.release / STATISTICS).read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ProofmatchError(
            f"{options.release} is not a complete release: {STATISTICS} cannot be read "
            f"({getattr(error, 'strerror', None) or error}); finish its build first"
        ) from None
    print(printable(tables))
    return 0
