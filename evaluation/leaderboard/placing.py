"""Where a result belongs: its board, its row, and which scores of the row it has."""

from collections.abc import Iterable
from typing import Any

from proofmatch.errors import quoted

from .reading import Submission
from .rows import decoding_of


def board_key(submission: Submission) -> tuple[Any, ...]:
    """Tell which board a result belongs to: equal for those that can be compared."""
    dataset = submission.content["dataset"]
    return (
        dataset["manifest_sha256"],
        dataset["config"],
        dataset["split"],
        bool(submission.system.get("transductive")),
        submission.content["evaluator"]["tie_rule"],
    )


def row_key(submission: Submission) -> tuple[Any, ...]:
    """Tell which row of its board a result belongs to: a system with one input and one normalisation."""
    system = submission.system
    settings = system.get("normalization") or {}
    return (
        system["name"],
        system.get("input"),
        tuple(sorted((name, str(settings[name])) for name in settings)),
    )


def duplicates(submissions: Iterable[Submission]) -> list[str]:
    """Name the results that claim the same place on a board, of which none can be preferred to the other."""
    places: dict[tuple[Any, ...], list[str]] = {}
    for submission in submissions:
        key = (*board_key(submission), *row_key(submission), decoding_of(submission))
        places.setdefault(key, []).append(submission.name)
    return [
        f"{quoted(second)}: the same system, input and decoding are in {quoted(names[0])}; "
        "remove one of them or give its system another name"
        for names in places.values()
        for second in names[1:]
    ]
