"""`proofmatch check`: find the faults of a release."""

import argparse
import json
from pathlib import Path

from proofmatch.errors import CheckFailed, ProofmatchError, printable
from proofmatch.storage import disk_errors

from ..checks.run import MAX_LEAKED, check_release

EXAMPLE = "proofmatch check release --json report.json"


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 1") from None
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 1")
    return share


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument
    add("release", metavar="RELEASE", type=Path, help="release folder")
    add("--json", type=Path, metavar="FILE", help="write the report as JSON too")
    add(
        "--max-leaked",
        type=_share,
        default=MAX_LEAKED,
        metavar="SHARE",
        help="share of the validation and test pairs that may occur in another split with the same texts",
    )


def run(options: argparse.Namespace) -> int:
    """Check the release and print the report."""
    if options.json and options.json.resolve().is_relative_to(options.release.resolve()):
        raise ProofmatchError(
            f"{options.json} is inside the release, where the next check would report it; "
            "choose another place for --json"
        )
    report = check_release(options.release, max_leaked=options.max_leaked)
    print(printable(str(report)))
    if options.json:
        text = json.dumps(report.as_dict(), indent=2, ensure_ascii=False)
        with disk_errors(options.json):
            options.json.write_text(text + "\n", encoding="utf-8")
    if not report.passed:
        count = len(report.faults)
        faults = "1 fault" if count == 1 else f"{count} faults"
        raise CheckFailed(f"{faults} in {options.release}; see above")
    print(f"\nno faults found in {options.release}")
    return 0
