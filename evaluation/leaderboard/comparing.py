"""What a result file says against what its predictions amount to."""

import json
from collections.abc import Iterator
from math import isclose
from typing import Any

_EXACT = 1e-9  # scores are means that round once; this is far below what any table shows
_INTERVALS = 2e-6  # bounds have six digits, the last of which machines may round differently
_SHOWN = 70
_ABSENT = object()


def mismatches(said: dict[str, Any], found: dict[str, Any]) -> list[str]:
    """List where two results differ, with both values, a line each.

    The revision on the Hub may differ: the manifest's hash tells whether the data are the same.

    Args:
        said: Content of a result file.
        found: Content of the result that the evaluator computes of its predictions.
    """
    return [
        f"{place} is {_shown(stated)}, but {_source(place)} {_shown(computed)}"
        for place, stated, computed in _differences(said, found, "")
        if place != "dataset.revision"
    ]


def _differences(said: Any, found: Any, place: str) -> Iterator[tuple[str, Any, Any]]:  # noqa: ANN401
    if isinstance(said, dict) and isinstance(found, dict):
        for name in [*found, *(name for name in said if name not in found)]:
            inside = f"{place}.{name}" if place else str(name)
            yield from _differences(said.get(name, _ABSENT), found.get(name, _ABSENT), inside)
    elif isinstance(said, list | tuple) and isinstance(found, list | tuple) and len(said) == len(found):
        for number, (one, other) in enumerate(zip(said, found, strict=True)):
            yield from _differences(one, other, f"{place}[{number}]")
    elif not _equal(said, found, _INTERVALS if ".ci95." in place else _EXACT):
        yield place, said, found


def _equal(one: Any, other: Any, tolerance: float) -> bool:  # noqa: ANN401
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return isclose(one, other, rel_tol=0.0, abs_tol=tolerance) if isinstance(one, float) else one == other
    return one == other


def _source(place: str) -> str:
    if place.startswith("system"):
        return "the sidecar of the predictions says"
    if place.startswith("evaluator"):
        return "this evaluator has"
    if place.startswith("dataset"):
        return "the release has"
    return "the predictions give"


def _shown(value: object) -> str:
    if value is _ABSENT:
        return "nothing"
    text = json.dumps(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
