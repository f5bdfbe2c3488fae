"""Kills builds, imports, trainings and pushes at random moments and stores what came of it in `results.json`.

python tests/faults/run.py [--kills N] [--seed S] [ERRAND …]
"""

import argparse
import json
import platform
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY))
RESULTS = Path(__file__).with_name("results.json")


def main() -> int:
    """Kill the named errands, or all; 1 if anything was lost, doubled or left behind."""
    from tests.faults.campaign import NAMES, campaign

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "errands", nargs="*", metavar="ERRAND", help=f"some of {', '.join(NAMES)}; all by default"
    )
    parser.add_argument("--kills", type=int, default=15, help="of each errand, at least (default: 15)")
    parser.add_argument("--seed", type=int, default=0, help="decides when, and who")
    options = parser.parse_args()
    if unknown := set(options.errands) - set(NAMES):
        parser.error(f"there is no {', '.join(sorted(unknown))}; errands are {', '.join(NAMES)}")
    trials = []
    for name in options.errands or NAMES:
        with tempfile.TemporaryDirectory() as workplace:
            found = campaign(name, options.kills, options.seed, Path(workplace) / name)
        trials += found
        kills = sum(len(trial["kills"]) for trial in found)
        print(f"{name}: {kills} kills in {len(found)} trials", flush=True)
        for trial in found:
            if not trial["identical"] or trial["orphans"]:
                print(f"  {json.dumps(trial)}", flush=True)
    wrong = [trial for trial in trials if not trial["identical"] or trial["orphans"]]
    content = {
        "kills": sum(len(trial["kills"]) for trial in trials),
        "identical": not wrong,
        "seed": options.seed,
        "python": platform.python_version(),
        "trials": trials,
    }
    print(f"{content['kills']} kills, {len(wrong)} trials that did not end as if nothing had been")
    if not options.errands:
        RESULTS.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
