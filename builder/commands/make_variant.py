"""`proofmatch variant`: a release whose proofs use other names for their variables."""

import argparse
import os
from pathlib import Path

from proofmatch.errors import ProofmatchError

from ..variants.renaming import SYMBOLS

EXAMPLE = "proofmatch variant release --symbols full --out release-full"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument
    add("release", metavar="RELEASE", type=Path, help="release folder")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "--symbols",
        choices=SYMBOLS,
        help="partial: rename half of a proof's variables; full: all of them; transpose: permute those that "
        "it shares with its statement",
    )
    what.add_argument(
        "--undo", action="store_true", default=None, help="restore the release a variant was made from"
    )
    add("--out", required=True, type=Path, metavar="RELEASE2", help="release folder to write")
    add("--seed", type=int, metavar="N", help="salt of the random choice (default: 0)")
    add("--workers", type=int, metavar="N", help="processes (default: one per CPU)")


def run(options: argparse.Namespace) -> int:
    """Make the variant, or undo it."""
    # See `proofmatch build`.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from ..variants.record import RECORD, read_report
    from ..variants.variant import make_variant, undo_variant

    if options.undo:
        if options.seed is not None:
            raise ProofmatchError("--undo takes no --seed: the names to restore are in the record")
        release = undo_variant(options.release, options.out, workers=options.workers)
        print(f"{release} has the original names again")
        return 0
    release = make_variant(
        options.release, options.out, symbols=options.symbols, seed=options.seed or 0, workers=options.workers
    )
    report = read_report(release)
    mean = report.letters_renamed / max(1, report.proofs)
    kept = f", {report.with_letters_kept:,} with variables for which no name was left"
    unread = f", {report.unread:,} unchanged because their text and tokens disagree" if report.unread else ""
    print(f"{report.proofs:,} proofs, {mean:.1f} variables renamed in each on average{kept}{unread}")
    print(f"{release} is complete; {release / RECORD} has the original and the new names")
    return 0
