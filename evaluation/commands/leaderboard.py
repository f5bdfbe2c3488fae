"""`proofmatch leaderboard`: result files → a static site, and the check of submissions."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from proofmatch.errors import ProofmatchError, printable

if TYPE_CHECKING:
    from ..leaderboard.site import Leaderboard

EXAMPLE = (
    "proofmatch leaderboard results --out site --data release\n"
    "  proofmatch leaderboard results/my-system --check --data release"
)

_LINES_SHOWN = 20  # of each list


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument
    add(
        "results",
        metavar="RESULTS_DIR",
        type=Path,
        help="folder with result files, searched with its subfolders; x.jsonl has the predictions of "
        "x.result.json",
    )
    add("--out", metavar="SITE", type=Path, help="folder of the site")
    add(
        "--check",
        action="store_true",
        help="recompute every result from its predictions, which must be present; exit 1 if any is faulty",
    )
    add(
        "--data",
        metavar="RELEASE",
        action="append",
        default=[],
        help="the release of the results: a folder, or OWNER/NAME[@REVISION] on the Hub; may be repeated",
    )
    add(
        "--gold",
        metavar="GOLD",
        type=Path,
        action="append",
        default=[],
        help="the answers of a sealed release, from `proofmatch seal`; for several, in the order of --data",
    )
    add("--repository", metavar="URL", help="repository for pull requests, for the page on how to submit")
    add("--push", metavar="OWNER/NAME", help="upload the site as a static Space on the Hub")
    add("--private", action="store_true", help="make the Space private; refuse a public one")
    add("--dry-run", action="store_true", help="only show what --push would do")


def run(options: argparse.Namespace) -> int:
    """Check, write the site, upload it, and say what was done."""
    _check_options(options)
    if options.push is not None:
        from proofmatch.hub_client import check_repository_name

        check_repository_name(options.push)  # before the work, not after it
    if options.out is None:
        from ..leaderboard import check_results

        number = check_results(options.results, options.data, options.gold)
        print(f"{number:,} result{'s agree' if number != 1 else ' agrees'} with the predictions")
        return 0
    from ..leaderboard import make_leaderboard

    made = make_leaderboard(
        options.results,
        options.out,
        options.data,
        gold=options.gold,
        repository=options.repository,
        strict=options.check,
    )
    _describe(made)
    if options.push is not None:
        from ..leaderboard.site import push_site

        report = push_site(made.folder, options.push, private=options.private, dry_run=options.dry_run)
        print(printable(report.describe()))
    return 0


def _check_options(options: argparse.Namespace) -> None:
    if options.out is None and not options.check:
        raise ProofmatchError("give --out SITE to write a site, or --check to check results")
    if options.check and not options.data:
        raise ProofmatchError("--check needs --data, the release that the results were computed on")
    if options.gold and not options.data:
        raise ProofmatchError("--gold belongs to a sealed release; give that release with --data")
    if options.push is not None and options.out is None:
        raise ProofmatchError("--push uploads the site that --out writes; give --out SITE as well")
    if options.push is None and (options.private or options.dry_run):
        raise ProofmatchError("--private and --dry-run need --push; give it too, or leave them out")


def _describe(made: "Leaderboard") -> None:
    from ..leaderboard.checking import shortened

    boards = [board for board in made.boards if not board.source]
    rows = sum(len(board.rows) for board in boards)
    counts = f"{_number(len(boards), 'board')} with {_number(rows, 'row')}"
    if others := len(made.boards) - len(boards):
        counts += f", and {_number(others, 'board')} with the figures of the paper"
    print(f"{made.folder / 'index.html'}: {counts}")
    print(f"results: {made.n_results:,}; recomputed from predictions and ranked: {made.n_checked:,}")
    if made.n_others:
        print(f"ignored: {made.n_others:,} JSON files that are not results")
    for title, lines in (
        ("please review:", made.remarks),
        (f"left out because of faults: {_number(made.n_refused, 'result file')}:", made.faults),
    ):
        if lines:
            print(printable("\n  ".join([title, *shortened(lines, _LINES_SHOWN)])), file=sys.stderr)


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
