"""What a model has been trained on must not be what it is judged on."""

import json
from pathlib import Path

from proofmatch.errors import ProofmatchError

from ..evaluation.task import Task
from .run import RUN


def refuse_other_splits(model: str, task: Task) -> None:
    """Refuse a model of the release's other splits, whose training pairs are in the test of these.

    A model that does not say what it was trained on may match anything.

    Raises:
        ProofmatchError: If the model was trained on the same release, split the other way.
    """
    try:
        run = json.loads(_file_of(model, RUN).read_text(encoding="utf-8"))
        trained_on, config = run["data"]["manifest_sha256"], run["config"]
    except (OSError, ValueError, LookupError, TypeError):
        return
    if trained_on == task.release.manifest_sha256 and config != task.config:
        remedy = "leave out" if task.by_article else "give"
        raise ProofmatchError(
            f"{model} was trained on {config} of this release, so that {task.config} has pairs it knows; "
            f"{remedy} --by-article"
        )


def _file_of(model: str, name: str) -> Path:
    """Find a file of a model, in its folder or on the Hub."""
    if Path(model).is_dir():
        return Path(model, name)
    from huggingface_hub import hf_hub_download

    return Path(hf_hub_download(model, name))
