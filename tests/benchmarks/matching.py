"""Matching: candidates, pruned and exact matching, compared with each other and with other solvers.

Every problem is measured in a separate process, so that its peak memory is its own.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from proofmatch.builder import build_release
from tests.memory import peak_mb

REPOSITORY = Path(__file__).resolve().parents[2]
SIZES = (2000, 4000, 8000, 18409)  # the last one is the paper's test set
SCIPY_AT_MOST = 8000  # its dense solver takes several times as long as that of lap
ROWS_SAMPLED = 50


def benchmark(workplace: Path, archive: Path) -> dict[str, Any]:
    """Measure random hard problems, and TF-IDF scores of real text, of several sizes.

    Args:
        workplace: Empty folder.
        archive: A corpus; its release has fewer pairs than the largest size, so that its texts repeat.
    """
    release = build_release(archive, workplace / "release")
    found: dict[str, Any] = {"random": [], "tfidf": []}
    for size in SIZES:
        found["random"].append(_in_a_process(["--random", str(size)]))
        found["tfidf"].append(_in_a_process(["--tfidf", str(size), "--release", str(release)]))
    return found


def describe(found: dict[str, Any]) -> Iterator[str]:
    """Put into words what was found."""
    for kind in ("random", "tfidf"):
        for one in found[kind]:
            pruned = one["candidates_seconds"] + one["pruned_seconds"]
            faster = one["row_by_row_seconds"] / pruned
            yield (
                f"{kind}, n = {one['n']:,}: candidates and pruned matching {pruned:.1f} s "
                f"({faster:.1f} times as fast as row by row), exact {one['exact_seconds']:.1f} s in "
                f"{one['exact_rounds']} rounds, {one['exact_over_candidates_and_pruned']:.1f} times as long, "
                f"gap {one['exact_gap']:.1g}, {one['peak_mb']:.0f} MB"
                + (f"; dense lapjv {one['lapjv_seconds']:.1f} s" if "lapjv_seconds" in one else "")
            )


def _in_a_process(arguments: list[str]) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.benchmarks.matching", *arguments]
    done = subprocess.run(command, cwd=REPOSITORY, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def tfidf_vectors(release: Path, size: int) -> tuple[Any, Any]:
    """TF-IDF vectors of the first statements and proofs of a release, of all splits together.

    Where there are more rows than pairs, the texts come again with a tenth of their tokens left out, another
    tenth for each: equal vectors would make the problem easier than real text is.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    from proofmatch.evaluation.baselines import tfidf_scores

    tables = [pq.read_table(path) for path in sorted(release.glob("data/pairs/*.parquet"))]
    pairs = pa.concat_tables(tables).slice(0, size).combine_chunks()
    generator = np.random.default_rng(0)
    sides = []
    for side in ("statement_tokens", "proof_tokens"):
        texts = pairs[side].to_pylist()
        for number in range(len(texts), size):
            text = texts[number - len(pairs)]
            texts.append(
                [token for token, kept in zip(text, generator.random(len(text)) > 0.1, strict=True) if kept]
            )
        sides.append(pa.array(texts[:size], pa.list_(pa.string())))
    scores = tfidf_scores(sides, *sides)
    return scores.left, scores.right


def hard_problem(size: int, dim: int = 64, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Vectors so noisy, and so unequal in length, that few rows find their own when there are many."""
    generator = np.random.default_rng(seed)
    meaning = generator.standard_normal((size, dim), dtype=np.float32)
    left, right = (meaning + generator.standard_normal((size, dim), dtype=np.float32) for _ in range(2))
    return left, right * np.exp(0.15 * generator.standard_normal((size, 1), dtype=np.float32))


def _random(size: int) -> dict[str, Any]:
    from proofmatch.evaluation.decoding import ProductScores

    left, right = hard_problem(size)
    found = _measured(size, ProductScores(left, right), left, right)
    return found | _dense(left, right, found["exact_total"])


def _tfidf(size: int, release: Path) -> dict[str, Any]:
    from proofmatch.evaluation.decoding import SparseProductScores

    left, right = tfidf_vectors(release, size)
    return _measured(size, SparseProductScores(left, right), left, right)


def _measured(size: int, source: Any, left: Any, right: Any) -> dict[str, Any]:
    found = {"n": size, **_measure(source)}
    found["peak_mb"] = peak_mb()
    return found | _row_by_row(left, right)


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
    """What solvers take that hold all scores in memory."""
    from lap import lapjv
    from scipy.optimize import linear_sum_assignment

    found: dict[str, float] = {}
    scores = left @ right.T
    _, columns, _ = _timed(found, "lapjv_seconds", lambda: lapjv(scores.max() - scores))
    total = scores[np.arange(len(columns)), columns].sum(dtype=np.float64)
    found["lapjv_total_difference"] = float(total - expected)
    found["lapjv_peak_mb"] = peak_mb()
    if len(scores) <= SCIPY_AT_MOST:
        _timed(found, "linear_sum_assignment_seconds", lambda: linear_sum_assignment(scores, True))
    return found


def _timed(found: dict[str, Any], name: str, work: Callable[[], Any]) -> Any:
    start = time.perf_counter()
    result = work()
    found[name] = time.perf_counter() - start
    return result


def main() -> int:
    """Measure one problem in this process and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--random", type=int)
    parser.add_argument("--tfidf", type=int)
    parser.add_argument("--release", type=Path)
    options = parser.parse_args()
    found = _random(options.random) if options.random else _tfidf(options.tfidf, options.release)
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
