"""Search, prediction and matching at the paper's size: the first answer, later ones, and memory.

The pairs are synthetic, made from real ones (see `synthetic_text.py`), which the model was trained on.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq

from proofmatch.builder import build_release
from proofmatch.builder.release.release import open_release, write_manifest
from tests.benchmarks.growth import match_in_a_process
from tests.benchmarks.measuring import measure
from tests.benchmarks.synthetic_text import SyntheticPairs

REPOSITORY = Path(__file__).resolve().parents[2]
PROGRAM = [sys.executable, "-m", "proofmatch"]
PRESET = "fast"
SPLITS = {"train": 147_276, "validation": 18_409, "test": 18_409}
TOKEN_EXPONENT = 0.46  # of Heaps' law, as `lexical.py` measures it
PRUNED = 50_000  # statements that are matched one-to-one, each with 500 candidates
QUERIES = 50


def benchmark(workplace: Path, corpus: Path) -> dict[str, Any]:
    """Train a model on a corpus, make as many pairs as the paper has, and search, predict and match.

    Args:
        workplace: Empty folder with room for 3 GB.
        corpus: An archive of real articles.
    """
    small, model = build_release(corpus, workplace / "small"), workplace / "model"
    measure([*PROGRAM, "train", "--data", str(small), "--preset", PRESET, "--out", str(model)])
    large = make_release(small, workplace / "large", SPLITS)
    return measure_use(workplace, model, large, PRUNED)


def measure_use(workplace: Path, model: Path, release: Path, pruned: int) -> dict[str, Any]:
    """Search a release with commands and in one process, predict its test split, and match.

    Args:
        workplace: Folder for the cache and predictions.
        model: The model.
        release: The release.
        pruned: How many statements to match over their best candidates.
    """
    environment = {**os.environ, "XDG_CACHE_HOME": str(workplace / "cache")}
    found: dict[str, Any] = {"preset": PRESET, "load": os.getloadavg()[0]}

    def command(name: str, *arguments: str) -> None:
        used = measure([*PROGRAM, *arguments], memory=True, environment=environment)
        found[name] = {
            "seconds": used.wall_seconds,
            "cpu_seconds": used.cpu_seconds,
            "peak_mb": used.peak_driver_mb,
        }

    statement = _queries(release, 1)[0]
    search = ["search", str(model), "--data", str(release), statement]
    command("search_first", *search)
    command("search_again", *search)
    found["index_mb"] = sum(path.stat().st_size for path in (workplace / "cache").rglob("*.npy")) / 1e6
    found["searcher"] = _in_a_process(environment, "--search", str(model), str(release))
    predictions, matched = workplace / "predictions.parquet", workplace / "matched.parquet"
    predict = ["predict", str(model), "--data", str(release), "--allow-seen", "--out"]
    command("predict", *predict, str(predictions))
    command("match", "match", str(predictions), "--out", str(matched))
    command("predict_global", *predict, str(workplace / "global.parquet"), "--decode", "global")
    found["pruned"] = match_in_a_process(release, pruned)
    return found


def make_release(small: Path, large: Path, sizes: dict[str, int]) -> Path:
    """Write a release of synthetic pairs, with splits of these sizes, made from the pairs of another."""
    opened = open_release(small)
    real = opened.table("pairs", "train")
    sides = ("statement", "proof")
    source = SyntheticPairs(*(real[f"{side}_tokens"].combine_chunks() for side in sides), TOKEN_EXPONENT)
    parts = source.make(sum(sizes.values()))
    rest = pa.table(dict(zip(sides, next(parts), strict=True)))
    first = 0
    for split, size in sizes.items():
        while len(rest) < size:
            rest = pa.concat_tables([rest, pa.table(dict(zip(sides, next(parts), strict=True)))])
        tokens, rest = rest.slice(0, size).combine_chunks(), rest.slice(size)
        _write_split(large, split, _pairs(real, tokens, first))
        first += size
    write_manifest(large, opened.parameters, {})
    return large


def _pairs(real: pa.Table, tokens: pa.Table, first: int) -> pa.Table:
    """Complete tokens to pairs, numbered from `first` on; all that is not text is that of some real pair."""
    numbers = np.arange(first, first + len(tokens))
    pairs = real.take(pa.array(numbers % len(real)))
    columns = {
        name: [f"{prefix}{number:08}" for number in numbers]
        for name, prefix in (("id", "pair-"), ("statement_id", "s-"), ("proof_id", "p-"))
    }
    for side in ("statement", "proof"):
        # The tokens without their types.
        columns[side] = [" ".join(token[2:] for token in text) for text in tokens[side].to_pylist()]
        columns[f"{side}_tokens"] = tokens[side]
    for name, values in columns.items():
        field = pairs.schema.field(name)
        column = values if isinstance(values, pa.ChunkedArray) else pa.array(values)
        pairs = pairs.set_column(pairs.schema.get_field_index(name), field, column.cast(field.type))
    return pairs


def _write_split(release: Path, split: str, pairs: pa.Table) -> None:
    tables = {"pairs": pairs}
    for side in ("statement", "proof"):
        columns = [f"{side}_id", side, f"{side}_tokens"]
        tables[f"{side}s"] = pairs.select(columns).rename_columns([f"{side}_id", "text", "tokens"])
    for config, table in tables.items():
        path = release / "data" / config / f"{split}-00000-of-00001.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(table, path, row_group_size=4096)


def _queries(release: Path, count: int) -> list[str]:
    """Take statements of the test split to search for."""
    table = open_release(release).table("pairs", "test", ["statement"])
    return [
        text[:1000].replace("\\", " ").replace("$", " ") for text in table["statement"][:count].to_pylist()
    ]


def _search(model: Path, release: Path) -> dict[str, Any]:
    """Search in this process, as a server does, with vectors that are cached."""
    from proofmatch.training.prediction import load_matcher
    from proofmatch.training.searching.searcher import Searcher

    queries = _queries(release, QUERIES)
    began = time.perf_counter()
    searcher = Searcher(load_matcher(model), open_release(release), list(SPLITS))
    searcher.index("proofs")
    ready = time.perf_counter()
    seconds = []
    for query in queries:
        start = time.perf_counter()
        searcher.search(query)
        seconds.append(time.perf_counter() - start)
    memory = psutil.Process().memory_info()
    return {
        "proofs": len(searcher),
        "ready_seconds": ready - began,
        "first_answer_seconds": seconds[0],
        "later_answer_seconds": median(seconds[1:]),
        "slowest_later_answer_seconds": max(seconds[1:]),
        "rss_mb": memory.rss / 2**20,
        "of_which_files_mb": memory.shared / 2**20,  # pages of mapped files, which the kernel may drop
    }


def _in_a_process(environment: dict[str, str], *arguments: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.benchmarks.searching", *arguments]
    done = subprocess.run(
        command, cwd=REPOSITORY, check=True, stdout=subprocess.PIPE, text=True, env=environment
    )
    return json.loads(done.stdout)


def describe(found: dict[str, Any]) -> Iterator[str]:
    """Put into words what was found."""
    searcher, pruned = found["searcher"], found["pruned"]
    for name, words in {
        "search_first": "the first search, which encodes all proofs",
        "search_again": "the same command again",
        "predict": f"ranking {SPLITS['test']:,} proofs for as many statements",
        "match": "matching them one-to-one",
        "predict_global": "both in one command",
    }.items():
        one = found[name]
        yield (
            f"{words}: {one['seconds']:.1f} s (processor {one['cpu_seconds']:.1f} s), {one['peak_mb']:.0f} MB"
        )
    yield (
        f"in one process over {searcher['proofs']:,} proofs: ready after {searcher['ready_seconds']:.1f} s, "
        f"first answer {searcher['first_answer_seconds']:.3f} s, later ones "
        f"{searcher['later_answer_seconds']:.3f} s "
        f"(slowest {searcher['slowest_later_answer_seconds']:.3f} s); "
        f"{searcher['rss_mb']:.0f} MB, of which {searcher['of_which_files_mb']:.0f} MB are pages of files; "
        f"the index has {found['index_mb']:.0f} MB"
    )
    seconds = pruned["candidates_seconds"] + pruned["match_seconds"]
    yield (
        f"{pruned['statements']:,} statements with {pruned['candidates']} candidates each: "
        f"{seconds:.0f} s, {pruned['peak_mb']:.0f} MB"
    )


def main() -> int:
    """Search in this process and print JSON; or measure a model and a release that are made already."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--search", nargs=2, type=Path, metavar=("MODEL", "RELEASE"))
    parser.add_argument("--make", nargs=2, type=Path, metavar=("SMALL", "LARGE"))
    options = parser.parse_args()
    if options.make:
        make_release(*options.make, SPLITS)
    else:
        print(json.dumps(_search(*options.search)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
