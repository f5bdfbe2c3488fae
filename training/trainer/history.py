"""Reading of `history.json`: losses, evaluations, and the best of them."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

Entry = dict[str, Any]

# Scores of an evaluation, fractions from 0 to 1, and their names in cards and charts.
MEASURES = {
    "eval_mrr": "MRR",
    "eval_accuracy": "accuracy",
    "eval_one_to_one_accuracy": "one-to-one accuracy",
}


class Point(NamedTuple):
    """A logged value and its epoch."""

    epoch: float
    value: float


def points(history: Sequence[Entry], key: str) -> list[Point]:
    """List the finite values of a key, such as `loss` or `eval_mrr`."""
    return [
        Point(float(entry.get("epoch") or 0.0), float(entry[key]))
        for entry in history
        if _is_number(entry.get(key))
    ]


def evaluations(history: Sequence[Entry]) -> list[Entry]:
    """List the entries with scores on the validation split."""
    return [entry for entry in history if any(_is_number(entry.get(key)) for key in MEASURES)]


def best_evaluation(history: Sequence[Entry], measure: str = "eval_mrr") -> Entry | None:
    """Find the evaluation with the highest score; of equal ones the first, as the Trainer does."""
    measured = [entry for entry in evaluations(history) if _is_number(entry.get(measure))]
    return max(measured, key=lambda entry: entry[measure], default=None)


def evaluation_of_step(history: Sequence[Entry], step: int) -> Entry | None:
    """Find the evaluation after a step."""
    return next((entry for entry in evaluations(history) if entry.get("step") == step), None)


def training_seconds(history: Sequence[Entry]) -> float | None:
    """Return the duration of the training since its start or its last resumption."""
    found = [entry["train_runtime"] for entry in history if _is_number(entry.get("train_runtime"))]
    return found[-1] if found else None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)
