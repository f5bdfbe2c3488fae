"""Training the lexical matcher: time and memory by the number of pairs, up to the paper's.

The pairs are real where there are enough, and synthetic with the same statistics for the paper's number.
Every size is measured in a separate process, one after the other, with an empty cache.

python -m tests.benchmarks.lexical RELEASE prints the same for a release that is built already.
"""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute generates its functions at run time, where type checkers do not see them.)

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from proofmatch.builder import build_release
from tests.benchmarks.synthetic_text import SyntheticPairs, heaps_exponent

if TYPE_CHECKING:
    from proofmatch.training.trainer.trainer import MatchingTrainer

REPOSITORY = Path(__file__).resolve().parents[2]
PRESET = "fast"
REAL_SIZES = (2_000, 4_000, 7_558)  # the last one is all of the Stacks project's
PAPER_SIZE = 147_276
COLUMNS = ["statement_tokens", "proof_tokens"]
WARM_UP = 3  # steps
LEAST_STEPS = 20  # measured, of each size
MOST_SECONDS = 240  # after which an epoch is not gone through to its end
RARE_FREQUENCY = 5  # from which on features have weights of their own
TRAIN = "data/pairs/train-00000-of-00001.parquet"


def benchmark(workplace: Path, archive: Path) -> dict[str, Any]:
    """Measure training on pairs of several numbers.

    Args:
        workplace: Empty folder.
        archive: A corpus.
    """
    return measure_sizes(workplace, build_release(archive, workplace / "release"), REAL_SIZES, PAPER_SIZE)


def measure_sizes(
    workplace: Path, release: Path, real_sizes: tuple[int, ...], synthetic_size: int
) -> dict[str, Any]:
    """Measure training on so many pairs of a release, and on so many synthetic ones.

    Args:
        workplace: Folder for what is needed on the way.
        release: Real pairs.
        real_sizes: In ascending order; larger ones than there are pairs are taken for all.
        synthetic_size: How many synthetic pairs.
    """
    found = {"preset": PRESET, "text": _make_texts(workplace, release, real_sizes, synthetic_size)}
    found["sizes"] = [
        {"text": path.name.partition("-")[0], **_in_a_process("--train", str(path))}
        for path in sorted(workplace.glob("*-pairs"), key=lambda path: int(path.name.split("-")[1]))
        if path.name != f"synthetic-{real_sizes[-1]}-pairs"
    ]
    first = found["sizes"][0]
    for size in found["sizes"]:
        for name in ("seconds_per_pair_and_epoch", "cpu_seconds_per_pair_and_epoch"):
            size[f"{name}_ratio"] = size[name] / first[name]
        size["feature_cpu_seconds_per_pair_ratio"] = (size["feature_cpu_seconds"] / size["pairs"]) / (
            first["feature_cpu_seconds"] / first["pairs"]
        )
    return found


def describe(found: dict[str, Any]) -> Iterator[str]:
    """Put into words what was found."""
    text = found["text"]
    real, synthetic = text["real"][-1], text["synthetic"][0]
    yield (
        f"distinct tokens grow like n^{text['token_exponent']:.2f}, "
        f"features like n^{text['feature_exponent']:.2f}"
    )
    yield f"{real['pairs']:,} synthetic pairs beside as many real ones: " + ", ".join(
        f"{name.replace('_', ' ')} {synthetic[name]:.4g} ({real[name]:.4g})"
        for name in real
        if name != "pairs"
    )
    for size in found["sizes"]:
        yield (
            f"{size['pairs']:,} pairs ({size['text']}): features {size['feature_seconds']:.1f} s "
            f"(processor {size['feature_cpu_seconds']:.1f} s), "
            f"an epoch of {size['steps_per_epoch']} steps {size['epoch_seconds']:.1f} s, "
            f"{size['step_seconds']:.2f} s a step (processor {size['step_cpu_seconds']:.2f} s); "
            f"a pair takes {size['cpu_seconds_per_pair_and_epoch_ratio']:.2f} times the CPU time "
            f"of the first line; {size['features']:,} features, {size['rows']:,} rows, "
            f"model {size['model_mb']:.0f} MB, peak {size['peak_mb']:.0f} MB"
        )


