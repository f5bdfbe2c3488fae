"""Results that a model reports to the Hub: `.eval_results/*.yaml`, from which the Hub makes leaderboards."""

import re
from pathlib import Path
from typing import Any

from proofmatch.errors import ProofmatchError, one_line
from proofmatch.strict_json import read_json

from ..builder.release.benchmark import MEASURE, task_id
from ..builder.release.schema import SPLITS, TEST, config_name
from .result import Result, result_faults

FOLDER = ".eval_results"
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")


def reported_result(result: Result | str | Path, *, dataset_id: str | None = None) -> tuple[str, str]:
    """Write a result for the repository of the evaluated model.

    Args:
        result: A result, or its file.
        dataset_id: `OWNER/NAME` of the release on the Hub, if it was evaluated on a folder with that release.

    Returns:
        The name of the file in the repository, and its content.

    Raises:
        ProofmatchError: If the file is not a result, or not one of a test split of a dataset on the Hub.
    """
    from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml
    from huggingface_hub.utils import yaml_dump

    if isinstance(result, Result):
        content, name = result.as_dict(), "the result"
    else:
        content, name = _read(Path(result)), str(result)
    dataset, scores, system = content["dataset"], content["scores"], content["system"]
    repository = dataset_id or dataset["id"]
    if not _REPOSITORY.fullmatch(repository) or not (dataset_id or dataset["revision"]):
        raise ProofmatchError(
            f"{name} was computed on {dataset['id']}, which is not on the Hub; evaluate on OWNER/NAME, "
            "or give the dataset_id of the same release there"
        )
    if dataset["split"] != SPLITS[TEST]:
        raise ProofmatchError(
            f"{name} was computed on the split {dataset['split']}; models report results of {SPLITS[TEST]}"
        )
    if MEASURE not in scores:
        raise ProofmatchError(f"{name} has no {MEASURE}; evaluate the predictions again")
    task = task_id(dataset["config"] == config_name("pairs", True))
    entry = EvalResultEntry(
        dataset_id=repository,
        task_id=task,
        value=round(100 * scores[MEASURE], 2),
        dataset_revision=dataset["revision"],
        date=system.get("date"),
        source_url=system.get("url"),
        source_name=system["name"] if system.get("url") else None,
        notes=_notes(content),
    )
    text = yaml_dump(eval_result_entries_to_yaml([entry]), sort_keys=False)
    return f"{FOLDER}/{repository.replace('/', '__')}-{task}.yaml", text


def _notes(content: dict[str, Any]) -> str:
    scores, system = content["scores"], content["system"]
    said = [
        f"nDCG@10; MRR {100 * scores['mrr']:.2f}, accuracy {100 * scores['accuracy']:.2f}",
        f"decoding {system['decoding']}" if system.get("decoding") else "",
        "transductive" if system.get("transductive") else "",
        "may have seen the answers" if content.get("allow_seen") else "",
        f"proofmatch {content['evaluator']['version']}, ties against the gold proof",
    ]
    return "; ".join(filter(None, said))


def _read(path: Path) -> dict[str, Any]:
    try:
        content = read_json(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or one_line(str(error))
        raise ProofmatchError(f"{path} cannot be read as JSON ({reason}); give a result.json") from None
    if faults := result_faults(content):
        raise ProofmatchError(
            f"{path} is not a result: {faults[0]}; give what `proofmatch evaluate --out` wrote"
        )
    return content
