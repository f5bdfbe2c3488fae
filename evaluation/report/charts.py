"""The charts of a report: tables with bars."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...dataset_card.tables import describe_category
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
from .matches import BROKEN, FIXED, WRONG, Cases

# Enough for the intervals of a chart; the intervals of the scores use ten times as many.
RESAMPLES = 1_000
_CHART_BOOTSTRAP = Bootstrap(RESAMPLES)
_CLASSES = 8
_MIN_CLASS_SIZE = 10

# Bins of how many statements chose a proof.
CHOSEN = ((0, 0), (1, 1), (2, 4), (5, 9), (10, 19), (20, None))
_RANKS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1_000)


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart of bars.

    Attributes:
        caption: Its caption.
        head: The names of its columns, without the column of bars.
        rows: Its bars.
        axis: What the length of a bar shows, and the end of the scale, which begins at 0.
        classes: For a chart of classes, the class of each statement.
    """

    caption: str
    head: tuple[str, ...]
    rows: list[Bar]
    axis: tuple[str, str]
    classes: np.ndarray | None = None


def rank_chart(ranks: np.ndarray) -> Chart:
    """Count the ranks of the gold proofs."""
    n = len(ranks)
    counts: list[tuple[str, str, int, str]] = []
    low = 1
    for high in _RANKS:
        label = f"{low:,}" if low == high else f"{low:,}–{high:,}"
        found = int(((ranks >= low) & (ranks <= high)).sum())
        counts.append((label, f"{low}-{high}", found, "green" if high == 1 else "blue"))
        low = high + 1
    counts.append((f"over {_RANKS[-1]:,}", f"{low}-", int((ranks > _RANKS[-1]).sum()), "blue"))
    while counts and not counts[-1][2]:  # ranks that do not occur
        counts.pop()
    counts.append(("not listed", "none", int((ranks == NO_RANK).sum()), "orange"))
    most = max(count for _, _, count, _ in counts)
    rows = [
        Bar(
            label,
            count / most,
            (f"{count:,}", f"{percent(count / n)} %"),
            colour=colour,
            link=_link("rank", value, count if value != "1-1" else 0),
        )
        for label, value, count, colour in counts
    ]
    return Chart(
        "Rank of the right proof", ("rank", "statements", "share"), rows, ("statements", f"{most:,}")
    )


def _link(control: str, value: str, count: int) -> str | None:
    """The link from a bar to its matches: the value of a control of the list; None if it has no matches."""
    return f"#{control}={quote(value)}" if count else None


def category_chart(ranks: np.ndarray, categories: Sequence[str | None]) -> Chart:
    """Measure the mean reciprocal rank of each category, the largest category first."""
    names = np.array([category or UNKNOWN for category in categories])
    found, sizes = np.unique(names, return_counts=True)
    rows = []
    for at in np.lexsort((found, -sizes)):
        name, inside = str(found[at]), ranks[names == found[at]]
        link = _link("category", name, int((inside != 1).sum()))
        rows.append(replace(_mean_bar(describe_category(name), reciprocal_ranks(inside)), link=link))
    head = ("category", "MRR %", "95% interval", "statements")
    return Chart("MRR by primary category", head, rows, ("MRR", "100 %"))


def assignment_chart(assignment_counts: dict[int, int], n_proofs: int) -> Chart:
    """Count proofs by the number of statements that chose them.

    Bins are exclusive; the last column has the cumulative counts of the paper's table (`≥ 20`, `≥ 10`, …).
    """
    cumulative = dict(cumulative_assignments(assignment_counts))
    bins = []
    for low, high in CHOSEN:
        inside = [
            n for number, n in assignment_counts.items() if low <= number and (high is None or number <= high)
        ]
        bins.append((low, high, sum(inside)))
    most = max(1, *(proofs for _, _, proofs in bins))
    rows = [
        Bar(
            chosen_label(low, high),
            proofs / most,
            (f"{proofs:,}", f"{percent(proofs / n_proofs)} %", _or_more(cumulative.get(f"≥ {low}"))),
            link=_link("chosen", f"{low}-{high or ''}", proofs if low else 0),
        )
        for low, high, proofs in bins
    ]
    return Chart(
        "Proofs by the number of statements that chose them",
        ("chosen by", "proofs", "share", "or more"),
        rows,
        ("proofs", f"{most:,}"),
    )


