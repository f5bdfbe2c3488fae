"""Histories as `history.json` has them."""

import math
from typing import Any


def synthetic_history(epochs: int = 10, logs: int = 10, evaluations: int = 10) -> list[dict[str, Any]]:
    """A run whose scores are best at four fifths of its evaluations, with uneven steps as real ones have."""
    history = []
    for number in range(1, logs + 1):
        loss = 0.4 + 6 * math.exp(-3 * number / logs) + 0.2 * math.sin(7 * number)
        history.append(
            {"loss": loss, "learning_rate": 1e-3, "epoch": epochs * number / logs, "step": number * 31}
        )
    for number in range(1, evaluations + 1):
        mrr = 0.5 - 0.3 * (number / evaluations - 0.8) ** 2
        history.append(
            {
                "eval_mrr": mrr,
                "eval_accuracy": mrr * 0.77,
                "eval_one_to_one_accuracy": mrr * 0.93,
                "epoch": epochs * number / evaluations,
                "step": number * 31,
            }
        )
    return [*history, {"train_runtime": 3725.2, "epoch": epochs, "step": 31 * max(logs, evaluations)}]
