"""Results as plain-text tables, in percent."""

from collections.abc import Sequence

from .metrics import MEASURES, Difference, cumulative_assignments
from .result import Result
from .system import System, normalization_in_words

_CATEGORIES_SHOWN = 10


def result_tables(result: Result) -> str:
    """Lay out a result to read on a terminal."""
    data = result.dataset
    head = (
        f"{result.system.name} on {data.id}, {data.config}, {data.split}: "
        f"{result.n_statements:,} statements, {result.n_proofs:,} proofs"
    )
    if result.system.transductive:
        head += f"\n{_transductive(result.system)}"
    scores = [
        [name, _percent(value), _interval(result.ci95[name])]
        for name, value in result.measures.as_dict().items()
    ]
    categories = [
        [name, f"{scores.n:,}", _percent(scores.mrr), _percent(scores.accuracy)]
        for name, scores in list(result.by_category.items())[:_CATEGORIES_SHOWN]
    ]
    others = len(result.by_category) - len(categories)
    assignments = [
        [least, f"{proofs:,}", _percent(proofs / result.n_proofs)]
        for least, proofs in cumulative_assignments(result.assignment_counts)
    ]
    one_to_one = "no proof is the first choice of two statements" if result.one_to_one else (
        "some proofs are the first choice of several statements"
    )  # fmt: skip
    return "\n\n".join(
        [
            head,
            _table(["", "%", "95% interval"], scores),
            _table(["category", "statements", "MRR %", "accuracy %"], categories)
            + (f"\n({others:,} more in the result file)" if others else ""),
            _table(["first choice of", "proofs", "%"], assignments),
            f"one-to-one: {'yes' if result.one_to_one else 'no'}, {one_to_one}",
        ]
    )


def comparison_table(system: System, other: System, differences: dict[str, Difference]) -> str:
    """Lay out how much better one system is than another."""
    rows = [
        [measure, f"{100 * found.difference:+.2f}", _interval(found.ci95, "+"), _percent(found.not_better)]
        for measure, found in ((measure, differences[measure]) for measure in MEASURES)
    ]
    title = f"{system.name} minus {other.name}, in points, paired over statements"
    if system.transductive != other.transductive:
        one, plain = (system, other) if system.transductive else (other, system)
        title += (
            f"\nnot a comparison of like with like: {one.name} is transductive and {plain.name} is not; "
            "part of the difference is knowing the whole candidate set"
        )
    return f"{title}\n\n{_table(['', 'difference', '95% interval', 'resamples not better %'], rows)}"


def _transductive(system: System) -> str:
    how = f" ({normalization_in_words(system.normalization)})" if system.normalization else ""
    return (
        f"transductive{how}: the ranking for a statement uses the whole candidate set; "
        "do not mix it with plain rankings"
    )


def _percent(fraction: float) -> str:
    return f"{100 * fraction:.2f}"


def _interval(interval: tuple[float, float], sign: str = "") -> str:
    low, high = interval
    return f"{100 * low:{sign}.2f} to {100 * high:{sign}.2f}"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Names to the left, figures to the right."""
    widths = [max(len(row[column]) for row in (header, *rows)) for column in range(len(header))]
    lines = [
        "  ".join(
            [
                row[0].ljust(widths[0]),
                *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)),
            ]
        )
        for row in (header, *rows)
    ]
    lines.insert(1, "  ".join("─" * width for width in widths))
    return "\n".join(lines)
