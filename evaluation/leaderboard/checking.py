"""The check of submissions: a result must agree with what the evaluator computes from its predictions."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from math import isclose
from pathlib import Path
from typing import Any

from proofmatch.errors import CheckFailed, ProofmatchError, one_line, quoted
from proofmatch.progress import Progress

from ...builder.release.release import Release, open_release
from ..evaluator import evaluate_file
from ..system import System, find_sidecar, read_system
from ..task import Task, load_task
from .boards import duplicates
from .results import Entry, Submission, find_results

_BY_ARTICLE = "pairs_by_article"
_BY_OPTION = ("name", "input", "url")  # `proofmatch evaluate` has options for these
_TOLERANCE = 1e-9  # scores are means that are rounded once; this is far below what any table shows
_INTERVAL_TOLERANCE = 2e-6  # bounds have six digits, and machines may round the last one differently
_SHOWN = 70  # characters of a value in a message
_ABSENT = object()
_OPTIONAL = {"scores.ndcg@10", "scores.ci95.ndcg@10", "decoding_seen"}
_LINES_SHOWN = 100  # of a message


@dataclass
class Checker:
    """Recomputes results.

    Attributes:
        releases: The releases that results may belong to.
        gold: The files with the answers of the sealed ones, by the hashes of their manifests.
        strict: Whether a result must belong to one of the releases, have its predictions, and agree in every
            field with this evaluator. Otherwise it may lack predictions, or come from another evaluator.
    """

    releases: list[Release]
    gold: dict[str, Path] = field(default_factory=dict)
    strict: bool = True
    _tasks: dict[tuple[str, str, str], Task] = field(default_factory=dict)

    def check(self, submission: Submission) -> Entry | list[str]:
        """Recompute a result if possible, or list what is wrong with it.

        Raises:
            ProofmatchError: If the answers of a sealed release are needed.
        """
        dataset = submission.content["dataset"]
        release = self._release(dataset["manifest_sha256"])
        if release is None and self.strict:
            return [self._wrong_release(dataset)]
        if len(submission.predictions) > 1:
            names = " and ".join(quoted(path.name) for path in submission.predictions)
            return [f"{names} both have its name; keep the one that it was computed from"]
        if release is None:
            return Entry(submission.name, submission.content, None)
        predictions = next(iter(submission.predictions), None)
        if predictions is None and self.strict:
            return ["its predictions are missing; put them beside it, with the same name"]
        try:
            task = self._task(release, dataset["split"], dataset["config"])
        except ProofmatchError as error:
            return [_on_one_line(error)]
        if predictions is None:
            return _size_faults(submission.content, task) or Entry(submission.name, submission.content, task)
        _ = task.required_gold
        return self._recompute(submission, predictions, task)

    def _recompute(self, submission: Submission, predictions: Path, task: Task) -> Entry | list[str]:
        try:
            system = _system(predictions, submission.system)
            result = evaluate_file(predictions, task, system)
        except ProofmatchError as error:
            return [_on_one_line(error)]
        except OSError as error:
            return [one_line(f"{predictions.name} cannot be read ({error.strerror})")]
        found = result.as_dict()
        if faults := _mismatches(submission.content, found, self.strict):
            return faults
        first_choices = sha256(result.first_choices.tobytes()).hexdigest()
        return Entry(submission.name, found, task, is_checked=True, first_choices=first_choices)

    def _release(self, manifest_sha256: str) -> Release | None:
        return next((one for one in self.releases if one.manifest_sha256 == manifest_sha256), None)

    def _task(self, release: Release, split: str, config: str) -> Task:
        key = release.manifest_sha256, split, config
        if key not in self._tasks:
            by_article = config == _BY_ARTICLE
            is_sealed = release.is_sealed(split, by_article)
            gold = self.gold.get(release.manifest_sha256) if is_sealed else None
            self._tasks[key] = load_task(release, split, by_article=by_article, gold=gold)
        return self._tasks[key]

    def _wrong_release(self, dataset: dict[str, Any]) -> str:
        for release in self.releases:
            if release.id == dataset["id"]:
                return (
                    f"dataset.manifest_sha256 is {dataset['manifest_sha256'][:12]}…, but {release.id} has "
                    f"{release.manifest_sha256[:12]}…: the result belongs to another release of that name"
                )
        return (
            f"it belongs to {quoted(dataset['id'])} with the manifest {dataset['manifest_sha256'][:12]}…, "
            "which no release of --data has"
        )


@dataclass(frozen=True, slots=True)
class Checked:
    """The results of a folder after the check.

    Attributes:
        entries: The results without faults, sorted by name.
        faults: The faults of the other results, a line each.
        n_refused: The number of the other results.
        n_others: The number of JSON files that are not results.
    """

    entries: list[Entry]
    faults: list[str]
    n_refused: int
    n_others: int


def check_results(
    results: str | Path,
    data: str | Path | Sequence[str | Path],
    gold: str | Path | Sequence[str | Path] = (),
) -> int:
    """Check that every result of a folder agrees with the predictions beside it.

    Args:
        results: The folder; its subfolders are searched as well.
        data: The release, or releases, of the results: folders, or `OWNER/NAME[@REVISION]`.
        gold: The answers of the sealed ones among them, in the same order.

    Returns:
        The number of results.

    Raises:
        CheckFailed: With every fault, a line each.
        ProofmatchError: If there is no result, or no release.
    """
    checked = check_folder(Path(results), open_checker(data, gold))
    refuse(checked)
    return len(checked.entries)


def open_checker(
    data: str | Path | Sequence[str | Path],
    gold: str | Path | Sequence[str | Path] = (),
    *,
    strict: bool = True,
) -> Checker:
    """Open the releases that results may belong to."""
    releases = [open_release(one) for one in _as_list(data)]
    sealed = [release.manifest_sha256 for release in releases if release.sealed is not None]
    answers = [Path(one) for one in _as_list(gold)]
    if len(answers) > len(sealed):
        raise ProofmatchError(
            f"--gold is given {len(answers)} times, but {len(sealed)} of the releases of --data are sealed; "
            "give it once for each sealed release, in the same order"
        )
    return Checker(releases, dict(zip(sealed, answers, strict=False)), strict)


def _as_list(values: str | Path | Sequence[str | Path]) -> list[str | Path]:
    return [values] if isinstance(values, str | Path) else list(values)


def check_folder(folder: Path, checker: Checker) -> Checked:
    """Check all results of a folder; a faulty one changes nothing for the others."""
    found = find_results(folder)
    entries, faults, n_refused = [], list(found.faults), found.n_refused
    with Progress("checking results", "results", len(found.submissions)) as progress:
        for submission in found.submissions:
            checked = checker.check(submission)
            if isinstance(checked, Entry):
                entries.append(checked)
            else:
                faults += [f"{quoted(submission.name)}: {fault}" for fault in checked]
                n_refused += 1
            progress.summary = f"{len(faults):,} faults"
            progress.advance()
        progress.summary = ""
    return Checked(entries, faults, n_refused, found.n_others)


def refuse(checked: Checked) -> None:
    """Refuse results if one has a fault, or two belong to one system.

    Raises:
        CheckFailed: With the first faults, a line each.
    """
    faults = [*checked.faults, *duplicates(checked.entries)]
    if faults:
        raise CheckFailed(
            "\n  ".join([f"{len(faults):,} fault{'s' * (len(faults) > 1)}:", *shortened(faults)])
        )


def shortened(lines: Sequence[str], most: int = _LINES_SHOWN) -> list[str]:
    """Keep the first lines, and count the others."""
    left = len(lines) - most
    return [*lines[:most], f"and {left:,} more"] if left > 0 else list(lines)


def _system(predictions: Path, said: dict[str, Any]) -> System:
    """Read the sidecar; without one, accept the result's description, which `evaluate` has options for."""
    if find_sidecar(predictions) is not None:
        return read_system(predictions)
    return read_system(predictions, **{name: said.get(name) for name in _BY_OPTION})


