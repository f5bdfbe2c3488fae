"""Kills long commands at random moments, and stores the results in `tests/faults/results/`.

python -m tests.faults.run [--kills N] [--seed S] [ERRAND …]
"""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.faults.campaign import NAMES, campaign
from tests.harness import Found, Tool, run


def trial(name: str, workplace: Path, options: argparse.Namespace) -> Found:
    """Kill an errand over and over."""
    trials = campaign(name, options.kills, options.seed, workplace / name)
    kills = sum(len(trial["kills"]) for trial in trials)
    identical = all(trial["identical"] and not trial["orphans"] for trial in trials)
    return {"kills": kills, "identical": identical, "seed": options.seed, "trials": trials}


def describe(name: str, found: Found) -> Iterator[str]:
    """Put into words what was found."""
    yield f"{name}: {found['kills']} kills in {len(found['trials'])} trials"
    for trial in found["trials"]:
        if not trial["identical"] or trial["orphans"]:
            yield f"  {json.dumps(trial)}"


def main() -> int:
    """Kill the named errands, or all; 1 if anything was lost, doubled or left behind."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kills", type=int, default=15, help="of each errand, at least (default: 15)")
    parser.add_argument("--seed", type=int, default=0, help="decides when to kill, and which process")
    folder = Path(__file__).parent
    return run(Tool(folder, NAMES, trial, describe, lambda found: not found["identical"]), parser)


if __name__ == "__main__":
    sys.exit(main())
