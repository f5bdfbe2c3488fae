"""The build: processor time against bare parsing, two workers against one, memory against corpus size."""

import statistics
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

from tests.benchmarks.measuring import Measurement, measure

ROUNDS = 5
LARGER = 8

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
        workplace: Empty folder with room for eight times the unpacked corpus.
        archive: The corpus.
    """
    folder = workplace / "articles"
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    rounds = [_round(folder, workplace, number) for number in range(ROUNDS)]
    return {
        "corpus": archive.name,
        "rounds": rounds,
        "cpu_ratio_to_parsing": _median_ratio(rounds, "build_cpu_seconds", "parse_cpu_seconds"),
        "speedup_of_two_workers": _median_ratio(rounds, "one_worker_seconds", "two_workers_seconds"),
        "memory": _memory(folder, workplace),
    }


def _round(folder: Path, workplace: Path, number: int) -> dict[str, float]:
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


def _memory(folder: Path, workplace: Path) -> list[dict[str, float]]:
    archive = workplace / "larger.tar"
    _multiply(folder, archive, LARGER)
    found = []
    for size, source in ((1, folder), (LARGER, archive)):
        built = _build(source, workplace / f"memory-{size}", workers=2, memory=True)
        found.append(
            {"size": size, "worker_peak_mb": built.peak_worker_mb, "driver_peak_mb": built.peak_driver_mb}
        )
    return found


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
    yield "seconds    parsing (CPU)   build (CPU)    one worker   two workers"
    for number, round_ in enumerate(found["rounds"], 1):
        yield f"round {number:<4}" + "".join(f"{seconds:14.2f}" for seconds in round_.values())
    yield f"CPU of the build: {found['cpu_ratio_to_parsing']:.2f} times that of lxml.etree.parse (median)"
    yield f"two workers: {found['speedup_of_two_workers']:.2f} times as fast as one (median)"
    for memory in found["memory"]:
        yield (
            f"memory at {memory['size']}x: {memory['worker_peak_mb']:.0f} MB at most in a worker, "
            f"{memory['driver_peak_mb']:.0f} MB in the driver"
        )
