"""The matching task of one split: its statements and proofs, the gold pairs, and the tokens."""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute generates its functions at run time, where type checkers do not see them.)

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from proofmatch.errors import ProofmatchError, check_choice, quoted

from ..builder.release.gold import GoldPair, read_gold
from ..builder.release.release import Release
from ..builder.release.schema import ALL, SPLITS, config_name

INPUTS = ("both", "text", "math")
_FIRST_LETTER = {"text": "t", "math": "m"}


@dataclass(frozen=True, slots=True)
class Task:
    """A split to be matched."""

    release: Release
    split: str
    by_article: bool
    statement_ids: list[str]  # in the order of the statements' table
    proof_ids: list[str]  # in the order of the proofs' table
    gold: np.ndarray | None  # for each statement the position of its proof in `proof_ids`, None if sealed
    categories: list[str | None]  # for each statement the primary category of its article, if it has one

    @property
    def config(self) -> str:
        """The config of the pairs."""
        return config_name("pairs", self.by_article)

    @property
    def required_gold(self) -> np.ndarray:
        """The gold of every statement.

        Raises:
            ProofmatchError: If it is sealed and was not given.
        """
        if self.gold is None:
            raise ProofmatchError(
                f"{self.release.id} is sealed and has no answers for {self.split}; "
                "give its gold file with --gold, which only the maintainer has"
            )
        return self.gold


def load_task(
    release: Release, split: str, *, by_article: bool = False, gold: str | Path | None = None
) -> Task:
    """Read the ids of a split and its gold pairs.

    Args:
        release: The release.
        split: `train`, `validation`, `test`, or `all`: every pair of the release as one candidate set.
        by_article: Whether to use the split by article.
        gold: The file of `proofmatch seal` with the answers of a sealed split. Without it the task has no
            gold, which is enough for making predictions.

    Raises:
        ProofmatchError: If the release has no such split, or the file does not belong to it.
    """
    statements, proofs = (
        release.table(config_name(f"{side}s", by_article), split, [f"{side}_id"]).column(0).to_pylist()
        for side in ("statement", "proof")
    )
    answers = _read_answers(release, split, by_article, statements, proofs, gold)
    if answers is None:
        return Task(release, split, by_article, statements, proofs, None, [None] * len(statements))
    place = {proof: number for number, proof in enumerate(proofs)}
    try:
        found = [answers[statement] for statement in statements]
        positions = np.array([place[pair.proof_id] for pair in found], dtype=np.int64)
    except KeyError as error:
        raise ProofmatchError(
            f"{error.args[0]} is in one table of {release.id} and not in another; see `proofmatch check`"
        ) from None
    categories = [pair.primary_category for pair in found]
    return Task(release, split, by_article, statements, proofs, positions, categories)


def _read_answers(
    release: Release,
    split: str,
    by_article: bool,
    statements: list[str],
    proofs: list[str],
    gold: str | Path | None,
) -> dict[str, GoldPair] | None:
    """Read the pair of each statement from the release and the gold file; None if they are sealed."""
    is_sealed = release.is_sealed(split, by_article)
    if is_sealed and gold is None:
        return None
    if gold is not None and not is_sealed:
        family = " by article" if by_article else ""
        raise ProofmatchError(f"{split}{family} of {release.id} is not sealed; leave out {gold}")
    answers: dict[str, GoldPair] = {}
    if not is_sealed or split == ALL:
        pairs = release.table(config_name("pairs", by_article), split, list(GoldPair._fields))
        columns = [column.to_pylist() for column in pairs.columns]
        answers = {row[0]: GoldPair(*row) for row in zip(*columns, strict=True)}
    if gold is not None:
        sealed = read_gold(Path(gold))
        expected = set(statements) - answers.keys()
        unknown = (sealed.keys() - expected) | ({pair.proof_id for pair in sealed.values()} - set(proofs))
        missing = expected - sealed.keys()
        if unknown or missing:
            wrong = f"names {quoted(min(unknown))}" if unknown else f"lacks {min(missing)}"
            where = f"{'not ' if unknown else ''}in the sealed split of {release.id}"
            raise ProofmatchError(f"{gold} {wrong}, which is {where}; give the gold file of this release")
        answers |= sealed
    return answers


def find_split(release: Release, statement_ids: Collection[str]) -> tuple[str, bool] | None:
    """Find the split that has all of the given statements, and whether it is a split by article."""
    for by_article in (False, True):
        for split in SPLITS:
            try:
                ids = release.table(config_name("statements", by_article), split, ["statement_id"])
            except ProofmatchError:
                continue  # a release need not have all
            if set(statement_ids) <= set(ids.column(0).to_pylist()):
                return split, by_article
    return None


def load_tokens(release: Release, side: str, split: str, *, by_article: bool = False) -> pa.ListArray:
    """Read the tokens of each statement or proof (`side`) of a split, in the order of their table."""
    column = release.table(config_name(f"{side}s", by_article), split, ["tokens"]).column(0)
    return column.combine_chunks()


def select_input(tokens: pa.ListArray, input: str) -> pa.ListArray:
    """Keep the tokens that a system may use: `both`, `text` or `math`."""
    if input == "both":
        return tokens
    check_choice("input", input, INPUTS)
    values = tokens.flatten()
    kept = pc.starts_with(values, _FIRST_LETTER[input])
    lengths = np.bincount(row_of_token(tokens)[kept.to_numpy(zero_copy_only=False)], minlength=len(tokens))
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values.filter(kept))


def row_of_token(texts: pa.ListArray) -> np.ndarray:
    """Tell for every token of the flattened texts which text it belongs to."""
    return np.repeat(np.arange(len(texts)), np.asarray(pc.list_value_length(texts)))
