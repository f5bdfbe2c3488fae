"""Training steps of the paper's model: against a straightforward one, against sgemm, and memory by batch.

Memory is always measured in a separate process, and so is efficiency: the speed of a training step as a share
of the speed of a matrix product on one thread.
"""

import argparse
import json
import os
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
SGEMM_SIZE = 2048
PROFILED = 10  # operations that take most of the time


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
        "limit": measure("--limit"),
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
    limit = found["limit"]
    for name, one in limit["models"].items():
        yield (
            f"{name}, one thread: {one['gflops']:.0f} GFLOPS, {one['share']:.0%} of the "
            f"{limit['sgemm_gflops']:.0f} of sgemm "
            f"(single rounds {min(one['shares']):.0%} to {max(one['shares']):.0%})"
        )
    profile = ", ".join(f"{name} {share:.0%}" for name, share in limit["profile"].items())
    yield f"where our step spends its time: {profile}"
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


def step_flops(config: Any, lengths: list[int]) -> float:
    """Count the operations of a training step in its matrix products, without those for padding.

    A step is worth three forward passes, because each product has two gradients.
    """
    heads, keys, values = config.num_heads, config.key_size, config.value_size
    projections = heads * (2 * keys + values) + heads * values + 2 * config.feed_forward_size
    per_word = 2 * config.embedding_size * projections
    per_pair_of_words = 2 * heads * (keys + values)
    words = np.array(lengths, dtype=np.float64)
    return 3 * config.num_layers * float((per_word * words + per_pair_of_words * words**2).sum())


def _limit(release: Path) -> dict[str, Any]:
    """Compare training steps with a matrix product, by CPU time, which other processes do not affect."""
    import torch
    from torch.profiler import ProfilerActivity, profile

    from proofmatch.training import ProofMatcher
    from proofmatch.training.losses import local_loss
    from tests.benchmarks.straightforward import StraightforwardMatcher

    torch.set_num_threads(1)
    torch.manual_seed(0)
    pairs, config = _pairs(release)
    draw = np.random.default_rng(0)
    models = {"ours": ProofMatcher(config).train(), "straightforward": StraightforwardMatcher(config).train()}
    optimizers = {name: torch.optim.ASGD(model.parameters(), lr=1e-5) for name, model in models.items()}
    square = torch.randn(SGEMM_SIZE, SGEMM_SIZE)

    def sgemm() -> float:
        began = time.process_time()
        square @ square
        return 2 * SGEMM_SIZE**3 / (time.process_time() - began)

    def step(name: str, batch: dict[str, Any]) -> float:
        began = time.process_time()
        (local_loss(models[name](batch["statements"], batch["proofs"])) / BATCH).backward()
        optimizers[name].step()
        optimizers[name].zero_grad()
        return time.process_time() - began

    rates: dict[str, list[float]] = {name: [] for name in models}
    products = [sgemm()]
    for number in range(ROUNDS + 1):
        batch = _batch(pairs, BATCH, draw)
        flops = step_flops(config, [len(text) for side in batch.values() for text in side])
        for name in models:
            rate = flops / step(name, batch)
            products += [sgemm(), sgemm()]
            if number:  # the first step warms up
                rates[name].append(rate)
    with profile(activities=[ProfilerActivity.CPU]) as profiled:
        step("ours", batch)
    spent = {event.key: event.self_cpu_time_total for event in profiled.key_averages()}
    most = sorted(spent, key=lambda name: -spent[name])[:PROFILED]
    limit = max(products)
    return {
        "sgemm_gflops": limit / 1e9,
        "load": os.getloadavg()[0],
        "models": {
            name: {
                "gflops": median(own) / 1e9,
                "share": median(own) / limit,
                "shares": [rate / limit for rate in own],
            }
            for name, own in rates.items()
        },
        "profile": {name: spent[name] / sum(spent.values()) for name in most},
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
    parser.add_argument("--limit", action="store_true")
    parser.add_argument("--memory", type=int)
    parser.add_argument("--chunk", type=int)
    options = parser.parse_args()
    if options.speed:
        print(json.dumps(_speed(options.release)))
    elif options.limit:
        print(json.dumps(_limit(options.release)))
    else:
        print(json.dumps(_memory(options.release, options.memory, options.chunk)))
