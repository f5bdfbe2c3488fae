"""`proofmatch check`: find what is wrong with a release."""

import argparse
import json
from pathlib import Path

from proofmatch.errors import CheckFailed, ProofmatchError, printable

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
    parser.add_argument("release", metavar="RELEASE", type=Path, help="release folder")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report as JSON too")
    parser.add_argument(
        "--max-leaked",
        type=_share,
        default=MAX_LEAKED,
        metavar="SHARE",
        help="share of the validation and test pairs that may be in another split too, both texts the same",
    )


def run(options: argparse.Namespace) -> int:
    """Check the release and print the report."""
    if options.json and options.json.resolve().is_relative_to(options.release.resolve()):
        raise ProofmatchError(
            f"{options.json} is inside the release, where the next check would find a file too many; "
            "choose another place for --json"
        )
    report = check_release(options.release, max_leaked=options.max_leaked)
    print(printable(str(report)))
    if options.json:
        try:
            text = json.dumps(report.as_dict(), indent=2, ensure_ascii=False)
            options.json.write_text(text + "\n", encoding="utf-8")
        except OSError as error:
            raise ProofmatchError(f"{options.json} cannot be written: {error.strerror}") from None
    if not report.passed:
        count = len(report.faults)
        faults = "1 fault" if count == 1 else f"{count} faults"
        raise CheckFailed(f"{faults} in {options.release}; see above")
    print(f"\n{options.release} is without fault")
    return 0
