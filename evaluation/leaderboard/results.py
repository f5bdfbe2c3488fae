"""A folder of result files, some with their predictions → submissions."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proofmatch.errors import ProofmatchError, first_line, one_line, quoted
from proofmatch.strict_json import read_json

from ..prediction_formats import SUFFIXES
from ..result import result_faults
from ..system import SHARED_SIDECAR, find_sidecar, normalized_text
from ..task import Task

RESULT = ".result.json"
# These fields distinguish a result from other JSON files, whatever its name.
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
class Entry:
    """A result that was checked as far as possible.

    Attributes:
        name: The path of its file within the folder that was searched.
        content: What the evaluator computes from its predictions; without them, what the file says.
        task: Its split of a release in `--data`; None if it belongs to another release.
        is_checked: Whether the content was computed here.
        first_choices: A hash of the first choices, if it was.
    """

    name: str
    content: dict[str, Any]
    task: Task | None
    is_checked: bool = False
    first_choices: str | None = None

    @property
    def system(self) -> dict[str, Any]:
        """The system that was evaluated, as its authors describe it."""
        return self.content["system"]

    @property
    def folder(self) -> str:
        """The folder of its file; each submission has its own folder."""
        return self.name.rpartition("/")[0]


@dataclass(frozen=True, slots=True)
class Found:
    """The results of a folder.

    Attributes:
        submissions: The valid results, sorted by name.
        faults: The faults of the other results, a line each.
        n_refused: The number of the other results.
        n_others: The number of JSON files that are not results.
    """

    submissions: list[Submission] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    n_refused: int = 0
    n_others: int = 0


def split_of(entry: Entry) -> tuple[str, str, str]:
    """Identify the split of a result: hash of the manifest, config and split."""
    dataset = entry.content["dataset"]
    return dataset["manifest_sha256"], dataset["config"], dataset["split"]


def board_of(entry: Entry) -> tuple[str, str, str, bool]:
    """Identify the board that a result belongs to: transductive rankings of a split have a separate one."""
    return (*split_of(entry), bool(entry.system.get("transductive")))


def find_results(folder: Path) -> Found:
    """Read all result files of a folder and its subfolders.

    `*.result.json` are results, and so are other JSON files with the fields of one. Sidecars, hidden files
    and all other JSON files are ignored.

    Raises:
        ProofmatchError: If there is no such folder, or no result in it.
    """
    if not folder.is_dir():
        raise ProofmatchError(f"{folder} is not a folder; give one that has result files")
    submissions, faults, n_refused, n_others = [], [], 0, 0
    for path in _json_files(folder):
        name = path.relative_to(folder).as_posix()
        try:
            submission = _read_result(path, name, folder)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or first_line(error)
            message = one_line(f"cannot be read as JSON ({reason}); correct or remove it")
            faults.append(f"{quoted(name)}: {message}")
            n_refused += 1
        except _NotUsable as error:
            n_refused += 1
            faults += [f"{quoted(name)}: {fault}" for fault in error.faults]
        else:
            if submission is None:
                n_others += 1
            else:
                submissions.append(submission)
    if not submissions and not faults:
        raise ProofmatchError(
            f"{folder} has no result files; make one with `proofmatch evaluate PRED --out NAME{RESULT}`"
        )
    return Found(submissions, faults, n_refused, n_others)


class _NotUsable(Exception):  # noqa: N818 - describes a result, and never leaves this module
    def __init__(self, *faults: str) -> None:
        super().__init__(*faults)
        self.faults = faults


def _read_result(path: Path, name: str, folder: Path) -> Submission | None:
    """Read a result file; None if it is another kind of JSON file."""
    if not path.is_file():
        raise _NotUsable("is not a regular file; remove it")
    if _links_outside(path, folder):
        raise _NotUsable("leads out of the folder, which submissions may not do; remove the link")
    content = read_json(path)
    if not path.name.endswith(RESULT) and not _looks_like_result(content):
        return None
    if faults := result_faults(content):
        raise _NotUsable(*faults)
    system = content["system"]
    for field_ in ("name", "submitter"):
        if field_ in system:
            system[field_] = normalized_text(system[field_], compatibly=True)
    return Submission(name, path, content, _predictions_of(path))


def _json_files(folder: Path) -> Iterator[Path]:
    """Find the files that may be results, including those that only have the name of one."""
    for path in sorted(folder.rglob("*.json")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        is_sidecar = path.name == SHARED_SIDECAR or path.name.endswith(f".{SHARED_SIDECAR}")
        if not hidden and not is_sidecar and (path.is_file() or path.name.endswith(RESULT)):
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
