"""Runs the benchmarks, prints the results and stores them in `tests/benchmarks/results/`.

python -m tests.benchmarks.run [NAME …]
"""

import argparse
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from tests.harness import REPOSITORY, Found, Tool, missing_corpus, run

# Each a module with `benchmark(workplace, corpus)` and `describe(found)`, and some with `write_pages`.
BENCHMARKS = ("build", "converting", "importing", "downloading", "matching", "training", "lexical")
BENCHMARKS += ("reading", "reporting", "serving", "searching", "threads", "growth")
CORPUS = REPOSITORY.parent / "shared" / "corpus" / "stacks.tar.xz"
FOLDER = Path(__file__).parent


def trial(name: str, workplace: Path, _: argparse.Namespace) -> Found:
    """Run a benchmark."""
    module = import_module(f"tests.benchmarks.{name}")
    print(f"{name}: {module.__doc__.splitlines()[0]}", flush=True)
    return module.benchmark(workplace, CORPUS)


def describe(name: str, found: Found) -> Iterator[str]:
    """Put into words what was found, and write the pages made of it."""
    module = import_module(f"tests.benchmarks.{name}")
    if hasattr(module, "write_pages"):
        module.write_pages(found, FOLDER / "results")
    return (f"  {line}" for line in module.describe(found))


if __name__ == "__main__":
    if not CORPUS.exists():
        sys.exit(missing_corpus(CORPUS))
    sys.exit(run(Tool(FOLDER, BENCHMARKS, trial, describe), argparse.ArgumentParser(description=__doc__)))