def _on_one_line(error: ProofmatchError) -> str:
    first, *others = [line.strip() for line in str(error).splitlines()]
    return f"{first} {others[0]}{' …' if len(others) > 1 else ''}" if others else first


def _size_faults(said: dict[str, Any], task: Task) -> list[str]:
    sizes = {"n_statements": len(task.statement_ids), "n_proofs": len(task.proof_ids)}
    return [
        f"{name} is {said[name]}, but the release has {size}"
        for name, size in sizes.items()
        if said[name] != size
    ]


def _mismatches(said: dict[str, Any], found: dict[str, Any], strict: bool) -> list[str]:
    """List where two results differ, with both values, a line each.

    The revision on the Hub may differ: the manifest's hash tells whether the data are the same. A field that
    the schema does not require may be missing, as in results of older versions. If not `strict`, the name of
    the release may differ, and so may the evaluator with everything that it computes.
    """
    ignored = ["dataset.revision"]
    if not strict:
        ignored += ["dataset.id", "evaluator."]
        if said["evaluator"] != found["evaluator"]:
            ignored += ["scores.", "by_category", "assignment_counts", "decoding_seen"]
    return [
        f"{place} is {_shown(stated)}, but {_source(place)} {_shown(computed)}"
        for place, stated, computed in _differences(said, found, "")
        if not place.startswith(tuple(ignored)) and not (stated is _ABSENT and place in _OPTIONAL)
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
