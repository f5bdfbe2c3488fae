"""The charts of a report: tables with bars."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..metrics import (
    NO_RANK,
    UNKNOWN,
    Bootstrap,
    cumulative_assignments,
    interval95,
    reciprocal_ranks,
    resampled_means,
)
from ..pages.rendering import Bar, percent, percent_between
from ..task import Task, load_tokens
from .matches import Cases

# Enough for the intervals of a chart; those of the scores use ten times as many.
RESAMPLES = 1_000
_CHART_BOOTSTRAP = Bootstrap(RESAMPLES)
_CLASSES = 8
_MIN_CLASS_SIZE = 10

_RANKS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1_000)


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart of bars.

    Attributes:
        caption: Its caption.
        head: The names of its columns, except that of the bars.
        rows: Its bars.
    """

    caption: str
    head: tuple[str, ...]
    rows: list[Bar]


def rank_chart(ranks: np.ndarray) -> Chart:
    """Count the ranks of the gold proofs."""
    n = len(ranks)
    counts: list[tuple[str, int, str]] = []
    low = 1
    for high in _RANKS:
        label = f"{low:,}" if low == high else f"{low:,}–{high:,}"
        found = int(((ranks >= low) & (ranks <= high)).sum())
        counts.append((label, found, "green" if high == 1 else "blue"))
        low = high + 1
    counts.append((f"over {_RANKS[-1]:,}", int((ranks > _RANKS[-1]).sum()), "blue"))
    while counts and not counts[-1][1]:  # ranks that do not occur
        counts.pop()
    counts.append(("not listed", int((ranks == NO_RANK).sum()), "orange"))
    most = max(count for _, count, _ in counts)
    rows = [
        Bar(label, count / most, (f"{count:,}", f"{percent(count / n)} %"), colour=colour)
        for label, count, colour in counts
    ]
    return Chart("Rank of the right proof", ("rank", "statements", "share"), rows)


def category_chart(ranks: np.ndarray, categories: Sequence[str | None]) -> Chart:
    """Measure the mean reciprocal rank of each category, the largest category first."""
    names = np.array([category or UNKNOWN for category in categories])
    found, sizes = np.unique(names, return_counts=True)
    rows = [
        _mean_bar(str(found[at]), reciprocal_ranks(ranks[names == found[at]]))
        for at in np.lexsort((found, -sizes))
    ]
    return Chart("MRR by primary category", ("category", "MRR %", "95% interval", "statements"), rows)


def assignment_chart(assignment_counts: dict[int, int], n_proofs: int) -> Chart:
    """Count proofs by the number of statements that chose them, as the paper's table does."""
    counted = cumulative_assignments(assignment_counts)
    most = max(1, *(proofs for _, proofs in counted))
    rows = [
        Bar(label, proofs / most, (f"{proofs:,}", f"{percent(proofs / n_proofs)} %"))
        for label, proofs in counted
    ]
    return Chart(
        "Proofs by the number of statements that chose them", ("statements", "proofs", "share"), rows
    )


def text_charts(task: Task, ranks: np.ndarray) -> list[Chart]:
    """Measure the accuracy by the length of statements and proofs, and by how much of them is math."""
    is_right = (ranks == 1).astype(np.float64)
    names = {"statement": "statement", "proof": "right proof"}
    charts = []
    for side, name in names.items():
        tokens = load_tokens(task.release, side, task.split, by_article=task.by_article)
        lengths, math = _lengths_and_math(tokens)
        if side == "proof":
            lengths, math = lengths[task.required_gold], math[task.required_gold]
        shares = math / np.maximum(lengths, 1)
        charts += [
            _class_chart(f"Accuracy by length of the {name}", "tokens", lengths, is_right, str),
            _class_chart(f"Accuracy by share of math in the {name}", "math %", shares, is_right, _whole),
        ]
    return [charts[0], charts[2], charts[1], charts[3]]


def one_to_one_chart(task: Task, cases: Cases) -> Chart | None:
    """Compare the first choices with the one-to-one matching; None without a matching."""
    if cases.one_to_one is None:
        return None
    local = (cases.ranking.ranks == 1).astype(np.float64)
    matched = (cases.one_to_one == task.required_gold).astype(np.float64)
    # As many resamples as for the scores, since the first bar is one of them.
    rows = [_mean_bar("local", local, Bootstrap()), _mean_bar("global", matched, Bootstrap())]
    return Chart(
        "Accuracy, first choice (local) and one-to-one (global)",
        ("", "accuracy %", "95% interval", "statements"),
        rows,
    )


def agreement_chart(task: Task, cases: Cases) -> Chart | None:
    """Count what the one-to-one matching fixes and breaks; None without a matching."""
    if cases.one_to_one is None:
        return None
    local, matched = cases.ranking.ranks == 1, cases.one_to_one == task.required_gold
    counts = {
        "right in both": (local & matched, "green"),
        "fixed": (~local & matched, "blue"),
        "broken": (local & ~matched, "purple"),
        "wrong in both": (~local & ~matched, "orange"),
    }
    rows = [
        Bar(label, found.mean(), (f"{found.sum():,}", f"{percent(found.mean())} %"), colour=colour)
        for label, (found, colour) in counts.items()
    ]
    return Chart("What one-to-one matching changes", ("", "statements", "share"), rows)


def _lengths_and_math(tokens: pa.ListArray) -> tuple[np.ndarray, np.ndarray]:
    lengths = tokens.value_lengths().to_numpy(zero_copy_only=False).astype(np.int64)
    is_math = pc.starts_with(tokens.flatten(), "m").to_numpy(zero_copy_only=False)  # pyright: ignore
    rows = np.repeat(np.arange(len(lengths)), lengths)
    return lengths, np.bincount(rows[is_math], minlength=len(lengths))


def _class_chart(
    caption: str, unit: str, values: np.ndarray, is_right: np.ndarray, write: Callable[[float], str]
) -> Chart:
    """Group statements into classes of nearly equal size by a value, and measure the accuracy of each."""
    n_classes = max(1, min(_CLASSES, len(values) // _MIN_CLASS_SIZE))
    edges = np.unique(np.quantile(values, np.linspace(0, 1, n_classes + 1), method="nearest"))
    classes = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, max(0, len(edges) - 2))
    rows = []
    for number in np.unique(classes):
        inside = values[classes == number]
        low, high = write(inside.min()), write(inside.max())
        rows.append(_mean_bar(low if low == high else f"{low}–{high}", is_right[classes == number]))
    return Chart(caption, (unit, "accuracy %", "95% interval", "statements"), rows)


def _whole(share: float) -> str:
    return f"{100 * share:.0f}"


def _mean_bar(label: str, values: np.ndarray, bootstrap: Bootstrap = _CHART_BOOTSTRAP) -> Bar:
    mean = float(values.mean())
    (interval,) = interval95(resampled_means(values[:, None], bootstrap))
    return Bar(label, mean, (percent(mean), percent_between(interval), f"{len(values):,}"), interval)
