"""Import, check and variant of 184,094 synthetic pairs in the format of the published corpus."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from tests.benchmarks.measuring import measure
from tests.builder.published_corpus import SIZES, write_corpus


def benchmark(workplace: Path, _: Path) -> dict[str, Any]:
    """Measure what a maintainer does with the published files.

    Args:
        workplace: Empty folder with room for 3 GB.
    """
    published, release = workplace / "published", workplace / "release"
    write_corpus(published, SIZES)
    steps = {
        "import": ["import", str(published), "--out", str(release)],
        "check": ["check", str(release)],
        "variant": ["variant", str(release), "--symbols", "full", "--out", str(workplace / "full")],
    }
    found: dict[str, Any] = {"published_mb": _megabytes(published), "steps": {}}
    for name, arguments in steps.items():
        used = measure([sys.executable, "-m", "proofmatch", *arguments], memory=True)
        found["steps"][name] = {
            "seconds": used.wall_seconds,
            "cpu_seconds": used.cpu_seconds,
            "peak_mb": used.peak_total_mb,
        }
    found["rows"] = {
        split: sum(pq.ParquetFile(path).metadata.num_rows for path in release.glob(f"data/pairs/{split}-*"))
        for split in ("train", "validation", "test")
    }
    found["release_mb"] = _megabytes(release)
    return found


def describe(found: dict[str, Any]) -> Iterator[str]:
    """Put into words what was found."""
    rows = " / ".join(f"{count:,}" for count in found["rows"].values())
    yield f"{found['published_mb']:.0f} MB of published files, both families: {rows} pairs"
    for name, step in found["steps"].items():
        yield f"{name}: {step['seconds']:.0f} s, {step['peak_mb']:.0f} MB at most in all processes together"


def _megabytes(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 2**20
