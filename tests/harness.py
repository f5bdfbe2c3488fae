"""Runs and records what takes too long for the test suite: benchmarks, fuzzing, kills.

Each of these tools has named trials. `run` runs some or all of them, prints their results, and stores them
with a description of the machine in `results/NAME.json` of the tool's folder.
"""

import argparse
import json
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[1]

Found = dict[str, Any]


@dataclass(frozen=True)
class Tool:
    """A family of trials.

    Attributes:
        folder: Where it lives; its results are in the subfolder `results`.
        names: Of its trials.
        trial: Runs the trial of a name in an empty folder.
        describe: Puts into lines what a trial found.
        failed: Tells whether a trial found a fault.
        at_once: How many trials run at the same time.
    """

    folder: Path
    names: Sequence[str]
    trial: Callable[[str, Path, argparse.Namespace], Found]
    describe: Callable[[str, Found], Iterable[str]]
    failed: Callable[[Found], bool] = lambda _: False
    at_once: int = 1


def run(tool: Tool, parser: argparse.ArgumentParser) -> int:
    """Run the trials named on the command line, or all; return 1 if one of them found a fault."""
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"some of {', '.join(tool.names)}; all by default"
    )
    parser.add_argument("--dry-run", action="store_true", help="store nothing")
    options = parser.parse_args()
    if unknown := set(options.names) - set(tool.names):
        parser.error(f"there is no {', '.join(sorted(unknown))}; choose from {', '.join(tool.names)}")

    def one(name: str) -> tuple[str, Found]:
        with tempfile.TemporaryDirectory() as folder:
            return name, tool.trial(name, Path(folder), options)

    failures = 0
    with ThreadPoolExecutor(tool.at_once) as pool:
        for name, found in pool.map(one, options.names or tool.names):
            failures += tool.failed(found)
            if not options.dry_run:
                store(tool.folder, name, found)
            for line in tool.describe(name, found):
                print(line, flush=True)
    return 1 if failures else 0


def store(folder: Path, name: str, found: Found) -> None:
    """Store what a trial found, and on what kind of machine."""
    machine = {
        "python": platform.python_version(),
        "processor": platform.machine(),
        "processors": os.cpu_count(),
    }
    path = folder / "results" / f"{name}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({**found, **machine}, indent=2) + "\n", encoding="utf-8")


def missing_corpus(corpus: Path) -> int:
    """Say that a corpus is missing."""
    print(f"this needs a corpus of real size, ../shared/corpus/{corpus.name}", file=sys.stderr)
    return 2
