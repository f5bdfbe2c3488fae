"""The build: CPU time against bare parsing, workers, decompression, memory against corpus size."""

import bz2
import contextlib
import gzip
import os
import re
import shutil
import statistics
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from io import BytesIO
from multiprocessing import Pool
from pathlib import Path
from typing import Any

from tests.benchmarks.measuring import Measurement, measure

ROUNDS = 3
LARGER = 8
PIECE = 1 << 20
WITH_PAIRS = 16
CORPORA = ("all_with_pairs", "one_in_16_with_pairs", f"one_in_16_with_pairs_{LARGER}_copies")
PROOF_CLASS = re.compile(rb'(class="[^"]*)proof')

# What a build cannot do without: every file parsed by lxml. Only that is timed, not the start of the process.
PARSE = """
import sys, time
from pathlib import Path
from lxml import etree

paths = [str(path) for path in sorted(Path(sys.argv[1]).rglob("*.xhtml"))]
start = time.process_time()
for path in paths:
    etree.parse(path)
print(time.process_time() - start)
"""


def benchmark(workplace: Path, archive: Path) -> dict[str, Any]:
    """Measure the build of a corpus.

    Args:
        workplace: Empty folder with room for thirty times the unpacked corpus.
        archive: The corpus.
    """
    folder = workplace / "articles"
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    # A build starts processes and draws the figures of the card, which takes a second or two; the larger mix
    # shows what remains where documents are many.
    _mix(folder, workplace / "mix", 1)
    _mix(folder, workplace / "larger-mix", LARGER)
    corpora = dict(zip(CORPORA, (folder, workplace / "mix", workplace / "larger-mix"), strict=True))
    found: dict[str, Any] = {"corpus": archive.name}
    for name, corpus in corpora.items():
        rounds = [_round(corpus, workplace, f"{name}-{number}") for number in range(ROUNDS)]
        found[name] = {
            "rounds": rounds,
            "cpu_ratio_to_parsing": _median_ratio(rounds, "build_cpu_seconds", "parse_cpu_seconds"),
            "speedup_of_two_workers": _median_ratio(rounds, "one_worker_seconds", "two_workers_seconds"),
        }
    found["load_average"] = os.getloadavg()[0]
    small = _build(folder, workplace / "memory", workers=2, memory=True)
    larger = workplace / "larger.tar"
    _multiply(folder, larger, LARGER)
    found["gzip"] = _gzip(larger, workplace / "larger.tar.gz")
    found["bzip2"], large = _bzip2(larger, workplace)
    found["memory"] = [
        {"size": size, "worker_peak_mb": built.peak_worker_mb, "driver_peak_mb": built.peak_driver_mb}
        for size, built in ((1, small), (LARGER, large))
    ]
    return found


def _mix(folder: Path, mix: Path, times: int) -> None:
    """Copy a corpus so that one document in 16 keeps its pairs; the others still speak of proofs."""
    mix.mkdir()
    for number, (name, data) in enumerate(_copies(folder, times)):
        content = PROOF_CLASS.sub(rb"\1argument", data) if number // times % WITH_PAIRS else data
        (mix / name.replace("/", "-")).write_bytes(content)


def _gzip(archive: Path, packed: Path) -> dict[str, float | None]:
    """Measure unpacking with `gzip`, and with the threads of `rapidgzip` if somebody has installed it."""
    with archive.open("rb") as file, gzip.open(packed, "wb", 6) as compressed:
        shutil.copyfileobj(file, compressed, PIECE)
    found: dict[str, float | None] = {
        "copies": LARGER,
        "archive_mb": packed.stat().st_size / 1e6,
        "unpacking_seconds": _seconds_to_read(partial(gzip.open, packed)),
        "unpacking_seconds_2_threads": None,
    }
    with contextlib.suppress(ImportError):
        import rapidgzip  # pyright: ignore[reportMissingImports]

        threads = partial(rapidgzip.open, str(packed), parallelization=2)
        found["unpacking_seconds_2_threads"] = _seconds_to_read(threads)
    packed.unlink()
    return found


