"""The check of submissions: a result must say what the evaluator computes from its predictions."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import isclose
from pathlib import Path
from typing import Any

from proofmatch.errors import CheckFailed, ProofmatchError, quoted
from proofmatch.progress import Progress

from ...builder.release.release import Release, open_release
from ..evaluator import evaluate_file
from ..system import System, find_sidecar, read_system
from ..task import Task, load_task
from .boards import duplicates
from .results import Found, Submission, find_results

_BY_ARTICLE = "pairs_by_article"
_BY_OPTION = ("name", "input", "url")  # `proofmatch evaluate` has options for these
_TOLERANCE = 1e-9  # scores are means that are rounded once; this is far below what any table shows
_INTERVAL_TOLERANCE = 2e-6  # bounds have six digits, the last of which machines may round differently
_SHOWN = 70  # characters of a value in a message
_ABSENT = object()
_OPTIONAL = {"scores.ndcg@10", "scores.ci95.ndcg@10"}


@dataclass
class Checker:
    """Computes results again.

    Attributes:
        releases: The releases that results may be of.
    """

    releases: list[Release]
    _tasks: dict[tuple[str, str, str], Task] = field(default_factory=dict)

    def faults(self, submission: Submission) -> list[str]:
        """List where a result differs from what its predictions give."""
        dataset = submission.content["dataset"]
        release = self._release(dataset["manifest_sha256"])
        if release is None:
            return [self._wrong_release(dataset)]
        if len(submission.predictions) > 1:
            names = " and ".join(path.name for path in submission.predictions)
            return [f"{names} both have its name; keep the one that it is of"]
        predictions = next(iter(submission.predictions), None)
        if predictions is None:
            return ["its predictions are missing; put them beside it, with the same name"]
        try:
            task = self._task(release, dataset["split"], dataset["config"])
            system = _system(predictions, submission.system)
            found = evaluate_file(predictions, task, system).as_dict()
        except ProofmatchError as error:
            return [_on_one_line(error)]
        return _mismatches(submission.content, found)

    def _release(self, manifest_sha256: str) -> Release | None:
        return next((one for one in self.releases if one.manifest_sha256 == manifest_sha256), None)

    def _task(self, release: Release, split: str, config: str) -> Task:
        key = release.manifest_sha256, split, config
        if key not in self._tasks:
            self._tasks[key] = load_task(release, split, by_article=config == _BY_ARTICLE)
        return self._tasks[key]

    def _wrong_release(self, dataset: dict[str, Any]) -> str:
        for release in self.releases:
            if release.id == dataset["id"]:
                return (
                    f"dataset.manifest_sha256 is {dataset['manifest_sha256'][:12]}…, but {release.id} has "
                    f"{release.manifest_sha256[:12]}…: the result is of another release of that name"
                )
        return (
            f"it is of {quoted(dataset['id'])} with the manifest {dataset['manifest_sha256'][:12]}…, "
            "which no release of --data has"
        )


def check_results(results: str | Path, data: str | Path | Sequence[str | Path]) -> int:
    """Check that every result of a folder is what the predictions beside it give.

    Args:
        results: The folder; its subfolders are searched as well.
        data: The release, or releases, of the results: folders, or `OWNER/NAME[@REVISION]`.

    Returns:
        The number of results.

    Raises:
        CheckFailed: With every mismatch, a line each.
        ProofmatchError: If a result file cannot be read, with every fault.
    """
    checker = Checker(open_releases(data))
    found = find_results(Path(results))
    faults = [*faults_of_all(found.submissions, checker), *duplicates(found.submissions)]
    refuse(found, faults)
    return len(found.submissions)


def open_releases(data: str | Path | Sequence[str | Path]) -> list[Release]:
    """Open one or several releases."""
    return [open_release(one) for one in ([data] if isinstance(data, str | Path) else data)]


def faults_of_all(submissions: Iterable[Submission], checker: Checker) -> list[str]:
    """List the faults of submissions, each with the name of its file."""
    faults = []
    with Progress("checking results", "results") as progress:
        for submission in submissions:
            faults += [f"{quoted(submission.name)}: {fault}" for fault in checker.faults(submission)]
            progress.summary = f"{len(faults):,} faults"
            progress.advance()
        progress.summary = ""
    return faults


def refuse(found: Found, faults: list[str]) -> None:
    """Refuse results with any fault; the exit code is 2 if one cannot be read, else 1."""
    if not found.faults and not faults:
        return
    every = [*found.faults, *faults]
    kind = ProofmatchError if found.faults else CheckFailed
    head = f"{len(every):,} fault{'s' * (len(every) > 1)}:"
    raise kind("\n  ".join([head, *every]))


def _system(predictions: Path, said: dict[str, Any]) -> System:
    """Read the sidecar; without one, accept what the result says, as the evaluator has options for it."""
    if find_sidecar(predictions) is not None:
        return read_system(predictions)
    return read_system(predictions, **{name: said.get(name) for name in _BY_OPTION})


def _on_one_line(error: ProofmatchError) -> str:
    first, *others = [line.strip() for line in str(error).splitlines()]
    return f"{first} {others[0]}{' …' if len(others) > 1 else ''}" if others else first


def _mismatches(said: dict[str, Any], found: dict[str, Any]) -> list[str]:
    """List where two results differ, with both values, a line each.

    The revision on the Hub may differ: the manifest's hash tells whether the data are the same. A score that
    the schema does not require may be missing, as in results of older versions.
    """
    return [
        f"{place} is {_shown(stated)}, but {_source(place)} {_shown(computed)}"
        for place, stated, computed in _differences(said, found, "")
        if place != "dataset.revision" and not (stated is _ABSENT and place in _OPTIONAL)
    ]


def _differences(said: Any, found: Any, place: str) -> Iterator[tuple[str, Any, Any]]:  # noqa: ANN401
    if isinstance(said, dict) and isinstance(found, dict):
        for name in [*found, *(name for name in said if name not in found)]:
            inside = f"{place}.{name}" if place else str(name)
            yield from _differences(said.get(name, _ABSENT), found.get(name, _ABSENT), inside)
    elif isinstance(said, list | tuple) and isinstance(found, list | tuple) and len(said) == len(found):
        for number, (one, other) in enumerate(zip(said, found, strict=True)):
            yield from _differences(one, other, f"{place}[{number}]")
    elif not _equal(said, found, _INTERVAL_TOLERANCE if ".ci95." in place else _TOLERANCE):
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
