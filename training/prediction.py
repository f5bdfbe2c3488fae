"""Saved matchers: open one of any kind, and score all pairs of a task with it."""

import sys
from dataclasses import replace
from pathlib import Path

from proofmatch.errors import ProofmatchError
from proofmatch.progress import Progress

from ..evaluation.decoding.scores import ScoreSource
from ..evaluation.system import System
from ..evaluation.task import Task
from ..evaluation.training_data import may_have_seen, refusal
from .encoder.proof_matcher import ProofMatcher
from .joint import JointMatcher
from .lexical.lexical_matcher import LexicalMatcher
from .matcher import Matcher, TrainedMatcher, checked_options, kind_of_model, no_matcher, quiet_library
from .pairs import read_texts
from .tokenizer import load_tokenizer
from .views import MultiViewMatcher

KINDS: dict[str, type[Matcher]] = {
    kind.config_class.model_type: kind  # pyright: ignore[reportOptionalMemberAccess]
    for kind in (ProofMatcher, LexicalMatcher, JointMatcher, MultiViewMatcher)
}


def open_matcher(folder_or_repository: str | Path) -> Matcher:
    """Open a saved matcher of any kind, without its tokenizer.

    Raises:
        ProofmatchError: If there is none.
    """
    name = str(folder_or_repository)
    options = checked_options(name, {})
    try:
        with quiet_library():
            kind = kind_of_model(name, **options)
    except (OSError, ValueError) as error:
        raise no_matcher(name, error) from None
    if kind not in KINDS:
        raise ProofmatchError(f"{name} is a model of the kind {kind}, not one of {', '.join(KINDS)}")
    return KINDS[kind].from_pretrained(name, **options)


def load_matcher(folder_or_repository: str | Path) -> TrainedMatcher:
    """Open the output of `proofmatch train`, from its folder or from the Hub.

    Raises:
        ProofmatchError: If there is no model, or no tokenizer that fits it.
    """
    matcher = open_matcher(folder_or_repository)
    with quiet_library():
        is_typed = not getattr(matcher.config, "reads_text_column", False)
        tokenizer = load_tokenizer(folder_or_repository, typed=is_typed)
    return TrainedMatcher(matcher, tokenizer, str(folder_or_repository))


def model_scores(model: TrainedMatcher, task: Task) -> ScoreSource:
    """Score all pairs of a split; no matrix of all pairs is kept."""
    statements, proofs = read_texts(task, model.reader)
    with Progress("encoding texts", "batches") as progress:
        progress.summary = f"{len(statements):,} statements, {len(proofs):,} proofs"
        return model.matcher.scores(statements, proofs, progress)


def count_seen(model: TrainedMatcher, task: Task, name: str, *, allow_seen: bool = False) -> System:
    """Describe a model for the sidecar of its predictions: what it was trained on, and what it has seen.

    Args:
        model: The model.
        task: The split to predict.
        name: The name of the model in tables and messages.
        allow_seen: Whether to continue with a split whose answers it has seen.

    Raises:
        ProofmatchError: If it has seen answers of a test split, or may have.
    """
    system = System(name, model.matcher.config.input)
    data = model.matcher.training_data
    if data is None or not data.is_complete:
        what = "what" if data is None else "all that"
        print(f"warning: {name} does not say {what} it was trained on", file=sys.stderr)
    if data is None:
        return system
    seen = data.seen(task)
    is_seen = may_have_seen(data.entries, seen, task)
    if is_seen and not allow_seen:
        raise ProofmatchError(refusal(name, data.entries, seen, task))
    entries = [entry.as_json() for entry in data.entries]
    return replace(system, trained_on=entries, seen_answers=seen, allow_seen=is_seen)
