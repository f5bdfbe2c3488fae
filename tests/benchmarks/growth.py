"""Growth: time and memory of builds, checks and matching, by the number of documents, pairs and statements.

python -m tests.benchmarks.growth --most 3000 tries it with small numbers and prints the results.
python -m tests.benchmarks.growth --builds 10000 repeats only the builds of up to 10,000 documents, replaces
their stored results, and writes the page.
"""

import argparse
import bz2
import json
import lzma
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from proofmatch.builder.readers.sources import read_sources
from proofmatch.builder.settings import MEBIBYTE
from tests.benchmarks.measuring import Measurement, measure
from tests.memory import peak_mb
from tests.synthetic import paper
from tests.synthetic.corpus import Settings, write_corpus

REPOSITORY = Path(__file__).resolve().parents[2]
DOCUMENTS = (1_000, 3_000, 10_000, 30_000, 100_000)
# Documents that all have pairs: a tenth of the pairs is the test split, from 2,000 to the paper's 18,409.
DOCUMENTS_WITH_PAIRS = (3_025, 6_050, 12_100, paper.DOCUMENTS_WITH_PAIRS)
PRUNED = 50_000  # statements that are matched without the command line, more than any test split has
WORKERS = 2
CANDIDATES = 500


def benchmark(workplace: Path, corpus: Path) -> dict[str, Any]:
    """Measure corpora of all sizes, and a real one beside them.

    Args:
        workplace: Empty folder with room for 5 GB.
        corpus: An archive of real articles, `.tar.xz`.
    """
    real = measure_real(workplace, corpus)
    return {"scans": True, "real": real, **measure_growth(workplace, DOCUMENTS, DOCUMENTS_WITH_PAIRS, PRUNED)}


def measure_builds_again(workplace: Path, corpus: Path, most: int, results: Path) -> None:
    """Replace what is stored about builds of articles as they come, up to a size that there is time for."""
    stored = results / "growth.json"
    found = json.loads(stored.read_text(encoding="utf-8"))
    found["real"] = measure_real(workplace, corpus)
    found["documents"] = []
    for number in DOCUMENTS:
        if number <= most:
            size, release = _measure_build(workplace, Settings(number))
            found["documents"].append(size)
            found["statistics"] = _statistics(release)
            shutil.rmtree(release)
    found["builds_measured_again"] = True
    stored.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    write_pages(found, results)


def measure_real(workplace: Path, corpus: Path) -> dict[str, Any]:
    """Build real articles, compressed as those of MREC are: are synthetic ones easier?"""
    archive, release = workplace / f"{corpus.name.partition('.')[0]}.tar.bz2", workplace / "release"
    archive.write_bytes(bz2.compress(lzma.decompress(corpus.read_bytes())))
    start = time.perf_counter()
    for _ in read_sources([str(archive)], MEBIBYTE):
        pass
    unpacked = time.perf_counter() - start
    built = _command("build", str(archive), "--out", str(release), "--workers", str(WORKERS))
    size = {
        "corpus": corpus.name,
        **_count(archive),
        "archive_megabytes": archive.stat().st_size / 1e6,
        "unpack_seconds": unpacked,
        "build_seconds": built.wall_seconds,
        "build_cpu_seconds": built.cpu_seconds,
        "pairs": json.loads((release / "stats.json").read_text(encoding="utf-8"))["pairs"]["kept"],
    }
    archive.unlink()
    shutil.rmtree(release)
    return size


def _count(archive: Path) -> dict[str, Any]:
    """Count the documents of an archive, their formulas and their size."""
    documents, formulas, size = 0, 0, 0
    with tarfile.open(archive) as members:
        for member in members:
            if file := members.extractfile(member):
                data = file.read()
                documents, size = documents + 1, size + len(data)
                formulas += data.count(b"</math>") + data.count(b"</m:math>")
    return {"documents": documents, "formulas": formulas, "megabytes": size / 1e6}