def _bzip2(archive: Path, workplace: Path) -> tuple[dict[str, float], Measurement]:
    """Measure builds from a compressed archive against unpacking it on one core."""
    packed = workplace / "larger.tar.bz2"
    with archive.open("rb") as file, packed.open("wb") as compressed, Pool(2) as pool:
        # Streams one after the other are one file. Each stream has blocks of at most 900 kB anyway.
        compressed.writelines(pool.imap(bz2.compress, iter(partial(file.read, 16 * PIECE), b"")))
    found = {
        "copies": LARGER,
        "archive_mb": packed.stat().st_size / 1e6,
        "unpacking_seconds": _seconds_to_read(partial(bz2.open, packed)),
    }
    for workers in (1, 2):
        built = _build(packed, workplace / f"bzip2-{workers}", workers, memory=workers == 2)
        found[f"build_seconds_{workers}_workers"] = built.wall_seconds
    return found, built


def _seconds_to_read(opened: Callable[[], AbstractContextManager[Any]]) -> float:
    start = time.perf_counter()
    with opened() as content:
        while content.read(PIECE):
            pass
    return time.perf_counter() - start


def _round(folder: Path, workplace: Path, number: str) -> dict[str, float]:
    parsing = subprocess.run(
        [sys.executable, "-c", PARSE, str(folder)], capture_output=True, text=True, check=True
    )
    one = _build(folder, workplace / f"one-{number}", workers=1)
    two = _build(folder, workplace / f"two-{number}", workers=2)
    return {
        "parse_cpu_seconds": float(parsing.stdout),
        "build_cpu_seconds": one.cpu_seconds,
        "one_worker_seconds": one.wall_seconds,
        "two_workers_seconds": two.wall_seconds,
    }


def _median_ratio(rounds: list[dict[str, float]], above: str, below: str) -> float:
    return statistics.median(round_[above] / round_[below] for round_ in rounds)


def _multiply(folder: Path, archive: Path, times: int) -> None:
    """Pack a corpus several times, each time under other article ids."""
    with tarfile.open(archive, "w") as packed:
        for name, data in _copies(folder, times):
            member = tarfile.TarInfo(name)
            member.size = len(data)
            packed.addfile(member, BytesIO(data))


def _copies(folder: Path, times: int) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*.xhtml")):
        data, identifier = path.read_bytes(), f'content="{path.stem}"'.encode()
        for number in range(times):
            yield (
                f"{number}/{path.name}",
                data.replace(identifier, f'content="{number}.{path.stem}"'.encode()),
            )


def _build(source: Path, release: Path, workers: int, *, memory: bool = False) -> Measurement:
    command = [sys.executable, "-m", "proofmatch", "build", str(source), "--out", str(release)]
    return measure([*command, "--workers", str(workers)], memory=memory)


def describe(found: dict[str, Any]) -> Iterator[str]:
    """Put into words what was found."""
    for name in CORPORA:
        corpus = found[name]
        yield f"documents: {name.replace('_', ' ')}"
        yield "seconds    parsing (CPU)   build (CPU)    one worker   two workers"
        for number, round_ in enumerate(corpus["rounds"], 1):
            yield f"round {number:<4}" + "".join(f"{seconds:14.2f}" for seconds in round_.values())
        yield f"CPU of the build: {corpus['cpu_ratio_to_parsing']:.2f} times that of bare parsing (median)"
        yield f"two workers: {corpus['speedup_of_two_workers']:.2f} times as fast as one (median)"
    unpacked, threads = found["gzip"], found["gzip"]["unpacking_seconds_2_threads"]
    yield (
        f"a tar.gz of {unpacked['archive_mb']:.0f} MB: {unpacked['unpacking_seconds']:.1f} s to unpack it "
        "with gzip" + (f", {threads:.1f} s with 2 threads of rapidgzip" if threads else "")
    )
    bzip2 = found["bzip2"]
    yield (
        f"a tar.bz2 of {bzip2['archive_mb']:.0f} MB: {bzip2['unpacking_seconds']:.1f} s to unpack it on one "
        f"core; build with 1 worker {bzip2['build_seconds_1_workers']:.1f} s, with 2 workers "
        f"{bzip2['build_seconds_2_workers']:.1f} s"
    )
    for memory in found["memory"]:
        yield (
            f"memory at {memory['size']}x: {memory['worker_peak_mb']:.0f} MB at most in a worker, "
            f"{memory['driver_peak_mb']:.0f} MB in the driver"
        )
