"""Matching: candidates, pruned and exact matching against each other and against what else there is.

    python -m tests.benchmarks.matching [--sizes 2000 4000 …] [--dense-at-most 8000]

Every size is measured in a process of its own, so that its peak of memory is its own too.
"""

import argparse
import json
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

REPOSITORY = Path(__file__).resolve().parents[2]
RESULTS = Path(__file__).parent / "results"
SIZES = (2000, 4000, 8000, 18409)  # the last one is the paper's test set
DENSE_AT_MOST = 8000
ROWS_SAMPLED = 50


def benchmark_matching(
    sizes: tuple[int, ...] = SIZES, dense_at_most: int = DENSE_AT_MOST
) -> list[dict[str, Any]]:
    """Measure random hard problems of several sizes.

    Args:
        sizes: Numbers of statements, each with as many proofs.
        dense_at_most: Up to this size the dense solvers run, too, whose time grows with the cube.
    """
    found = []
    for size in sizes:
        command = [sys.executable, "-m", "tests.benchmarks.matching", "--one", str(size)]
        if size <= dense_at_most:
            command.append("--dense")
        done = subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True, text=True)
        found.append(json.loads(done.stdout))
    return found


def benchmark_sparse_vectors(left: Any, right: Any) -> dict[str, Any]:
    """Measure two CSR matrices of as many rows, such as the TF-IDF vectors of statements and proofs."""
    from proofmatch.evaluation.decoding import SparseProductScores

    return {**_measure(SparseProductScores(left, right)), **_row_by_row(left, right)}


def hard_problem(size: int, dim: int = 64, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Vectors so noisy, and so unequal in length, that few rows find their own when there are many."""
    generator = np.random.default_rng(seed)
    meaning = generator.standard_normal((size, dim), dtype=np.float32)
    left, right = (meaning + generator.standard_normal((size, dim), dtype=np.float32) for _ in range(2))
    return left, right * np.exp(0.15 * generator.standard_normal((size, 1), dtype=np.float32))


def _one(size: int, *, dense: bool) -> dict[str, Any]:
    from proofmatch.evaluation.decoding import ProductScores

    left, right = hard_problem(size)
    found = {"n": size, **_measure(ProductScores(left, right))}
    found["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    found |= _row_by_row(left, right)
    if dense:
        found |= _dense(left, right, found["exact_total"])
    return found


def _measure(source: Any) -> dict[str, Any]:
    from proofmatch.evaluation.decoding import (
        best_candidates,
        match_candidates,
        match_exactly,
        match_locally,
        verify_certificate,
    )

    found: dict[str, Any] = {"k": 500}
    local = match_locally(source)
    candidates = _timed(found, "candidates_seconds", lambda: best_candidates(source, found["k"]))
    pruned = _timed(found, "pruned_seconds", lambda: match_candidates(candidates))
    exact = _timed(found, "exact_seconds", lambda: match_exactly(source))
    _timed(found, "verify_seconds", lambda: verify_certificate(source, exact))
    gold = np.arange(len(local))
    return found | {
        "exact_over_candidates_and_pruned": found["exact_seconds"]
        / (found["candidates_seconds"] + found["pruned_seconds"]),
        "pruned_unmatched": pruned.n_unmatched,
        "pruned_total": pruned.total,
        "exact_total": exact.total,
        "exact_gap": exact.certificate.gap,
        "exact_rounds": exact.rounds,
        "exact_pairs": exact.n_pairs,
        "accuracy_local": float((local == gold).mean()),
        "accuracy_pruned": float((pruned.columns == gold).mean()),
        "accuracy_exact": float((exact.columns == gold).mean()),
    }


def _row_by_row(left: Any, right: Any) -> dict[str, float]:
    """What the usual loop takes, one row against all and a full sort, per row of a sample."""
    from sklearn.metrics.pairwise import cosine_similarity

    start = time.perf_counter()
    for row in np.linspace(0, left.shape[0] - 1, ROWS_SAMPLED).astype(int):
        np.argsort(-cosine_similarity(left[row : row + 1], right)[0])
    seconds = (time.perf_counter() - start) / ROWS_SAMPLED
    return {"row_by_row_seconds_per_row": seconds, "row_by_row_seconds": seconds * left.shape[0]}


def _dense(left: np.ndarray, right: np.ndarray, expected: float) -> dict[str, float]:
    from scipy.optimize import linear_sum_assignment

    found: dict[str, float] = {}
    scores = left @ right.T
    _, columns = _timed(found, "linear_sum_assignment_seconds", lambda: linear_sum_assignment(scores, True))
    total = scores[np.arange(len(columns)), columns].sum(dtype=np.float64)
    found["dense_total_difference"] = float(total - expected)
    try:
        from lap import lapjv
    except ImportError:
        return found
    _timed(found, "lapjv_seconds", lambda: lapjv(scores.max() - scores, return_cost=False))
    return found


def _timed(found: dict[str, Any], name: str, work: Callable[[], Any]) -> Any:
    start = time.perf_counter()
    result = work()
    found[name] = time.perf_counter() - start
    return result


def main() -> int:
    """Run everything, print what was found and store it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--dense-at-most", type=int, default=DENSE_AT_MOST)
    parser.add_argument("--one", type=int, help="measure this size in this process and print JSON")
    parser.add_argument("--dense", action="store_true", help="with --one: run the dense solvers, too")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(_one(options.one, dense=options.dense)))
        return 0
    found = {
        "random": benchmark_matching(tuple(options.sizes), options.dense_at_most),
        "python": platform.python_version(),
        "processor": platform.machine(),
    }
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "matching.json").write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    for one in found["random"]:
        print("".join(f"{name}: {value:.4g}  " for name, value in one.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
