"""The matching task of one split: its statements, its proofs, which belong together, and their tokens."""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute makes its functions at run time, where a type checker does not see them.)

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from proofmatch.errors import ProofmatchError

from ..builder.release.release import Release
from ..builder.release.schema import config_name

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
    gold: np.ndarray  # for each statement the position of its proof in `proof_ids`, (statements)
    categories: list[str | None]  # for each statement the primary category of its article, if it has one

    @property
    def config(self) -> str:
        """The config of the pairs."""
        return config_name("pairs", self.by_article)


def load_task(release: Release, split: str, *, by_article: bool = False) -> Task:
    """Read the ids of a split and its gold pairs.

    Raises:
        ProofmatchError: If the release has no such split, or its tables do not fit together.
    """
    statements, proofs = (
        release.table(config_name(f"{side}s", by_article), split, [f"{side}_id"]).column(0).to_pylist()
        for side in ("statement", "proof")
    )
    pairs = release.table(
        config_name("pairs", by_article), split, ["statement_id", "proof_id", "primary_category"]
    )
    place = {proof: number for number, proof in enumerate(proofs)}
    gold = dict(zip(pairs["statement_id"].to_pylist(), pairs["proof_id"].to_pylist(), strict=True))
    categories = dict(
        zip(pairs["statement_id"].to_pylist(), pairs["primary_category"].to_pylist(), strict=True)
    )
    try:
        return Task(
            release,
            split,
            by_article,
            statements,
            proofs,
            np.array([place[gold[statement]] for statement in statements], dtype=np.int64),
            [categories[statement] for statement in statements],
        )
    except KeyError as error:
        raise ProofmatchError(
            f"{error.args[0]} is in one table of {release.id} and not in another; see `proofmatch check`"
        ) from None


def load_tokens(release: Release, side: str, split: str, *, by_article: bool = False) -> pa.ListArray:
    """Read the tokens of all statements or proofs of a split, in the order of their table.

    Args:
        release: The release.
        side: `statement` or `proof`.
        split: The split.
        by_article: Whether to use the split by article.
    """
    column = release.table(config_name(f"{side}s", by_article), split, ["tokens"]).column(0)
    return column.combine_chunks()


def select_input(tokens: pa.ListArray, input: str) -> pa.ListArray:
    """Keep the tokens that a system may use.

    Args:
        tokens: A list of typed tokens for each text.
        input: `both`, `text` or `math`.
    """
    if input == "both":
        return tokens
    if input not in INPUTS:
        raise ProofmatchError(f"input must be one of {', '.join(INPUTS)}, not {input!r}")
    values = tokens.flatten()
    kept = pc.starts_with(values, _FIRST_LETTER[input])
    lengths = np.bincount(row_of_token(tokens)[kept.to_numpy(zero_copy_only=False)], minlength=len(tokens))
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values.filter(kept))


def row_of_token(texts: pa.ListArray) -> np.ndarray:
    """Tell for every token of the flattened texts which text it belongs to."""
    return np.repeat(np.arange(len(texts)), np.asarray(pc.list_value_length(texts)))
