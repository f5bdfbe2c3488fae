"""What a matcher is trained and judged on: pairs, and the matching task of a split, as numbers of words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from torch.utils.data import Dataset

from proofmatch.errors import ProofmatchError

from ..evaluation.release import Release
from ..evaluation.task import Task, config_name
from .encoding import PROOF, STATEMENT, EncodedTexts, encode_readable_texts, encode_texts
from .model.config import ProofMatcherConfig

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast


class EncodedPairs(Protocol):
    """Pairs as rows with the columns of `encode_pairs`: `TrainingPairs`, or a `datasets.Dataset`."""

    def __len__(self) -> int: ...

    def __getitem__(self, number: int, /) -> dict[str, Any]: ...


@dataclass(frozen=True, slots=True)
class TrainingPairs(Dataset):
    """Statements and their proofs, the n-th proof being that of the n-th statement."""

    statements: EncodedTexts
    proofs: EncodedTexts

    def __len__(self) -> int:
        return len(self.statements)

    def __getitem__(self, number: int) -> dict[str, np.ndarray]:
        return {STATEMENT: self.statements[number], PROOF: self.proofs[number]}


@dataclass(frozen=True, slots=True)
class MatchingSet(Dataset):
    """Statements and proofs to be matched.

    Attributes:
        statements: In the order of the task.
        proofs: In the order of the task, which tells nothing.
        gold: For each statement the place of its proof.
    """

    statements: EncodedTexts
    proofs: EncodedTexts
    gold: np.ndarray

    def __len__(self) -> int:
        return len(self.statements)


def collate(pairs: Sequence[dict[str, Sequence[int]]]) -> dict[str, list[np.ndarray]]:
    """Make a minibatch; padding is the matcher's business, which sorts texts by length first."""
    return {
        "statements": [np.asarray(pair[STATEMENT]) for pair in pairs],
        "proofs": [np.asarray(pair[PROOF]) for pair in pairs],
    }


def as_matching_set(pairs: EncodedPairs, seed: int = 0) -> MatchingSet:
    """Make a task of encoded pairs.

    The proofs are shuffled: next to their statements, they would win every tie of a matching.
    """
    rows = [pairs[number] for number in range(len(pairs))]
    places = np.random.default_rng(seed).permutation(len(rows))
    return MatchingSet(
        EncodedTexts.of([row[STATEMENT] for row in rows]),
        EncodedTexts.of([rows[place][PROOF] for place in places]),
        np.argsort(places),
    )


def read_pairs(
    release: Release,
    split: str,
    tokenizer: "PreTrainedTokenizerFast",
    config: ProofMatcherConfig,
    *,
    by_article: bool = False,
) -> TrainingPairs:
    """Read the pairs of a split as the matcher reads texts."""
    table = config_name("pairs", by_article)
    suffix = "" if config.reads_text_column else "_tokens"
    return TrainingPairs(
        *(_encode(release, table, split, f"{side}{suffix}", tokenizer, config) for side in _SIDES)
    )


def read_task(task: Task, tokenizer: "PreTrainedTokenizerFast", config: ProofMatcherConfig) -> MatchingSet:
    """Read the statements and proofs of a task as the matcher reads texts."""
    column = "text" if config.reads_text_column else "tokens"
    statements, proofs = (
        _encode(task.release, config_name(f"{side}s", task.by_article), task.split, column, tokenizer, config)
        for side in _SIDES
    )
    return MatchingSet(statements, proofs, task.gold)


_SIDES = ("statement", "proof")


def _encode(
    release: Release,
    table: str,
    split: str,
    column: str,
    tokenizer: "PreTrainedTokenizerFast",
    config: ProofMatcherConfig,
) -> EncodedTexts:
    texts = release.table(table, split, [column]).column(0).combine_chunks()
    if config.reads_text_column:
        if config.input != "both":
            raise ProofmatchError(
                f"a pretrained encoder reads whole sentences, so its input is both, not {config.input}"
            )
        return encode_readable_texts(tokenizer, texts.to_pylist(), config.max_words)
    return encode_texts(tokenizer, texts, config.input, config.max_words)