def chosen_label(low: int, high: int | None) -> str:
    """Name a bin of `CHOSEN`."""
    return f"≥ {low}" if high is None else str(low) if low == high else f"{low}–{high}"


def _or_more(proofs: int | None) -> str:
    return "" if proofs is None else f"{proofs:,}"


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
            _class_chart(
                f"Accuracy by length of the {name}", f"{side}-tokens", "tokens", lengths, is_right, str
            ),
            _class_chart(
                f"Accuracy by share of math in the {name}", f"{side}-math", "math %", shares, is_right, _whole
            ),
        ]
    return [charts[0], charts[2], charts[1], charts[3]]


def one_to_one_chart(task: Task, cases: Cases) -> Chart | None:
    """Compare the first choices with the one-to-one matching; None without a matching."""
    if cases.one_to_one is None:
        return None
    local = (cases.ranking.ranks == 1).astype(np.float64)
    matched = (cases.one_to_one == task.required_gold).astype(np.float64)
    # As many resamples as for the scores, since the first bar is one of them.
    rows = [_mean_bar("first choice", local, Bootstrap()), _mean_bar("one-to-one", matched, Bootstrap())]
    return Chart(
        "Accuracy of first choices and of the one-to-one matching",
        ("", "accuracy %", "95% interval", "statements"),
        rows,
        ("accuracy", "100 %"),
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
        Bar(
            label,
            found.mean(),
            (f"{found.sum():,}", f"{percent(found.mean())} %"),
            colour=colour,
            link=_link("outcome", _OUTCOMES[label], found.sum()) if label in _OUTCOMES else None,
        )
        for label, (found, colour) in counts.items()
    ]
    axis = ("share of statements", "100 %")
    return Chart("What one-to-one matching changes", ("", "statements", "share"), rows, axis)


_OUTCOMES = {"fixed": FIXED, "broken": BROKEN, "wrong in both": WRONG}


def _lengths_and_math(tokens: pa.ListArray) -> tuple[np.ndarray, np.ndarray]:
    lengths = tokens.value_lengths().to_numpy(zero_copy_only=False).astype(np.int64)
    is_math = pc.starts_with(tokens.flatten(), "m").to_numpy(zero_copy_only=False)  # pyright: ignore
    rows = np.repeat(np.arange(len(lengths)), lengths)
    return lengths, np.bincount(rows[is_math], minlength=len(lengths))


def _class_chart(
    caption: str,
    control: str,
    unit: str,
    values: np.ndarray,
    is_right: np.ndarray,
    write: Callable[[float], str],
) -> Chart:
    """Group statements into classes of nearly equal size by a value, and measure the accuracy of each."""
    n_classes = max(1, min(_CLASSES, len(values) // _MIN_CLASS_SIZE))
    edges = np.unique(np.quantile(values, np.linspace(0, 1, n_classes + 1), method="nearest"))
    classes = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, max(0, len(edges) - 2))
    rows = []
    for place, number in enumerate(np.unique(classes)):
        inside, right = values[classes == number], is_right[classes == number]
        low, high = write(inside.min()), write(inside.max())
        bar = _mean_bar(low if low == high else f"{low}–{high}", right)
        rows.append(replace(bar, link=_link(control, str(place), int((right == 0).sum()))))
    head = (unit, "accuracy %", "95% interval", "statements")
    return Chart(caption, head, rows, ("accuracy", "100 %"), np.unique(classes, return_inverse=True)[1])


def _whole(share: float) -> str:
    return f"{100 * share:.0f}"


def _mean_bar(label: str, values: np.ndarray, bootstrap: Bootstrap = _CHART_BOOTSTRAP) -> Bar:
    mean = float(values.mean())
    (interval,) = interval95(resampled_means(values[:, None], bootstrap))
    return Bar(label, mean, (percent(mean), percent_between(interval), f"{len(values):,}"), interval)
