"""`proofmatch export`: write a release for other retrieval tools."""

import argparse
from pathlib import Path

from .arguments import add_split_arguments

EXAMPLE = "proofmatch export release --format beir --split test --out beir-test"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "release", metavar="RELEASE", help="release folder, or OWNER/NAME[@REVISION] on the Hub"
    )
    parser.add_argument(
        "--format",
        choices=("beir",),
        default="beir",
        help="corpus.jsonl, queries.jsonl and qrels/<split>.tsv",
    )
    parser.add_argument("--out", metavar="DIR", type=Path, required=True, help="folder to make")
    add_split_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Write the folder."""
    from ..exporting.beir import export_beir
    from ..release import open_release

    release = open_release(options.release)
    count = export_beir(release, options.out, options.split, by_article=options.by_article)
    print(f"{options.out}: {count:,} statements and as many proofs of {options.split}")
    return 0
