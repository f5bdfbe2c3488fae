"""Tries many inputs on every target and stores what came of them in `tests/fuzz/results.json`.

python tests/fuzz/run.py [--inputs N] [--seed S] [TARGET …]

With names of targets, what is stored of the others stays: so much for a target that was mended.
"""

import argparse
import json
import math
import os
import platform
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY))
RESULTS = Path(__file__).with_name("results.json")


def main() -> int:
    """Fuzz the named targets, or all; 1 if something was found."""
    from tests.fuzz.targets import NAMES, target
    from tests.fuzz.watching import Report, fuzz

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "targets", nargs="*", metavar="TARGET", help=f"some of {', '.join(NAMES)}; all by default"
    )
    parser.add_argument(
        "--inputs",
        type=int,
        default=20_000,
        help="of a target; half as many where one takes long (default: 20000)",
    )
    parser.add_argument("--seed", type=int, default=0, help="makes the inputs, together with their numbers")
    parser.add_argument(
        "--first", type=int, default=0, help="number of the first input, to see a finding again"
    )
    options = parser.parse_args()
    if unknown := set(options.targets) - set(NAMES):
        parser.error(f"there is no {', '.join(sorted(unknown))}; targets are {', '.join(NAMES)}")

    def show(report: Report) -> None:
        print(f"{report.target}: {report.inputs:,} inputs in {report.seconds:.0f} s", flush=True)
        for number, what in report.findings:
            print(f"  input {number}: {what}", flush=True)

    reports = []

    def one(name: str) -> Report:
        count = math.ceil(options.inputs * target(name).share)
        return fuzz(name, count, options.seed, options.first)

    with ThreadPoolExecutor(max(1, len(os.sched_getaffinity(0)))) as pool:  # each only watches a process
        for report in pool.map(one, options.targets or NAMES):
            show(report)
            reports.append(report)
    findings = sum(len(report.findings) for report in reports)
    print(f"{sum(report.inputs for report in reports):,} inputs, {findings:,} findings")
    if options.first == 0:
        _store([report.as_dict() for report in reports], NAMES)
    return 1 if findings else 0


def _store(found: list[dict[str, Any]], order: Sequence[str]) -> None:
    stored = json.loads(RESULTS.read_text(encoding="utf-8"))["targets"] if RESULTS.exists() else []
    by_name = {target["target"]: target for target in (*stored, *found)}
    targets = [by_name[name] for name in order if name in by_name]
    content = {
        "inputs": sum(target["inputs"] for target in targets),
        "findings": sum(len(target["findings"]) for target in targets),
        "python": platform.python_version(),
        "targets": targets,
    }
    RESULTS.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