def measure_growth(
    workplace: Path, documents: tuple[int, ...], documents_with_pairs: tuple[int, ...], pruned: int
) -> dict[str, Any]:
    """Measure corpora of these sizes.

    Args:
        workplace: Empty folder.
        documents: Sizes of corpora as the paper's.
        documents_with_pairs: Sizes of corpora in which all documents have pairs.
        pruned: How many statements to match at the end.
    """
    found: dict[str, Any] = {"workers": WORKERS, "documents": [], "pairs": []}
    for number in documents_with_pairs:
        settings = Settings(number, with_pairs=1.0, foreign=0.0, damaged=0.0, kilobytes=10.0)
        size, release = _measure_build(workplace, settings)
        size |= _measure_use(workplace, release, _model(workplace / "model", release))
        if number == documents_with_pairs[-1]:
            found["pruned"] = match_in_a_process(release, pruned)
        found["pairs"].append(size)
        shutil.rmtree(release)
        print(f"  {json.dumps(size)}", file=sys.stderr, flush=True)
    for number in documents:
        size, release = _measure_build(workplace, Settings(number))
        found["documents"].append(size)
        found["statistics"] = _statistics(release)
        shutil.rmtree(release)
        print(f"  {json.dumps(size)}", file=sys.stderr, flush=True)
    return found


def _statistics(release: Path) -> dict[str, Any]:
    """Take what the paper's tables have."""
    every = json.loads((release / "stats.json").read_text(encoding="utf-8"))
    statistics = {key: every[key] for key in ("documents", "pairs", "categories", "lengths")}
    statistics["categories"]["by_primary"] = every["categories"]["by_primary"][:13]
    return statistics


def _measure_build(workplace: Path, settings: Settings) -> tuple[dict[str, Any], Path]:
    """Generate articles and build them; the archive is removed, the release is not."""
    archive, release = workplace / "articles.tar.bz2", workplace / "release"
    load = os.getloadavg()[0]
    start = time.perf_counter()
    truth = write_corpus(settings, archive, WORKERS)
    synthesize_seconds = time.perf_counter() - start
    built = _command("build", str(archive), "--out", str(release), "--workers", str(WORKERS), memory=True)
    stats = json.loads((release / "stats.json").read_text(encoding="utf-8"))
    if stats["pairs"] != truth["pairs"]:
        raise RuntimeError(f"{stats['pairs']} pairs instead of {truth['pairs']}")
    size = {
        "documents": settings.documents,
        "formulas": truth["documents"]["formulas"],
        "megabytes": truth["documents"]["bytes"] / 1e6,
        "archive_megabytes": archive.stat().st_size / 1e6,
        "pairs": stats["pairs"]["kept"],
        "synthesize_seconds": synthesize_seconds,
        "build_seconds": built.wall_seconds,
        "build_cpu_seconds": built.cpu_seconds,
        "driver_peak_mb": built.peak_driver_mb,
        "worker_peak_mb": built.peak_worker_mb,
        "release_megabytes": _megabytes(release),
        "load_average_before": load,
        "load_average_after": os.getloadavg()[0],
    }
    archive.unlink()
    return size, release


def _model(folder: Path, release: Path) -> Path:
    """Train the model that ranks the proofs of all releases, on the first one, unless that was done."""
    short = ["--preset", "quick", "--set", "num_train_epochs=1"]  # what it has learned makes no difference
    if not folder.exists():
        _command("train", "--data", str(release), "--out", str(folder), *short)
    return folder


def _measure_use(workplace: Path, release: Path, model: Path) -> dict[str, Any]:
    """Check a release, rank the proofs of its test split with a model, and match them one to one."""
    predictions, matched = workplace / "predictions.parquet", workplace / "matched.parquet"
    steps = {
        "check": ["check", str(release)],
        "predict": ["predict", str(model), "--data", str(release), "--out", str(predictions)],
        "match": ["match", str(predictions), "--out", str(matched)],
    }
    found: dict[str, Any] = {}
    for name, arguments in steps.items():
        used = _command(*arguments, memory=True)
        found |= {f"{name}_seconds": used.wall_seconds, f"{name}_peak_mb": used.peak_total_mb}
    found["statements"] = json.loads((release / "stats.json").read_text())["rows"]["statements"]["test"]
    for path in workplace.glob("*.parquet*"):
        path.unlink()
    return found


