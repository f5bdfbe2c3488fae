"""Runs the benchmarks, prints what they found and stores it in `tests/benchmarks/results/`.

python tests/benchmarks/run.py [NAME …]
"""

import json
import os
import platform
import sys
import tempfile
from importlib import import_module
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY))

# Each a module with `benchmark(workplace, corpus)` and `describe(found)`, and some with `write_pages`.
BENCHMARKS = ("build", "importing", "matching", "training", "lexical", "reporting", "growth")
CORPUS = REPOSITORY.parent / "shared" / "corpus" / "stacks.tar.xz"
RESULTS = Path(__file__).parent / "results"


def main(names: list[str]) -> int:
    """Run the named benchmarks, or all."""
    if not CORPUS.exists():
        print(f"the benchmarks need a corpus of real size, ../shared/corpus/{CORPUS.name}", file=sys.stderr)
        return 2
    if unknown := set(names) - set(BENCHMARKS):
        print(f"there is no {', '.join(unknown)}; benchmarks are {', '.join(BENCHMARKS)}", file=sys.stderr)
        return 2
    RESULTS.mkdir(exist_ok=True)
    for name in names or BENCHMARKS:
        module = import_module(f"tests.benchmarks.{name}")
        print(f"{name}: {module.__doc__.splitlines()[0]}", flush=True)
        with tempfile.TemporaryDirectory() as workplace:
            found = module.benchmark(Path(workplace), CORPUS)
        found |= {
            "python": platform.python_version(),
            "processor": platform.machine(),
            "processors": os.cpu_count(),
        }
        (RESULTS / f"{name}.json").write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
        if hasattr(module, "write_pages"):
            module.write_pages(found, RESULTS)
        for line in module.describe(found):
            print(f"  {line}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
