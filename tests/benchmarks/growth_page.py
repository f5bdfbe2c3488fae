"""The documentation page about growth: plots, tables and estimates for larger corpora."""

import json
import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proofmatch.dataset_card.tables import describe_category
from proofmatch.dataset_card.templates import render
from tests.benchmarks.build import CORPORA, LARGER, WITH_PAIRS
from tests.benchmarks.log_charts import TEMPLATES, Chart, Line, draw_charts
from tests.synthetic import paper

PAGE = Path(__file__).resolve().parents[2] / "docs" / "growth.md"
BUILD = Path(__file__).parent / "results" / "build.json"
LARGER_MIX = CORPORA[-1]  # in build.json

MREC_FORMULAS = 158_000_000  # P. Sojka and M. Líška, The Art of Mathematics Retrieval, DocEng 2011
MREC_MEGABYTES = 15 * 2**30 / 1e6  # of its tar.bz2, says its own page
ARXIV_DOCUMENTS = 3_000_000  # a round number
FIRST = 10_000  # documents from which on memory is taken to grow in proportion


@dataclass(frozen=True, slots=True)
class Slope:
    """What one more of something takes, from a small and a large corpus."""

    x: tuple[float, float]
    y: tuple[float, float]

    @property
    def per_one(self) -> float:
        """How much the one grows as the other grows by one."""
        return (self.y[1] - self.y[0]) / (self.x[1] - self.x[0])

    def at(self, x: float) -> float:
        """Go on along the line, to another place."""
        return self.y[1] + self.per_one * (x - self.x[1])


def write_growth_page(found: dict[str, Any], results: Path) -> None:
    """Write the plots beside the results, and the page."""
    for name, svg in draw_plots(found).items():
        (results / name).write_text(svg, encoding="utf-8")
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(render_page(found), encoding="utf-8")


def draw_plots(found: dict[str, Any]) -> dict[str, str]:
    """Draw the plots: file name → SVG."""
    documents, pairs, pruned = found["documents"], found["pairs"], found["pruned"]
    building = [
        Chart(
            "Seconds of a build",
            "documents",
            [
                _line("real time", documents, "build_seconds"),
                _line("CPU time", documents, "build_cpu_seconds"),
            ],
        ),
        Chart(
            "Memory, MB at most",
            "documents",
            [_line("driver", documents, "driver_peak_mb"), _line("a worker", documents, "worker_peak_mb")],
        ),
        Chart("Size of the release, MB", "documents", [_line("release", documents, "release_megabytes")]),
    ]
    using = [
        Chart(
            "Seconds",
            "pairs in the release",
            [
                _line("build", pairs, "build_seconds", "pairs"),
                _line("check", pairs, "check_seconds", "pairs"),
            ],
        ),
        Chart(
            "Memory, MB at most",
            "pairs in the release",
            [
                _line("driver of the build", pairs, "driver_peak_mb", "pairs"),
                _line("check", pairs, "check_peak_mb", "pairs"),
                _line("release on disk", pairs, "release_megabytes", "pairs"),
            ],
        ),
    ]
    end = (pruned["statements"], pruned["candidates_seconds"] + pruned["match_seconds"])
    matching = [
        Chart(
            "Seconds to rank and to match",
            "statements, and as many proofs",
            [
                _line("predict", pairs, "predict_seconds", "statements"),
                _line("match", pairs, "match_seconds", "statements"),
                Line("TF-IDF and pruned matching, without files", [end]),
            ],
        )
    ]
    return {
        "growth-build.svg": draw_charts("Builds", "Time and memory by the number of documents", building),
        "growth-pairs.svg": draw_charts("Releases", "Time and memory by the number of pairs", using),
        "growth-matching.svg": draw_charts("Matching", "Time by the number of statements", matching),
    }


def _line(label: str, sizes: list[dict[str, Any]], name: str, over: str = "documents") -> Line:
    return Line(label, [(size[over], size[name]) for size in sizes])


def _median(rounds: list[dict[str, float]], name: str) -> float:
    return statistics.median(round_[name] for round_ in rounds)


def render_page(found: dict[str, Any]) -> str:
    """Write the page."""
    documents, pairs = found["documents"], found["pairs"]
    small = next((size for size in documents if size["documents"] >= FIRST), documents[0])
    large = documents[-1]

    def slope(name: str, over: str, ends: tuple[dict[str, Any], dict[str, Any]]) -> Slope:
        return Slope((ends[0][over], ends[1][over]), (ends[0][name], ends[1][name]))

    by_documents, by_pairs = (small, large), (pairs[0], pairs[-1])
    build = json.loads(BUILD.read_text(encoding="utf-8"))
    mix_seconds = _median(build[LARGER_MIX]["rounds"], "build_cpu_seconds")
    return render(
        "growth.md.jinja",
        TEMPLATES,
        found=found,
        build=build,
        median=_median,
        with_pairs=WITH_PAIRS,
        mix_seconds=mix_seconds,
        larger=LARGER,
        larger_mix=build[LARGER_MIX],
        per_mixed_formula=mix_seconds / (LARGER * found["real"]["formulas"]),
        small=small,
        large=large,
        per_document=large["build_seconds"] / large["documents"],
        per_formula=large["build_seconds"] / large["formulas"],
        processor=large["build_cpu_seconds"] / large["formulas"],
        per_real_formula=found["real"]["build_seconds"] / found["real"]["formulas"],
        per_megabyte=found["real"]["build_seconds"] / found["real"]["archive_megabytes"],
        unpacking=found["real"]["unpack_seconds"] / found["real"]["archive_megabytes"],
        driver_by_documents=slope("driver_peak_mb", "documents", by_documents),
        driver_by_pairs=slope("driver_peak_mb", "pairs", by_pairs),
        check_memory=slope("check_peak_mb", "pairs", by_pairs),
        check_seconds=slope("check_seconds", "pairs", by_pairs),
        release=slope("release_megabytes", "pairs", by_pairs),
        mrec={
            "documents": paper.DOCUMENTS,
            "formulas": MREC_FORMULAS,
            "megabytes": MREC_MEGABYTES,
            "pairs": paper.PAIRS,
        },
        arxiv={
            "documents": ARXIV_DOCUMENTS,
            "formulas": ARXIV_DOCUMENTS * MREC_FORMULAS / paper.DOCUMENTS,
            "megabytes": ARXIV_DOCUMENTS * MREC_MEGABYTES / paper.DOCUMENTS,
            "pairs": ARXIV_DOCUMENTS * paper.PAIRS / paper.DOCUMENTS,
        },
        most_load=max(size["load_average_after"] for size in (*documents, *pairs)),
        paper=paper,
        category=describe_category,
    )
