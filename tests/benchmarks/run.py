"""Runs the benchmarks, prints what they found and stores it in `tests/benchmarks/results/`."""

import json
import platform
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY))

from tests.benchmarks.build import LARGER, ROUNDS, benchmark_build  # noqa: E402 - after the path is set

CORPUS = REPOSITORY.parent / "shared" / "corpus" / "stacks.tar.xz"
RESULTS = Path(__file__).parent / "results"


def main() -> int:
    """Run everything."""
    if not CORPUS.exists():
        print(f"the benchmarks need a corpus of real size, ../shared/corpus/{CORPUS.name}", file=sys.stderr)
        return 2
    print(f"building {CORPUS.name} {3 * ROUNDS + 2} times, once {LARGER} times as large …", file=sys.stderr)
    with tempfile.TemporaryDirectory() as workplace:
        found = benchmark_build(CORPUS, Path(workplace))
    found["python"], found["processor"] = platform.python_version(), platform.machine()
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "build.json").write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    print("seconds    parsing (CPU)   build (CPU)    one worker   two workers")
    for number, round_ in enumerate(found["rounds"], 1):
        print(f"round {number:<4}" + "".join(f"{seconds:14.2f}" for seconds in round_.values()))
    print(f"CPU of the build: {found['cpu_ratio_to_parsing']:.2f} times that of lxml.etree.parse (median)")
    print(f"two workers: {found['speedup_of_two_workers']:.2f} times as fast as one (median)")
    for memory in found["memory"]:
        print(
            f"memory at {memory['size']}x: {memory['worker_peak_mb']:.0f} MB at most in a worker, "
            f"{memory['driver_peak_mb']:.0f} MB in the driver"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
