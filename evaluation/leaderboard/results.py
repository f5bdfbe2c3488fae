"""A folder of result files, some with their predictions → submissions."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proofmatch.errors import ProofmatchError, quoted
from proofmatch.strict_json import read_json

from ..prediction_formats import SUFFIXES
from ..result import result_faults
from ..system import SHARED_SIDECAR, find_sidecar

RESULT = ".result.json"
# These fields tell a result from other JSON files, whatever its name.
_RESULT_FIELDS = {"predictions_sha256", "scores"}


@dataclass(frozen=True, slots=True)
class Submission:
    """A result file and its predictions.

    Attributes:
        name: Its path within the folder that was searched.
        path: The file.
        content: Its content.
        predictions: The prediction files of the same name beside it: `x.jsonl` for `x.result.json`.
    """

    name: str
    path: Path
    content: dict[str, Any]
    predictions: tuple[Path, ...] = ()

    @property
    def system(self) -> dict[str, Any]:
        """The system that was evaluated."""
        return self.content["system"]


@dataclass(frozen=True, slots=True)
class Found:
    """The results of a folder.

    Attributes:
        submissions: The valid results, sorted by name.
        faults: The faults of the other results, a line each.
        n_others: The number of JSON files that are not results.
    """

    submissions: list[Submission] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    n_others: int = 0

    def refuse_if_faulty(self) -> None:
        """Refuse the folder if a result has a fault.

        Raises:
            ProofmatchError: With all faults.
        """
        if self.faults:
            raise ProofmatchError("\n  ".join(["there are results that cannot be used:", *self.faults]))


def find_results(folder: Path) -> Found:
    """Read all result files of a folder and its subfolders.

    `*.result.json` are results, and so are other JSON files with the fields of one. Sidecars, hidden files
    and all other JSON files are ignored.

    Raises:
        ProofmatchError: If there is no such folder, or no result in it.
    """
    if not folder.is_dir():
        raise ProofmatchError(f"{folder} is not a folder; give one that has result files")
    submissions, faults, n_others = [], [], 0
    for path in _json_files(folder):
        name = path.relative_to(folder).as_posix()
        if _links_outside(path, folder):
            faults.append(f"{quoted(name)}: leads out of the folder, as no submission may; remove the link")
            continue
        try:
            content = read_json(path)
            if not path.name.endswith(RESULT) and not _looks_like_result(content):
                n_others += 1
                continue
            problems = result_faults(content)
            faults += [f"{quoted(name)}: {problem}" for problem in problems]
            if not problems:
                submissions.append(Submission(name, path, content, _predictions_of(path)))
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error).partition("\n")[0]
            faults.append(f"{quoted(name)}: cannot be read as JSON ({reason}); correct or remove it")
    if not submissions and not faults:
        raise ProofmatchError(
            f"{folder} has no result files; make one with `proofmatch evaluate PRED --out NAME{RESULT}`"
        )
    return Found(submissions, faults, n_others)


def _json_files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*.json")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        is_sidecar = path.name == SHARED_SIDECAR or path.name.endswith(f".{SHARED_SIDECAR}")
        if not hidden and not is_sidecar and path.is_file():
            yield path


def _looks_like_result(content: object) -> bool:
    return isinstance(content, dict) and content.keys() >= _RESULT_FIELDS


def _predictions_of(result: Path) -> tuple[Path, ...]:
    stem = result.name.removesuffix(".json").removesuffix(".result")
    beside = (result.with_name(stem + suffix) for suffix in SUFFIXES)
    return tuple(path for path in beside if path.is_file())


def _links_outside(result: Path, folder: Path) -> bool:
    """Tell whether a result, its predictions or their sidecar is a link to a file that was not submitted."""
    predictions = _predictions_of(result)
    files = [result, *predictions, *filter(None, map(find_sidecar, predictions))]
    return not all(file.resolve().is_relative_to(folder.resolve()) for file in files)
