"""A trained matcher and a task → scores of all pairs, ready for any decoding."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from proofmatch.progress import Progress

from ..evaluation.decoding.scores import ScoreSource
from ..evaluation.task import Task
from .quiet import quiet_library
from .tokenizer import load_tokenizer

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

    from .model.saved import SavedMatcher
    from .reading import TextReader


@dataclass(frozen=True, slots=True)
class TrainedMatcher:
    """A matcher and the tokenizer it was trained with."""

    matcher: "SavedMatcher"
    tokenizer: "PreTrainedTokenizerFast"

    @property
    def reader(self) -> "TextReader":
        """How texts are read for the matcher."""
        return self.matcher.reader(self.tokenizer)


def load_matcher(folder_or_repository: str | Path) -> TrainedMatcher:
    """Open what `proofmatch train` has written, from its folder or from the Hub.

    Raises:
        ProofmatchError: If there is no model, or no tokenizer that goes with it.
    """
    from .kinds import open_matcher

    matcher = open_matcher(folder_or_repository)
    with quiet_library():
        is_typed = not getattr(matcher.config, "reads_text_column", False)
        tokenizer = load_tokenizer(folder_or_repository, typed=is_typed)
    return TrainedMatcher(matcher, tokenizer)


def model_scores(model: TrainedMatcher, task: Task) -> ScoreSource:
    """Score all pairs of a split; each text is encoded once, and no matrix of all pairs is kept."""
    from .pairs import read_task
    from .scoring import score_texts

    texts = read_task(task, model.reader)
    with Progress("encoding texts", "batches") as progress:
        progress.summary = f"{len(texts.statements):,} statements, {len(texts.proofs):,} proofs"
        return score_texts(model.matcher, texts.statements, texts.proofs, progress)
