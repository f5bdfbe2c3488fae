"""What a matcher is trained and judged on: pairs, and the matching task of a split, as numbers of words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from torch.utils.data import Dataset

from ..builder.release.release import Release
from ..builder.release.schema import config_name
from ..evaluation.task import Task
from .encoding import PROOF, STATEMENT, EncodedTexts
from .reading import TextReader, Texts

SIDES = ("statement", "proof")


class EncodedPairs(Protocol):
    """Pairs as rows with the columns of `encode_pairs`: `TrainingPairs`, or a `datasets.Dataset`."""

    def __len__(self) -> int: ...

    def __getitem__(self, number: int, /) -> dict[str, Any]: ...


@dataclass(frozen=True, slots=True)
class TrainingPairs(Dataset):
    """Statements and their proofs, the n-th proof being that of the n-th statement."""

    statements: Texts
    proofs: Texts

    def __len__(self) -> int:
        return len(self.statements)

    def __getitem__(self, number: int) -> dict[str, Any]:
        return {STATEMENT: self.statements[number], PROOF: self.proofs[number]}


@dataclass(frozen=True, slots=True)
class MatchingSet(Dataset):
    """Statements and proofs to be matched.

    Attributes:
        statements: In the order of the task.
        proofs: In the order of the task, which tells nothing.
        gold: For each statement the place of its proof.
    """

    statements: Texts
    proofs: Texts
    gold: np.ndarray

    def __len__(self) -> int:
        return len(self.statements)


def collate(pairs: Sequence[dict[str, Any]]) -> dict[str, list[Any]]:
    """Make a minibatch; padding is the matcher's business, which sorts texts by length first."""
    return {
        "statements": [_as_text(pair[STATEMENT]) for pair in pairs],
        "proofs": [_as_text(pair[PROOF]) for pair in pairs],
    }


def _as_text(text: Any) -> Any:  # noqa: ANN401
    """Take lists of numbers, as a `datasets.Dataset` has them, for arrays."""
    return np.asarray(text) if isinstance(text, list) else text


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
    reader: TextReader,
    *,
    by_article: bool = False,
    is_for_training: bool = False,
) -> TrainingPairs:
    """Read the pairs of a split as a matcher reads texts.

    Args:
        release: The pairs.
        split: Which of them.
        reader: From `matcher.reader`.
        by_article: Whether the splits are those by article.
        is_for_training: Whether the matcher is about to learn from these pairs.
    """
    table = config_name("pairs", by_article)
    suffix = "" if reader.reads_text_column else "_tokens"
    columns = [column_of(release, table, split, f"{side}{suffix}") for side in SIDES]
    if is_for_training:
        (statements, first), (proofs, second) = columns
        return TrainingPairs(*reader.read_training_pairs(statements, proofs, (first, second)))
    return TrainingPairs(*(reader.read(texts, origin) for texts, origin in columns))


def read_task(task: Task, reader: TextReader) -> MatchingSet:
    """Read the statements and proofs of a task as a matcher reads texts."""
    column = "text" if reader.reads_text_column else "tokens"
    tables = (config_name(f"{side}s", task.by_article) for side in SIDES)
    statements, proofs = (
        reader.read(*column_of(task.release, table, task.split, column)) for table in tables
    )
    return MatchingSet(statements, proofs, task.gold)


def column_of(release: Release, table: str, split: str, column: str) -> tuple[pa.Array, str]:
    """Read a column of a release, and give it a name that tells it from all others."""
    texts = release.table(table, split, [column]).column(0).combine_chunks()
    return texts, f"{release.manifest_sha256} {table} {split} {column}"