def _make_texts(
    workplace: Path, release: Path, real_sizes: tuple[int, ...], synthetic_size: int
) -> dict[str, Any]:
    """Write the texts to be measured, and compare the synthetic ones with the real ones."""
    table = pa.concat_tables(
        [pq.read_table(path, columns=COLUMNS) for path in sorted(release.glob("data/pairs/train-*.parquet"))]
    )
    order = np.random.default_rng(0).permutation(len(table))
    folders = []
    for size in real_sizes:
        chosen = table.take(np.sort(order[:size]))
        folders.append(_write(workplace / f"real-{len(chosen)}-pairs", iter([chosen])))
    real = [_in_a_process("--statistics", str(folder)) for folder in folders]
    sizes = [one["pairs"] for one in real]
    beta = heaps_exponent(sizes, [one["distinct_tokens"] for one in real])
    statements, proofs = (table[name].combine_chunks() for name in COLUMNS)
    source = SyntheticPairs(statements, proofs, beta)
    began = time.perf_counter()
    synthetic = []
    for size in (sizes[-1], synthetic_size):
        parts = (pa.table(list(pair), COLUMNS) for pair in source.make(size))
        folder = _write(workplace / f"synthetic-{size}-pairs", parts)
        synthetic.append(_in_a_process("--statistics", str(folder)))
    return {
        "token_exponent": beta,
        "feature_exponent": heaps_exponent(
            sizes, [round(one["distinct_features_per_pair"] * one["pairs"]) for one in real]
        ),
        "real": real,
        "synthetic": synthetic,
        "seconds_to_make_synthetic": time.perf_counter() - began,
    }


def _write(folder: Path, parts: Iterator[pa.Table]) -> Path:
    """Write pairs as the training split of a release."""
    path = folder / TRAIN
    path.parent.mkdir(parents=True)
    first = next(parts)
    with pq.ParquetWriter(path, first.schema) as writer:
        writer.write_table(first)
        for part in parts:
            writer.write_table(part.cast(first.schema))
    return folder


def _in_a_process(*arguments: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.benchmarks.lexical", *arguments]
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "XDG_CACHE_HOME": cache, "TQDM_DISABLE": "1"}
        done = subprocess.run(
            command, cwd=REPOSITORY, check=True, stdout=subprocess.PIPE, text=True, env=environment
        )
    return json.loads(done.stdout)


def _statistics(folder: Path) -> dict[str, float]:
    """Describe pairs by what decides how long training takes and how large a matcher becomes."""
    from proofmatch.training.lexical.vocabulary import count_features

    found: dict[str, float] = {}
    table = pq.read_table(folder / TRAIN)
    found["pairs"] = len(table)
    columns = [table[name].combine_chunks() for name in COLUMNS]
    tokens = pa.concat_arrays([texts.flatten() for texts in columns])
    found["distinct_tokens"] = pc.count_distinct(tokens).as_py()
    found["share_of_math"] = pc.mean(pc.starts_with(tokens, "m").cast(pa.int8())).as_py()
    bags = [count_features(texts) for texts in columns]
    for side, texts, counted in zip(("statement", "proof"), columns, bags, strict=True):
        found[f"tokens_per_{side}"] = pc.mean(pc.list_value_length(texts)).as_py()
        found[f"entries_per_{side}"] = len(counted.values) / len(table)
    keys = [
        counted.values["feature"] ^ (np.repeat(np.arange(len(table)), counted.lengths) * 0x9E3779B97F4A7C1)
        for counted in bags
    ]
    found["features_shared_by_a_pair"] = len(np.intersect1d(*keys, assume_unique=True)) / len(table)
    del keys
    frequencies = np.unique(np.concatenate([one.values["feature"] for one in bags]), return_counts=True)[1]
    found["distinct_features_per_pair"] = len(frequencies) / len(table)
    found["share_of_features_not_rare"] = float((frequencies >= RARE_FREQUENCY).mean())
    return found


