"""Saved matchers: open one of any kind, and score all pairs of a task with it."""

import json
from pathlib import Path

from proofmatch.errors import ProofmatchError, first_line
from proofmatch.progress import Progress

from ..evaluation.decoding.scores import ScoreSource
from ..evaluation.task import Task
from .encoder.proof_matcher import ProofMatcher
from .joint import JointMatcher
from .lexical.lexical_matcher import LexicalMatcher
from .matcher import Matcher, TrainedMatcher, kind_of_model, quiet_library
from .model_folder import RUN
from .pairs import read_texts
from .tokenizer import load_tokenizer

_KINDS: dict[str, type[Matcher]] = {
    kind.config_class.model_type: kind  # pyright: ignore[reportOptionalMemberAccess]
    for kind in (ProofMatcher, LexicalMatcher, JointMatcher)
}


def open_matcher(folder_or_repository: str | Path) -> Matcher:
    """Open a saved matcher of any kind, without its tokenizer.

    Raises:
        ProofmatchError: If there is none.
    """
    name = str(folder_or_repository)
    try:
        with quiet_library():
            kind = kind_of_model(name)
    except (OSError, ValueError) as error:
        raise ProofmatchError(
            f"{name} is neither a folder with a matcher nor OWNER/NAME of one on the Hub "
            f"({first_line(error)})"
        ) from None
    if kind not in _KINDS:
        raise ProofmatchError(f"{name} is a model of the kind {kind}, not one of {', '.join(_KINDS)}")
    return _KINDS[kind].from_pretrained(name)


def load_matcher(folder_or_repository: str | Path) -> TrainedMatcher:
    """Open the output of `proofmatch train`, from its folder or from the Hub.

    Raises:
        ProofmatchError: If there is no model, or no tokenizer that fits it.
    """
    matcher = open_matcher(folder_or_repository)
    with quiet_library():
        is_typed = not getattr(matcher.config, "reads_text_column", False)
        tokenizer = load_tokenizer(folder_or_repository, typed=is_typed)
    return TrainedMatcher(matcher, tokenizer)


def model_scores(model: TrainedMatcher, task: Task) -> ScoreSource:
    """Score all pairs of a split; no matrix of all pairs is kept."""
    statements, proofs = read_texts(task, model.reader)
    with Progress("encoding texts", "batches") as progress:
        progress.summary = f"{len(statements):,} statements, {len(proofs):,} proofs"
        return model.matcher.scores(statements, proofs, progress)


def refuse_other_splits(model: str, task: Task) -> None:
    """Refuse a model trained on the release's other splits, because their training pairs leak into this test.

    A model without a record of its training data is accepted.

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
            f"{model} was trained on {config} of this release, so {task.config} has pairs it was trained on; "
            f"{remedy} --by-article"
        )


def _file_of(model: str, name: str) -> Path:
    if Path(model).is_dir():
        return Path(model, name)
    from huggingface_hub import hf_hub_download

    return Path(hf_hub_download(model, name))
