"""What a matcher is trained and evaluated on: pairs, batches of pairs, and the matching task of a split."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyarrow as pa
from torch.utils.data import Dataset

from proofmatch.errors import ProofmatchError
from proofmatch.ragged import Ragged

from ..builder.release.release import Release
from ..builder.release.schema import config_name
from ..builder.variants.renaming import Symbols, rename_proof_tokens
from ..evaluation.task import Task
from ..evaluation.training_data import UNKNOWN, TrainedOn, TrainingData
from .texts import PROOF, SIDES, STATEMENT, TextReader, Texts

SAMPLINGS = ("independent", "epochs")


class EncodedPairs(Protocol):
    """Pairs as rows with the columns of `encode_pairs`: `TrainingPairs`, or a `datasets.Dataset`."""

    def __len__(self) -> int: ...

    def __getitem__(self, number: int, /) -> dict[str, Any]: ...


class Origin(NamedTuple):
    """The split that pairs come from."""

    release: Release
    split: str
    by_article: bool


class TypedPairs(NamedTuple):
    """The typed tokens of pairs, and the reader that made texts from them."""

    statements: pa.Array
    proofs: pa.Array
    reader: TextReader


@dataclass(frozen=True, slots=True)
class TrainingPairs(Dataset):
    """Statements and their proofs; the n-th proof belongs to the n-th statement.

    Attributes:
        statements: In the form that the matcher reads.
        proofs: Likewise.
        origin: Where they come from, if from a release.
        tokens: The typed tokens that they were read from, if any.
    """

    statements: Texts
    proofs: Texts
    origin: Origin | None = None
    tokens: TypedPairs | None = None

    def __len__(self) -> int:
        return len(self.statements)

    def __getitem__(self, number: int) -> dict[str, Any]:
        return {STATEMENT: self.statements[number], PROOF: self.proofs[number]}


class RenamedPairs(Dataset):
    """Training pairs; in every epoch, a share of the proofs gets new names for its variables.

    The choice of proofs and names depends only on the seed, the epoch and the pair.

    Args:
        pairs: The pairs.
        share: The share of renamed proofs.
        symbols: How they are renamed, as in `make_variant`.
        seed: Seed of the draws.

    Attributes:
        epoch: The epoch of the next pairs.
    """

    def __init__(self, pairs: EncodedPairs, share: float, symbols: Symbols, seed: int) -> None:
        if not isinstance(pairs, TrainingPairs) or pairs.tokens is None:
            raise ProofmatchError("variables are renamed in typed tokens only; set rename_share to 0")
        self._pairs, self._tokens = pairs, pairs.tokens
        self._share, self._seed = share, seed
        self._symbols: Symbols = symbols
        self.origin = pairs.origin
        self.epoch = 0

    def __len__(self) -> int:
        return len(self._pairs)

    def __getitem__(self, number: int) -> dict[str, Any]:
        return self.__getitems__([number])[0]

    def __getitems__(self, numbers: list[int]) -> list[dict[str, Any]]:
        """Read a batch of pairs at once."""
        rows = [self._pairs[number] for number in numbers]
        is_chosen = np.random.default_rng([self._seed, self.epoch]).random(len(self)) < self._share
        chosen = [place for place, number in enumerate(numbers) if is_chosen[number]]
        pairs = np.array([numbers[place] for place in chosen], dtype=np.int64)
        proofs = self._tokens.reader.read_renamed(
            self._renamed(pairs), self._pairs.statements.take(pairs), self._pairs.proofs.take(pairs)
        )
        for place, proof in zip(chosen, (proofs[number] for number in range(len(chosen))), strict=True):
            rows[place][PROOF] = proof
        return rows

    def _renamed(self, pairs: np.ndarray) -> pa.Array:
        sides = (column.take(pa.array(pairs)).to_pylist() for column in self._tokens[:2])
        return pa.array(
            [
                rename_proof_tokens(statement, proof, self._symbols, self._random(number))
                for number, statement, proof in zip(pairs.tolist(), *sides, strict=True)
            ],
            pa.list_(pa.string()),
        )

    def _random(self, pair: int) -> random.Random:
        return random.Random(f"{self._seed} {self.epoch} {pair}")  # noqa: S311 - no secret


@dataclass(frozen=True, slots=True)
class MatchingSet(Dataset):
    """Statements and proofs to be matched.

    Attributes:
        statements: In the order of the task.
        proofs: In the order of the task, which is unrelated to the order of the statements.
        gold: For each statement the position of its proof.
        origin: Where they come from, if from a release.
    """

    statements: Texts
    proofs: Texts
    gold: np.ndarray
    origin: Origin | None = None

    def __len__(self) -> int:
        return len(self.statements)


def collate(pairs: Sequence[dict[str, Any]]) -> dict[str, list[Any]]:
    """Make a minibatch. The matcher pads it, after sorting the texts by length."""
    return {
        "statements": [_as_text(pair[STATEMENT]) for pair in pairs],
        "proofs": [_as_text(pair[PROOF]) for pair in pairs],
    }


def _as_text(text: Any) -> Any:  # noqa: ANN401
    """Convert the lists of a `datasets.Dataset` to arrays."""
    return np.asarray(text) if isinstance(text, list) else text


class Batches:
    """Batch sampler whose batches depend only on the seed and the epoch.

    So a resumed epoch continues with the batches it would have had, and processes that share a batch agree
    on it without communication.

    Args:
        n_pairs: Number of training pairs.
        size: Pairs per batch, over all processes.
        sampling: `independent` draws every batch from all pairs, without replacement within the batch (the
            paper's Section "Local Training"); `epochs` goes through a permutation of all pairs.
        seed: Seed of the draws.
        rank: Rank of this process.
        world: Number of processes that share a batch.

    Attributes:
        epoch: The epoch of the next iteration.
    """

    def __init__(
        self,
        n_pairs: int,
        size: int,
        sampling: str = "independent",
        seed: int = 0,
        rank: int = 0,
        world: int = 1,
    ) -> None:
        self.n_pairs = n_pairs
        self.size = min(size, n_pairs) // world * world
        self.sampling = sampling
        self.seed = seed
        self.rank, self.world = rank, world
        self.epoch = 0

    def __len__(self) -> int:
        return self.n_pairs // self.size

    def __iter__(self) -> Iterator[list[int]]:
        draw = np.random.default_rng([self.seed, self.epoch])
        order = draw.permutation(self.n_pairs)
        for number in range(len(self)):
            if self.sampling == "independent":
                batch = draw.choice(self.n_pairs, self.size, replace=False)
            else:
                batch = order[number * self.size : (number + 1) * self.size]
            share = self.size // self.world
            yield batch[self.rank * share : (self.rank + 1) * share].tolist()


def as_matching_set(pairs: EncodedPairs, seed: int = 0) -> MatchingSet:
    """Make a matching task from encoded pairs.

    The proofs are shuffled: in the order of their statements, they would win every tie of a matching.
    """
    rows = [pairs[number] for number in range(len(pairs))]
    order = np.random.default_rng(seed).permutation(len(rows))
    return MatchingSet(
        Ragged.from_lists((row[STATEMENT] for row in rows), np.int32),
        Ragged.from_lists((rows[position][PROOF] for position in order), np.int32),
        np.argsort(order),
        getattr(pairs, "origin", None),
    )


def read_pairs(
    release: Release,
    split: str,
    reader: TextReader,
    *,
    by_article: bool = False,
    is_for_training: bool = False,
) -> TrainingPairs:
    """Read the pairs of a split for a matcher.

    Args:
        release: The release.
        split: `train`, `validation` or `test`.
        reader: From `matcher.reader`.
        by_article: Use the splits by article.
        is_for_training: Whether the matcher will be trained on these pairs.
    """
    table = config_name("pairs", by_article)
    suffix = "" if reader.reads_text_column else "_tokens"
    columns = [column_of(release, table, split, f"{side}{suffix}") for side in SIDES]
    if is_for_training:
        (statements, first), (proofs, second) = columns
        read = reader.read_training_pairs(statements, proofs, (first, second))
    else:
        read = [reader.read(*column) for column in columns]
    tokens = None if reader.reads_text_column else TypedPairs(columns[0][0], columns[1][0], reader)
    return TrainingPairs(read[0], read[1], Origin(release, split, by_article), tokens)


def training_data_of(*datasets: EncodedPairs | MatchingSet) -> TrainingData:
    """Describe what a matcher is trained and selected on."""
    origins = [getattr(dataset, "origin", None) for dataset in datasets]
    described = [
        TrainingData.of(origin.release, origin.split, by_article=origin.by_article)
        if origin
        else TrainingData((TrainedOn(release=UNKNOWN),))
        for origin in origins
    ]
    return reduce(add, described, TrainingData())


def read_task(task: Task, reader: TextReader) -> MatchingSet:
    """Read the statements and proofs of a task for a matcher, and which belong together."""
    origin = Origin(task.release, task.split, task.by_article)
    return MatchingSet(*read_texts(task, reader), task.required_gold, origin)


def read_texts(task: Task, reader: TextReader) -> tuple[Texts, Texts]:
    """Read the statements and proofs of a task for a matcher; the proofs are the candidates."""
    column = "text" if reader.reads_text_column else "tokens"
    statements, proofs = (
        column_of(task.release, config_name(f"{side}s", task.by_article), task.split, column)
        for side in SIDES
    )
    reader = reader.with_candidates(lambda: [proofs])
    return reader.read(*statements), reader.read(*proofs)


def column_of(release: Release, table: str, split: str, column: str) -> tuple[pa.Array, str]:
    """Read a column of a release, and name it uniquely."""
    texts = release.table(table, split, [column]).column(0).combine_chunks()
    return texts, f"{release.manifest_sha256} {table} {split} {column}"