def _command(*arguments: str, memory: bool = False) -> Measurement:
    return measure([sys.executable, "-m", "proofmatch", *arguments], memory=memory)


def _megabytes(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def match_in_a_process(release: Path, size: int) -> dict[str, Any]:
    """Match so many statements of a release one-to-one, and tell the time and the memory that it takes."""
    command = [sys.executable, "-m", "tests.benchmarks.growth", "--match", str(release), str(size)]
    done = subprocess.run(command, cwd=REPOSITORY, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def _match(release: Path, size: int) -> dict[str, Any]:
    """Find candidates among so many proofs by TF-IDF, and match over them."""
    from proofmatch.evaluation.decoding import SparseProductScores, best_candidates, match_candidates
    from tests.benchmarks.matching import tfidf_vectors

    scores = SparseProductScores(*tfidf_vectors(release, size))
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far, that of making the vectors
    start = time.perf_counter()
    candidates = best_candidates(scores, CANDIDATES)
    found = time.perf_counter()
    matching = match_candidates(candidates)
    return {
        "statements": size,
        "candidates": CANDIDATES,
        "candidates_seconds": found - start,
        "match_seconds": time.perf_counter() - found,
        "unmatched": matching.n_unmatched,
        "peak_mb": peak_mb(),
    }


def describe(found: dict[str, Any]) -> Iterator[str]:
    """Put into words what was found."""
    real = found["real"]
    yield (
        f"{real['corpus']}: {real['documents']:,} documents, {real['formulas']:,} formulas in "
        f"{real['build_seconds']:.1f} s"
    )
    for size in found["documents"]:
        yield (
            f"{size['documents']:,} documents ({size['megabytes']:,.0f} MB, {size['pairs']:,} pairs): build "
            f"{size['build_seconds']:.0f} s, {size['documents'] / size['build_seconds']:.0f} documents/s, "
            f"driver {size['driver_peak_mb']:.0f} MB, worker {size['worker_peak_mb']:.0f} MB"
        )
    for size in found["pairs"]:
        yield (
            f"{size['pairs']:,} pairs: build {size['build_seconds']:.0f} s, "
            f"driver {size['driver_peak_mb']:.0f} MB; "
            f"check {size['check_seconds']:.0f} s, {size['check_peak_mb']:.0f} MB"
        )
        yield (
            f"{size['statements']:,} statements: ranking {size['predict_seconds']:.1f} s, "
            f"matching {size['match_seconds']:.1f} s"
        )
    pruned = found["pruned"]
    seconds = pruned["candidates_seconds"] + pruned["match_seconds"]
    yield f"{pruned['statements']:,} statements pruned: {seconds:.0f} s, {pruned['peak_mb']:.0f} MB"


def write_pages(found: dict[str, Any], results: Path) -> None:
    """Draw the plots and write the page of the documentation."""
    from tests.benchmarks.growth_page import write_growth_page

    write_growth_page(found, results)


def main() -> int:
    """Try small numbers, or match in this process."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=3_000, metavar="DOCUMENTS")
    parser.add_argument("--match", nargs=2, metavar=("RELEASE", "STATEMENTS"))
    parser.add_argument("--builds", type=int, metavar="DOCUMENTS")
    options = parser.parse_args()
    if options.match:
        print(json.dumps(_match(Path(options.match[0]), int(options.match[1]))))
        return 0
    if options.builds:
        from tests.benchmarks.run import CORPUS, FOLDER

        with tempfile.TemporaryDirectory() as folder:
            measure_builds_again(Path(folder), CORPUS, options.builds, FOLDER / "results")
        return 0
    documents = tuple(number for number in DOCUMENTS if number <= options.most)
    with tempfile.TemporaryDirectory() as folder:
        found = measure_growth(Path(folder), documents, (options.most // 6, options.most // 3), options.most)
    print(json.dumps(found, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
