"""A line of a board: one system with one input, and what it has by each way of decoding."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..decoding.candidates import DEFAULT_K
from ..system import normalization_in_words
from .reading import Submission

RANKED, MATCHED, EXACT = "ranking", "one_to_one", "one_to_one_exact"
_BASELINES = ("tfidf", "dice")  # the systems of `proofmatch baseline`, by the names that it gives them

# The scores of a row: by which decoding, and which measure of its result.
SCORES = {
    "mrr": (RANKED, "mrr"),
    "accuracy": (RANKED, "accuracy"),
    "one_to_one": (MATCHED, "accuracy"),
    "one_to_one_exact": (EXACT, "accuracy"),
}


@dataclass(frozen=True, slots=True)
class Score:
    """A figure.

    Attributes:
        value: From 0 to 1.
        interval: Its 95% interval, where it is known.
        file: The result file that has it.
        remark: What is unusual about how it came about.
    """

    value: float
    interval: tuple[float, float] | None = None
    file: str | None = None
    remark: str | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A system with one input.

    Attributes:
        system: Its name.
        kind: `model`, `baseline`, or `reported` for figures that others published.
        input: What it sees of a text: `both`, `text` or `math`, None if it does not say.
        scores: By the names of `SCORES`, as far as there are results.
        normalization: How it normalises scores over the whole set of candidates, in words.
        url: Where to read about it.
        notes: A sentence about it.
        training_minutes: How long it was trained.
        evaluators: The versions of the evaluator that its results are from.
        checked: Whether its scores have been computed anew from its predictions.
        ranks: Its place by each score, among those of its board that can be compared.
    """

    system: str
    kind: str
    input: str | None
    scores: Mapping[str, Score]
    normalization: str | None = None
    url: str | None = None
    notes: str | None = None
    training_minutes: float | None = None
    evaluators: tuple[str, ...] = ()
    checked: bool = False
    ranks: Mapping[str, int] = field(default_factory=dict)


def decoding_of(submission: Submission) -> str:
    """Tell which scores of a row a result has.

    Names other than `local`, `global` and `exact` tell nothing, so that the predictions decide: first choices
    that are all different are a matching.
    """
    by_name = {"local": RANKED, "global": MATCHED, "exact": EXACT}
    return by_name.get(submission.system.get("decoding", "")) or (
        MATCHED if submission.content["scores"]["one_to_one"] else RANKED
    )


def make_row(submissions: Mapping[str, Submission], checked: bool) -> Row:
    """Put together what a system has.

    Args:
        submissions: Its results by decoding, at least one.
        checked: Whether they have been computed anew.
    """
    systems = [one.system for one in submissions.values()]
    first = systems[0]
    return Row(
        system=first["name"],
        kind="baseline" if first["name"] in _BASELINES else "model",
        input=first.get("input"),
        scores={
            name: _score(submissions[decoding], measure)
            for name, (decoding, measure) in SCORES.items()
            if decoding in submissions
        },
        normalization=normalization_in_words(first.get("normalization")) if _is_transductive(first) else None,
        url=_first(systems, "url"),
        notes=_first(systems, "notes"),
        training_minutes=_minutes(_first(systems, "training_seconds")),
        evaluators=tuple(sorted({one.content["evaluator"]["version"] for one in submissions.values()})),
        checked=checked,
    )


def with_ranks(rows: Sequence[Row], evaluator: str | None) -> list[Row]:
    """Give each row its place by each score; equals share one.

    Reported figures and those of another evaluator have none: they are not to be compared with the others.

    Args:
        rows: Of one board.
        evaluator: The version whose scores are compared.
    """
    compared = [row for row in rows if row.kind != "reported" and row.evaluators == (evaluator,)]
    values = {name: [row.scores[name].value for row in compared if name in row.scores] for name in SCORES}
    return [
        replace(
            row,
            ranks={
                name: 1 + sum(other > score.value for other in values[name])
                for name, score in row.scores.items()
                if row in compared
            },
        )
        for row in rows
    ]


def _score(submission: Submission, measure: str) -> Score:
    scores = submission.content["scores"]
    low, high = scores["ci95"][measure]
    return Score(scores[measure], (low, high), submission.name, _remark(submission))


def _remark(submission: Submission) -> str | None:
    decoding = submission.system.get("decoding")
    details = submission.system.get("details")
    top_k = details.get("top_k") if isinstance(details, dict) else None
    if decoding == "global" and isinstance(top_k, int) and top_k != DEFAULT_K:
        return f"best {top_k:,}"
    return decoding if decoding not in (None, "local", "global", "exact") else None


def _is_transductive(system: dict[str, Any]) -> bool:
    return bool(system.get("transductive"))


def _first(systems: Sequence[dict[str, Any]], name: str) -> Any:  # noqa: ANN401 - whatever it is
    return next((system[name] for system in systems if system.get(name) is not None), None)


def _minutes(seconds: object) -> float | None:
    if not isinstance(seconds, int | float) or isinstance(seconds, bool) or not 0 <= seconds < 1e12:
        return None
    return seconds / 60
