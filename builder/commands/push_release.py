"""`proofmatch push`: upload a release to the Hugging Face Hub."""

import argparse
from pathlib import Path

from proofmatch.errors import printable

from ..release.push import push_release

EXAMPLE = "proofmatch push release ada/statement-proof-matching --tag v1.0"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument
    add("release", metavar="RELEASE", type=Path, help="release folder")
    add("repository", metavar="OWNER/NAME", help="dataset repository; created if it does not exist")
    add("--tag", help="name for the commit that has the release; tags never move")
    add("--private", action="store_true", help="create a private repository; refuse a public one")
    add("--dry-run", action="store_true", help="only show what would be done")
    add("--message", help="first line of the commit's message")


def run(options: argparse.Namespace) -> int:
    """Push, and report what was done."""
    report = push_release(
        options.release,
        options.repository,
        tag=options.tag,
        private=options.private,
        dry_run=options.dry_run,
        message=options.message,
    )
    print(printable(report.describe()))
    return 0
