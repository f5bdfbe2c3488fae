"""`proofmatch seal`: a release without the answers of its test split, and the answers apart."""

import argparse
import os
from pathlib import Path

EXAMPLE = "proofmatch seal release --out public --gold gold.jsonl"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument
    add("release", metavar="RELEASE", type=Path, help="release folder")
    add("--out", required=True, type=Path, metavar="PUBLIC", help="folder of the sealed release, to publish")
    add("--gold", required=True, type=Path, metavar="GOLD", help="file with the answers, to keep")
    add("--by-article", action="store_true", help="seal the test split by article, not the mixed one")
    add("--workers", type=int, metavar="N", help="processes (default: one per CPU)")


def run(options: argparse.Namespace) -> int:
    """Seal the release, and say what to publish and what to keep."""
    # See `proofmatch build`.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from ..seal import seal_release

    seal = seal_release(
        options.release,
        options.out,
        options.gold,
        by_article=options.by_article,
        workers=options.workers,
    )
    print(f"{options.out} is complete, without the {seal.pairs:,} pairs of its test split")
    print(f"{options.gold} has them: keep it, and give it to evaluate, report and leaderboard with --gold")
    return 0
