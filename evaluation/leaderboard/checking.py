"""The check of submissions: scores are computed anew from the predictions and must be those of the result."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proofmatch.errors import CheckFailed, ProofmatchError, quoted
from proofmatch.progress import Progress

from ...builder.release.release import Release, open_release
from ..evaluator import evaluate_file
from ..system import System, find_sidecar, read_system
from ..task import Task, load_task
from .comparing import mismatches
from .placing import duplicates
from .reading import Found, Submission, find_results

_BY_ARTICLE = "pairs_by_article"
_BY_OPTION = ("name", "input", "url")  # what `proofmatch evaluate` can be told without a sidecar


@dataclass
class Checker:
    """Computes results anew.

    Attributes:
        releases: What results may be of.
    """

    releases: list[Release]
    _tasks: dict[tuple[str, str, str], Task] = field(default_factory=dict)

    def faults(self, submission: Submission) -> list[str]:
        """List all that a result says and its predictions do not bear out."""
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
        return mismatches(submission.content, found)

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
            "which is none of --data"
        )


def check_results(results: str | Path, data: str | Path | Sequence[str | Path]) -> int:
    """Check that every result of a folder is what the predictions beside it amount to.

    Args:
        results: The folder; its subfolders are searched as well.
        data: The release, or releases, that the results are of: folders, or `OWNER/NAME[@REVISION]`.

    Returns:
        How many results there are.

    Raises:
        CheckFailed: With every mismatch, a line each.
        ProofmatchError: If a result file cannot be read, with all that is wrong.
    """
    checker = Checker(open_releases(data))
    found = find_results(Path(results))
    faults = [*faults_of_all(found.submissions, checker), *duplicates(found.submissions)]
    refuse(found, faults)
    return len(found.submissions)


def open_releases(data: str | Path | Sequence[str | Path]) -> list[Release]:
    """Open one release or several."""
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
    """Refuse results with any fault: 2 is the exit code if some cannot be read, else 1."""
    if not found.faults and not faults:
        return
    every = [*found.faults, *faults]
    kind = ProofmatchError if found.faults else CheckFailed
    head = f"{len(every):,} fault{'s' * (len(every) > 1)}:"
    raise kind("\n  ".join([head, *every]))


def _system(predictions: Path, said: dict[str, Any]) -> System:
    """Read the sidecar; where there is none, believe what the evaluator may have been told."""
    if find_sidecar(predictions) is not None:
        return read_system(predictions)
    return read_system(predictions, **{name: said.get(name) for name in _BY_OPTION})


def _on_one_line(error: ProofmatchError) -> str:
    first, *others = [line.strip() for line in str(error).splitlines()]
    return f"{first} {others[0]}{' …' if len(others) > 1 else ''}" if others else first
