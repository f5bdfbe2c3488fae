"""`proofmatch import`: the published text files → release folder."""

import argparse
import os
from pathlib import Path

from ..published_source import SUBSETS, SYMBOLS
from ..settings import OTHER_LICENSE
from .build import report_complete

_PAIRS_OF_THE_PAPER = {"train": 147_276, "validation": 18_409, "test": 18_409}

EXAMPLE = "proofmatch import waylonli/MATcH --out match"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument
    add(
        "source",
        metavar="MATCH_DIR_OR_HUB_ID",
        help="folder with files such as mixed_conservation_train, also compressed or in archives, or a "
        "dataset on the Hub",
    )
    add("--out", required=True, type=Path, metavar="RELEASE", help="release folder to write")
    add("--revision", metavar="REV", help="branch, tag or commit of the dataset on the Hub (default: main)")
    add(
        "--symbols", choices=SYMBOLS, default="conservation", help="edition: names of variables in the proofs"
    )
    add("--subset", choices=SUBSETS, default="mixed", help="all pairs, or on probability only")
    add(
        "--seed",
        type=int,
        default=0,
        help="salt of the row order and of splits that the files lack",
    )
    add(
        "--license", default=OTHER_LICENSE, metavar="NAME", help="the Hub's name of the licence, for the card"
    )
    add("--workers", type=int, metavar="N", help="processes (default: one per CPU)")


def run(options: argparse.Namespace) -> int:
    """Import the files."""
    # See `proofmatch build`.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from ..published import import_published
    from ..release.release import open_release
    from ..release.schema import MANIFEST, SPLITS

    already = (options.out / MANIFEST).exists()
    release = import_published(
        options.source,
        options.out,
        revision=options.revision,
        symbols=options.symbols,
        subset=options.subset,
        seed=options.seed,
        license=options.license,
        workers=options.workers,
    )
    report_complete(release, already)
    rows = open_release(release).statistics["rows"]["pairs"]
    found = {split: rows.get(split, 0) for split in SPLITS}
    print(f"pairs in this release: {_listed(found)}")
    if (options.subset, options.symbols) == ("mixed", "conservation"):
        print(f"pairs in the paper:    {_listed(_PAIRS_OF_THE_PAPER)}")
        if found != _PAIRS_OF_THE_PAPER:
            print("These numbers differ: the files are a part of the corpus, or another edition.")
    return 0


def _listed(pairs: dict[str, int]) -> str:
    return ", ".join(f"{split} {number:,}" for split, number in pairs.items())
