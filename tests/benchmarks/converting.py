"""The embedded sample from its LaTeX sources: converted by two workers, and read from the cache."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from proofmatch.builder.latex.wall import latexml_version
from proofmatch.builder.sample import sample_articles
from tests.benchmarks.measuring import measure


def benchmark(workplace: Path, _: Path) -> dict[str, Any]:
    """Measure a build from LaTeX, the same once more, and the build from the shipped XHTML."""
    articles, kept = sample_articles(), workplace / "kept"
    sources = articles.parent / "latex"
    found: dict[str, Any] = {
        "latexml": latexml_version(),
        "documents": len(list(sources.glob("*.tex"))),
        "source_kb": sum(path.stat().st_size for path in sources.glob("*.tex")) / 1024,
        "steps": {},
    }
    for name, source in {"convert": sources, "again": sources, "xhtml": articles}.items():
        before = _kept(kept)
        arguments = ["build", str(source), "--out", str(workplace / name), "--workers", "2"]
        used = measure(
            [sys.executable, "-m", "proofmatch", *arguments, "--conversions", str(kept)], memory=True
        )
        found["steps"][name] = {
            "seconds": used.wall_seconds,
            "cpu_seconds": used.cpu_seconds,
            "peak_mb": used.peak_total_mb,
            "converted": len(_kept(kept) - before),
        }
    first = found["steps"]["convert"]
    found["documents_per_minute"] = 60 * found["documents"] / first["seconds"]
    # What two idle CPUs would do: the machine may have had other work.
    found["documents_per_cpu_minute"] = 60 * found["documents"] / first["cpu_seconds"]
    return found


def describe(found: dict[str, Any]) -> Iterator[str]:
    """Put into words what was found."""
    steps = found["steps"]
    yield (
        f"LaTeXML {found['latexml']}, {found['documents']} documents of {found['source_kb']:.0f} kB in all: "
        f"{found['documents_per_minute']:.0f} a minute, "
        f"{found['documents_per_cpu_minute']:.0f} per minute of CPU time"
    )
    for name in ("convert", "again", "xhtml"):
        step = steps[name]
        yield (
            f"{name}: {step['seconds']:.0f} s, {step['cpu_seconds']:.0f} s of CPU time, "
            f"{step['converted']} conversions, {step['peak_mb']:.0f} MB at most in all processes together"
        )


def _kept(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if path.is_file()}
