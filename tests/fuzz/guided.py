"""Coverage-guided fuzzing: inputs that reach new lines of our readers are kept and mutated further.

It needs `pip install atheris`, which is not in our extras because it does not have wheels for all systems.

python -m tests.fuzz.guided TARGET [OPTIONS OF LIBFUZZER]      for example -runs=100000 or -max_total_time=600

The first input with a finding ends it, and is stored in the working folder.
"""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

# How bytes become the input of a target. The other targets are mostly written in C, where there is nothing to
# see for coverage of Python.
INPUTS: dict[str, Callable[[bytes], Any]] = {
    "tex": lambda data: data.decode("utf-8", "replace"),
    "published": lambda data: ("", data),
    "predictions": lambda data: ((".jsonl", ".trec")[data[:1] >= b"\x80"], data[1:], None),
}
LONGEST = 4096  # bytes; finds come sooner with short inputs


def main(name: str, *options: str) -> None:
    """Fuzz a target until something is found, or libFuzzer's options say enough."""
    import atheris

    with atheris.instrument_imports(include=["proofmatch"]):
        from tests.fuzz import predictions, published, tex

    chosen = {"tex": tex, "published": published, "predictions": predictions}[name]
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder, "corpus")
        corpus.mkdir()
        for number, seed in enumerate(_seeds(name, chosen)):
            (corpus / str(number)).write_bytes(seed)
        atheris.Setup(
            [sys.argv[0], f"-max_len={LONGEST}", *options, str(corpus)],
            lambda data: chosen.run(INPUTS[name](data), Path(folder)),
        )
        atheris.Fuzz()


def _seeds(name: str, chosen: Any) -> list[bytes]:
    if name != "predictions":
        return [seed.encode() if isinstance(seed, str) else seed for seed in chosen.seeds()]
    made = [chosen.make(Random(number)) for number in range(60)]  # noqa: S311 - not for cryptography
    first = {".jsonl": b"\0", ".trec": b"\xff"}
    return [first[suffix] + data for suffix, data, _ in made if suffix in first]


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in INPUTS:
        sys.exit(__doc__)
    main(*sys.argv[1:])
