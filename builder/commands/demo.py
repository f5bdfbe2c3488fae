"""`proofmatch demo`: the whole story on the embedded sample."""

import argparse
from pathlib import Path

from ..sample import SAMPLE_LICENSE, sample_articles
from . import stats

EXAMPLE = "proofmatch demo --out demo"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--out", required=True, metavar="DIR", type=Path, help="folder to write")


def run(options: argparse.Namespace) -> int:
    """Build the sample, describe it, and show that it loads."""
    from datasets import disable_progress_bars, load_dataset

    from ..build import build_release

    disable_progress_bars()

    release = build_release(sample_articles(), options.out / "release", license=SAMPLE_LICENSE)
    print()
    stats.run(argparse.Namespace(release=release))
    pair = load_dataset(str(release), split="test")[0]
    print(f"\nA {pair['kind']} of “{pair['title']}”:\n{pair['statement']}\n\n{pair['proof']}\n")
    print(f"from datasets import load_dataset; load_dataset({str(release)!r})")
    return 0
