"""Tries many inputs on every target, and stores the outcomes in `tests/fuzz/results/`.

python -m tests.fuzz.run [--inputs N] [--seed S] [TARGET …]
"""

import argparse
import math
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.fuzz.targets import NAMES, target
from tests.fuzz.watching import fuzz
from tests.harness import Found, Tool, run


def trial(name: str, _: Path, options: argparse.Namespace) -> Found:
    """Fuzz a target."""
    count = math.ceil(options.inputs * target(name).share)
    return fuzz(name, count, options.seed, options.first).as_dict()


def describe(name: str, found: Found) -> Iterator[str]:
    """Put into words what was found."""
    yield f"{name}: {found['inputs']:,} inputs in {found['seconds']:.0f} s, {len(found['findings'])} findings"
    for finding in found["findings"]:
        yield f"  input {finding['input']}: {finding['what']}"


def main() -> int:
    """Fuzz the named targets, or all; 1 if something was found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--inputs", type=int, default=20_000, help="per target; half as many for slow ones (default: 20000)"
    )
    parser.add_argument("--seed", type=int, default=0, help="decides the inputs, together with their numbers")
    parser.add_argument("--first", type=int, default=0, help="number of the first input, to repeat a finding")
    at_once = len(os.sched_getaffinity(0))  # each only watches a process
    return run(
        Tool(Path(__file__).parent, NAMES, trial, describe, lambda found: bool(found["findings"]), at_once),
        parser,
    )


if __name__ == "__main__":
    sys.exit(main())
