"""A prediction file and a release → a self-contained page."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from proofmatch.errors import ProofmatchError
from proofmatch.progress import Progress
from proofmatch.storage import atomic_file, read_start, refuse_other_kind

from ...builder.release.release import Release, open_release
from ...dataset_card.tables import describe_category
from ..evaluator import make_result
from ..pages.rendering import percent, percent_between, render_page
from ..pages.texts import COMMON_WORDS
from ..result import Result, claims_of, decoding_in_words
from ..system import normalization_in_words, read_system
from ..task import load_task
from . import DEFAULT_MEGABYTES
from .charts import (
    CHOSEN,
    RESAMPLES,
    Chart,
    agreement_chart,
    assignment_chart,
    category_chart,
    chosen_label,
    one_to_one_chart,
    rank_chart,
    text_charts,
)
from .matches import Cases, Collection, WrongMatches, broken_matches, collect_wrong, read_cases

_TEMPLATES = Path(__file__).parent / "templates"

# The controls of the charts about texts, in the order of the charts.
_CLASSES = ("statement-tokens", "proof-tokens", "statement-math", "proof-math")
_NAMES = {
    "mrr": "Mean reciprocal rank",
    "accuracy": "Accuracy",
    "recall@10": "Recall at 10",
    "recall@100": "Recall at 100",
    "ndcg@10": "nDCG at 10",
}


def write_report(
    predictions: str | Path,
    data: str | Path | Release,
    split: str = "test",
    *,
    out: str | Path,
    by_article: bool = False,
    gold: str | Path | None = None,
    max_megabytes: float = DEFAULT_MEGABYTES,
) -> WrongMatches:
    """Write a page about a prediction file: scores, charts, and its wrong matches side by side.

    Args:
        predictions: The file.
        data: A release folder, or `OWNER/NAME[@REVISION]` on the Hub.
        split: The split that the predictions are for, or `all`.
        out: The page to write.
        by_article: Whether it is the split by article.
        gold: The answers of a sealed release, from `proofmatch seal`.
        max_megabytes: The largest size of the page; wrong matches that do not fit are left out, and the page
            says so.

    Returns:
        The wrong matches, and how many of them the page shows.

    Raises:
        ProofmatchError: If the file has any fault, or if the page would be too large without any match.
    """
    refuse_other_kind(Path(out), "a report", _is_page)
    path = Path(predictions)
    system = read_system(path)
    release = data if isinstance(data, Release) else open_release(data)
    task = load_task(release, split, by_article=by_article, gold=gold)
    with Progress(f"reading {path.name}", "statements") as progress:
        cases = read_cases(path, task, progress)
        progress.summary = f"{len(task.statement_ids):,} statements"
    result = make_result(cases.ranking, task, system, cases.predictions_sha256)
    charts = {
        "ranks": rank_chart(cases.ranking.ranks),
        "categories": category_chart(cases.ranking.ranks, task.categories),
        "assignments": assignment_chart(result.assignment_counts, result.n_proofs),
        "one_to_one": one_to_one_chart(task, cases),
        "agreement": agreement_chart(task, cases),
        "texts": text_charts(task, cases.ranking.ranks),
    }
    n_shown = int((cases.ranking.ranks != 1).sum()) + len(broken_matches(task, cases))
    classes = np.stack([chart.classes for chart in charts["texts"]], axis=1)
    with Progress("collecting wrong matches", "matches", n_shown) as progress:
        most = int(max_megabytes * 1_000_000)
        collection = collect_wrong(task, cases, most, progress, classes)
        page, wrong = _fitting_page(most, collection, lambda wrong: _page(result, cases, charts, wrong))
        progress.summary = f"{wrong.listed:,} of {wrong.total:,}"
    with atomic_file(Path(out)) as unfinished:
        unfinished.write_bytes(page)
    return wrong


def _is_page(path: Path) -> bool:
    return read_start(path, 100).lstrip().lower().startswith(b"<!doctype html")


def _fitting_page(
    most: int, collection: Collection, page_of: Callable[[WrongMatches], str]
) -> tuple[bytes, WrongMatches]:
    """Render the page with as many wrong matches as fit."""
    listed = len(collection.entries)
    while True:
        wrong = collection.first(listed)
        page = page_of(wrong).encode()
        if len(page) <= most:
            return page, wrong
        if not listed:
            raise ProofmatchError(
                f"even without matches, the page takes {len(page) / 1e6:.2f} MB; raise --max-mb"
            )
        # The rest of the page keeps its size, so this never leaves out too many.
        listed = min(listed - 1, listed * most // len(page))


def _page(result: Result, cases: Cases, charts: dict, wrong: WrongMatches) -> str:
    data = result.dataset
    return render_page(
        "report.html.jinja",
        _TEMPLATES,
        title=f"{result.system.name} on {data.id}, {_split_in_words(result)}",
        style="report.css",
        scripts=["elements.js", "unpacking.js", "matches.js"],
        result=result,
        scores=[
            (_NAMES[name], percent(value), percent_between(result.ci95[name]))
            for name, value in result.measures.as_dict().items()
        ],
        about=_about(result),
        charts=charts,
        ranks=[(row.label, row.link.partition("=")[2]) for row in charts["ranks"].rows if row.link],
        chosen=[(chosen_label(low, high), f"{low}-{high or ''}") for low, high in CHOSEN if low],
        classes=_class_controls(charts["texts"]),
        categories=[(name, describe_category(name)) for name in wrong.categories],
        resamples=RESAMPLES,
        why_not=cases.why_not,
        has_margins=not np.isnan(cases.margins).all(),
        wrong=wrong,
        settings={"common": sorted(COMMON_WORDS), "textsInPiece": wrong.texts_in_chunk, "classes": _CLASSES},
    )


def _split_in_words(result: Result) -> str:
    by_article = "" if result.dataset.config == "pairs" else " by article"
    return (
        f"all pairs{by_article}"
        if result.dataset.split == "all"
        else f"{result.dataset.split} split{by_article}"
    )


def _class_controls(charts: list[Chart]) -> list[tuple[str, str, list[str]]]:
    """Describe the controls that filter the list by a class of a chart: id, title, and the classes."""
    titles = ("Statement, tokens", "Right proof, tokens", "Statement, math %", "Right proof, math %")
    return [
        (name, title, [row.label for row in chart.rows])
        for name, title, chart in zip(_CLASSES, titles, charts, strict=True)
    ]


def _about(result: Result) -> list[tuple[str, str]]:
    """List what the predictions show, and how the system's authors describe it."""
    system = result.system
    told = [("predictions", decoding_in_words(result))]
    told += [(f"{name} (claimed)", value) for name, value in claims_of(system)]
    if system.transductive:
        how = normalization_in_words(system.normalization) if system.normalization else "yes"
        told.append(("transductive (claimed)", f"{how}; a ranking uses the other statements of the split"))
    if system.notes:
        told.append(("notes", system.notes))
    return told