def _train(folder: Path) -> dict[str, Any]:
    """Train on pairs as `proofmatch train` does, but without validation, for some steps."""
    from proofmatch.builder.release.release import Release
    from proofmatch.storage import sha256_of
    from proofmatch.training.lexical.lexical_config import LexicalMatcherConfig
    from proofmatch.training.lexical.vocabulary import read_features
    from proofmatch.training.pairs import MatchingSet, column_of, read_pairs
    from proofmatch.training.run import start_matcher
    from proofmatch.training.settings import load_settings
    from proofmatch.training.trainer.arguments import MatchingArguments
    from proofmatch.training.trainer.trainer import MatchingTrainer

    digest = sha256_of(folder / TRAIN)
    release = Release(folder.name, folder, {"parameters": {}, "files": {TRAIN: {"sha256": digest}}}, digest)
    settings = load_settings(PRESET)
    found: dict[str, Any] = {}
    found["load"] = os.getloadavg()[0]  # more than about 1: other processes took part of the time
    began = _clock()
    for column in COLUMNS:
        texts, origin = column_of(release, "pairs", "train", column)
        read_features(texts, origin, tuple(LexicalMatcherConfig(**settings.lexical).groups), "both")
    del texts
    found["feature_seconds"], found["feature_cpu_seconds"] = _clock() - began
    began = _clock()  # from here on, features come from the cache
    tokenizer, matcher = start_matcher(release, settings, "both", False, seed=0)
    pairs = read_pairs(release, "train", matcher.reader(tokenizer), is_for_training=True)
    found["pairs"] = len(pairs)
    found["start_seconds"], found["start_cpu_seconds"] = _clock() - began
    found["peak_mb_at_start"] = _peak_mb()
    with tempfile.TemporaryDirectory() as out:
        chosen = {"eval_strategy": "no", "save_strategy": "no", "load_best_model_at_end": False}
        arguments = MatchingArguments(
            output_dir=out, **{**settings.training, **chosen, "report_to": "none", "num_train_epochs": 1000}
        )
        one = np.zeros(1, dtype=np.int64)
        task = MatchingSet(pairs.statements.take(one), pairs.proofs.take(one), one)  # never looked at
        trainer = MatchingTrainer(matcher, arguments, pairs, task, tokenizer)
        found |= _steps(trainer)
        trainer.save_model(out)
        found["model_mb"] = (
            sum(path.stat().st_size for path in Path(out).rglob("*") if path.is_file()) / 2**20
        )
    found["features"], found["rows"] = matcher.config.num_features, matcher.config.num_rows
    found["own_weights"] = matcher.config.num_weights
    found["peak_mb"] = _peak_mb()
    return found


def _steps(trainer: "MatchingTrainer") -> dict[str, Any]:
    """Train for an epoch, or as many as give enough steps, and tell the time from one step to the next."""
    import torch
    from transformers import TrainerCallback

    clock: list[np.ndarray] = []
    n_steps = max(LEAST_STEPS, trainer.steps_per_epoch)

    class Clock(TrainerCallback):
        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ARG002
            clock.append(_clock())
            measured = len(clock) - WARM_UP
            is_long = clock[-1][0] - clock[0][0] > MOST_SECONDS
            control.should_training_stop = measured >= (LEAST_STEPS if is_long else n_steps)

    trainer.add_callback(Clock())
    trainer.train()
    wall, cpu = np.diff(np.array(clock[WARM_UP - 1 :]), axis=0).T
    per_epoch = trainer.steps_per_epoch
    epoch = float(wall[:per_epoch].sum()) if len(wall) >= per_epoch else None
    seen = per_epoch * trainer.batches.size
    return {
        "batch": trainer.batches.size,
        "threads": torch.get_num_threads(),
        "steps_per_epoch": per_epoch,
        "steps_measured": len(wall),
        "step_seconds": median(wall.tolist()),
        "step_cpu_seconds": median(cpu.tolist()),
        "epoch_seconds": epoch or float(np.mean(wall)) * per_epoch,
        "is_epoch_whole": epoch is not None,
        # By the pairs that an epoch has seen: those that do not fill a batch wait for the next one.
        "seconds_per_pair_and_epoch": median(wall.tolist()) * per_epoch / seen,
        "cpu_seconds_per_pair_and_epoch": median(cpu.tolist()) * per_epoch / seen,
    }


def _clock() -> np.ndarray:
    """Return the time, and the CPU time of this process."""
    return np.array([time.perf_counter(), time.process_time()])


def _peak_mb() -> float:
    """Tell the most memory that this process had at any moment."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")) / 1024


def main() -> int:
    """Measure one size in this process and print JSON; or all sizes of a release."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("release", type=Path, nargs="?")
    parser.add_argument("--train", type=Path)
    parser.add_argument("--statistics", type=Path)
    parser.add_argument("--real-sizes", type=int, nargs="+", default=REAL_SIZES)
    parser.add_argument("--synthetic-size", type=int, default=PAPER_SIZE)
    options = parser.parse_args()
    if options.train:
        found = _train(options.train)
    elif options.statistics:
        found = _statistics(options.statistics)
    else:
        with tempfile.TemporaryDirectory() as workplace:
            found = measure_sizes(
                Path(workplace), options.release, tuple(options.real_sizes), options.synthetic_size
            )
        for line in describe(found):
            print(line, file=sys.stderr)
    print(json.dumps(found, indent=2 if options.release else None))
    return 0


if __name__ == "__main__":
    sys.exit(main())
