"""Training steps of the paper's model: ours against a straightforward implementation, and memory by batch.

Every measurement of memory is made in a process of its own.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from proofmatch.builder import build_release

REPOSITORY = Path(__file__).resolve().parents[2]
BATCH = 60  # the paper's
LARGE_BATCH = 2048
CHUNK = 60
MAX_WORDS = 200
ROUNDS = 5


def benchmark(workplace: Path, archive: Path) -> dict[str, Any]:
    """Measure speed, both implementations in turns, and memory.

    Args:
        workplace: Empty folder.
        archive: A corpus.
    """
    release = build_release(archive, workplace / "release")

    def measure(*arguments: str) -> dict[str, Any]:
        command = [sys.executable, "-m", "tests.benchmarks.training", str(release), *arguments]
        done = subprocess.run(command, cwd=REPOSITORY, check=True, stdout=subprocess.PIPE, text=True)
        return json.loads(done.stdout)

    return {
        "speed": measure("--speed"),
        "memory": [
            measure("--memory", str(BATCH)),
            measure("--memory", str(BATCH), "--chunk", str(CHUNK)),
            measure("--memory", str(LARGE_BATCH), "--chunk", str(CHUNK)),
        ],
    }


def describe(found: dict[str, Any]) -> Iterator[str]:
    """Put into words what was found."""
    speed = found["speed"]
    yield f"batch {BATCH}, at most {MAX_WORDS} words: {speed['ours']:.1f} pairs/s, median of {ROUNDS} steps"
    for name, rival in speed["rivals"].items():
        ratios = rival["ratios"]
        yield (
            f"{name.replace('_', ' ')}: {rival['pairs_per_second']:.1f} pairs/s; ours is "
            f"{median(ratios):.1f} times as fast (single rounds {min(ratios):.1f} to {max(ratios):.1f})"
        )
    for one in found["memory"]:
        chunk = f"{one['chunk']} texts at a time" if one["chunk"] else "at once"
        yield (
            f"batch {one['batch']:,}, {chunk}: a step takes {one['step_mb']:.0f} MB more than the "
            f"{one['before_mb']:.0f} MB before it, {one['pairs_per_second']:.1f} pairs/s"
        )


def _pairs(release: Path) -> tuple[Any, Any]:
    from proofmatch.builder.release.release import open_release
    from proofmatch.training import ProofMatcherConfig, train_tokenizer
    from proofmatch.training.encoder.proof_matcher import WordReader
    from proofmatch.training.pairs import read_pairs

    opened = open_release(release)
    table = opened.table("pairs", "train", ["statement_tokens", "proof_tokens"])
    tokenizer = train_tokenizer([table[name].combine_chunks() for name in table.column_names])
    config = ProofMatcherConfig(vocab_size=len(tokenizer), max_words=MAX_WORDS)
    return read_pairs(opened, "train", WordReader(tokenizer, config)), config


def _batch(pairs: Any, size: int, draw: np.random.Generator) -> dict[str, Any]:
    from proofmatch.training.pairs import collate

    return collate([pairs[int(number)] for number in draw.choice(len(pairs), size, replace=False)])


def _speed(release: Path) -> dict[str, Any]:
    import torch

    from proofmatch.training import ProofMatcher
    from proofmatch.training.losses import local_loss
    from tests.benchmarks.straightforward import StraightforwardMatcher

    torch.manual_seed(0)
    pairs, config = _pairs(release)
    draw = np.random.default_rng(0)
    models = {
        "ours": ProofMatcher(config).train(),
        "straightforward": StraightforwardMatcher(config).train(),
        "straightforward_with_attention_dropout": StraightforwardMatcher(config, config.dropout).train(),
    }
    optimizers = {name: torch.optim.ASGD(model.parameters(), lr=1e-5) for name, model in models.items()}
    seconds: dict[str, list[float]] = {name: [] for name in models}
    for number in range(ROUNDS + 1):
        batch = _batch(pairs, BATCH, draw)  # the same for both
        for name, model in models.items():
            began = time.perf_counter()
            loss = local_loss(model(batch["statements"], batch["proofs"])) / BATCH
            loss.backward()
            optimizers[name].step()
            optimizers[name].zero_grad()
            if number:  # the first step warms up
                seconds[name].append(time.perf_counter() - began)
    ours = seconds.pop("ours")
    return {
        "ours": BATCH / median(ours),
        "threads": torch.get_num_threads(),
        "rivals": {
            name: {
                "pairs_per_second": BATCH / median(theirs),
                "ratios": [slow / fast for slow, fast in zip(theirs, ours, strict=True)],
            }
            for name, theirs in seconds.items()
        },
    }


def _memory(release: Path, size: int, chunk: int | None) -> dict[str, Any]:
    import torch

    from proofmatch.training import ProofMatcher
    from proofmatch.training.gradient_cache import backward_in_chunks
    from proofmatch.training.losses import local_loss

    pairs, config = _pairs(release)
    batch = _batch(pairs, size, np.random.default_rng(0))
    matcher = ProofMatcher(config).train()
    optimizer = torch.optim.ASGD(matcher.parameters(), lr=1e-5)
    loss: Callable[[torch.Tensor], torch.Tensor] = lambda scores: local_loss(scores) / size  # noqa: E731
    backward_in_chunks(matcher, batch["statements"][:2], batch["proofs"][:2], local_loss, None)
    optimizer.step()  # now all that stays is there: gradients and the optimizer's averages
    optimizer.zero_grad(set_to_none=False)
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    before, began = _status_mb("VmRSS"), time.perf_counter()
    backward_in_chunks(matcher, batch["statements"], batch["proofs"], loss, chunk)
    optimizer.step()
    seconds = time.perf_counter() - began
    return {
        "batch": size,
        "chunk": chunk,
        "before_mb": before,
        "step_mb": _status_mb("VmHWM") - before,
        "pairs_per_second": size / seconds,
    }


def _status_mb(name: str) -> float:
    """Read what the kernel says of this process's memory: what it has, `VmRSS`, and what it had, `VmHWM`."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith(f"{name}:")) / 1024


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("release", type=Path)
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--memory", type=int)
    parser.add_argument("--chunk", type=int)
    options = parser.parse_args()
    if options.speed:
        print(json.dumps(_speed(options.release)))
    else:
        print(json.dumps(_memory(options.release, options.memory, options.chunk)))
