"""Import of 184,094 synthetic pairs from a dataset on a Hub on this machine: plain, zip and tar.gz."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from proofmatch.builder.release.release import open_release
from tests.benchmarks.measuring import Measurement, measure
from tests.builder.published_corpus import SIZES, pack, write_corpus
from tests.hub.client import Client
from tests.hub.server import LoopbackHub

ID = "waylonli/MATcH"
CUTS = 3  # of the connection, in the middle of files
SPLITS = ("train", "validation", "test")


def benchmark(workplace: Path, _: Path) -> dict[str, Any]:
    """Measure what a new user does first, each time with an empty cache, beside an import of the folder.

    Args:
        workplace: Empty folder with room for 6 GB.
    """
    published = workplace / "published"
    write_corpus(published, SIZES)
    found: dict[str, Any] = {"published_mb": _megabytes(published), "runs": {}}
    release = workplace / "release"
    _note(found, "folder", _figures(_run(["import", str(published), "--out", str(release)])))
    tables = open_release(release).tables_sha256
    found["rows"] = {
        split: sum(pq.ParquetFile(path).metadata.num_rows for path in release.glob(f"data/pairs/{split}-*"))
        for split in SPLITS
    }
    shutil.rmtree(release)
    for layout in ("plain", "zip", "tar.gz"):
        files = published
        if layout != "plain":
            files = workplace / layout
            files.mkdir()
            for family in ("mixed", "unmixed"):
                pack(published / family, files / f"{family}.{layout}")
        _note(found, layout, _from_hub(files, workplace / "from the hub", tables))
        if files != published:
            shutil.rmtree(files)
    return found


def _note(found: dict[str, Any], name: str, figures: dict[str, Any]) -> None:
    found["runs"][name] = figures
    print(f"  {name}: {figures}", flush=True)


def _from_hub(files: Path, place: Path, tables: str) -> dict[str, Any]:
    release = place / "match"
    command = ["import", ID, "--out", str(release)]
    with LoopbackHub() as hub:
        hub.publish(ID, files)
        hub.faults.cut_downloads = CUTS
        client = Client(hub, place / "home")
        first = _run(command, client.environment)
        figures = _figures(first) | {"downloaded_mb": _megabytes(files), "cuts": CUTS}
        figures["continued_at"] = [
            request.headers["range"] for request in hub.downloads() if "range" in request.headers
        ]
        figures["same_tables"] = open_release(release).tables_sha256 == tables
        hub.forget_traffic()
        again = _run(command, client.environment)
        figures["again"] = _figures(again) | {"requests": len(hub.requests)}
    shutil.rmtree(place)
    return figures


def _run(arguments: list[str], environment: dict[str, str] | None = None) -> Measurement:
    return measure([sys.executable, "-m", "proofmatch", *arguments], memory=True, environment=environment)


def _figures(used: Measurement) -> dict[str, Any]:
    return {
        "seconds": used.wall_seconds,
        "cpu_seconds": used.cpu_seconds,
        "peak_mb": used.peak_total_mb,
    }


def describe(found: dict[str, Any]) -> Iterator[str]:
    """Put into words what was found."""
    rows = " / ".join(f"{count:,}" for count in found["rows"].values())
    yield f"{found['published_mb']:.0f} MB of published files: {rows} pairs"
    of_folder = found["runs"]["folder"]["cpu_seconds"]
    for name, run in found["runs"].items():
        line = f"{name}: {run['seconds']:.0f} s, {run['cpu_seconds']:.0f} s of CPU "
        line += f"({run['cpu_seconds'] / of_folder:.2f} of the folder), {run['peak_mb']:.0f} MB at most"
        if "again" in run:
            line += (
                f"; {run['downloaded_mb']:.0f} MB downloaded, {run['cuts']} times cut and "
                f"{len(run['continued_at'])} times continued; again: {run['again']['requests']} requests, "
                f"{run['again']['seconds']:.1f} s"
            )
        yield line


def _megabytes(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 2**20
