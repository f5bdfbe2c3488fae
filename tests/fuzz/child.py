"""Runs inputs one after the other and records the outcome of each, one line per input.

python -m tests.fuzz.child TARGET SEED FIRST COUNT OUTCOMES
"""

import sys
import tempfile
from pathlib import Path

from tests.fuzz.targets import target
from tests.memory import peak_mb

FOUND = "! "  # begins the line of a finding
BROKEN, SWOLLEN = 1, 3  # how the process ends: Python's own code for what is wrong with the making of inputs
_WARMING_UP = 200  # inputs, after which all is loaded that ever will be


def main(name: str, seed: int, first: int, count: int, outcomes: Path) -> int:
    chosen = target(name)
    start = 0.0
    with tempfile.TemporaryDirectory() as folder, outcomes.open("a", buffering=1, encoding="utf-8") as file:
        for number in range(first, first + count):
            given = chosen.input(seed, number)
            try:
                outcome = chosen.run(given, Path(folder))
            except Exception as error:  # whatever it is, it is a finding
                outcome = f"{FOUND}{type(error).__name__}: {str(error)[:500]!r}"
            grown = peak_mb() - start
            if number == first + _WARMING_UP:
                start = peak_mb()
            elif number > first + _WARMING_UP and grown > chosen.megabytes:
                file.write(f"{FOUND}memory grew by {grown:.0f} MB\n")
                return SWOLLEN
            file.write(outcome + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *map(int, sys.argv[2:5]), Path(sys.argv[5])))
