"""The matching task of one split: its statements, its proofs, which belong together, and their tokens."""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute makes its functions at run time, where a type checker does not see them.)

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from proofmatch.errors import ProofmatchError, check_choice

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
    """Read the ids of a split and its gold pairs."""
    statements, proofs = (
        release.table(config_name(f"{side}s", by_article), split, [f"{side}_id"]).column(0).to_pylist()
        for side in ("statement", "proof")
    )
    columns = ["statement_id", "proof_id", "primary_category"]
    pairs = release.table(config_name("pairs", by_article), split, columns)
    ids, pair_proofs, pair_categories = (pairs[name].to_pylist() for name in columns)
    place = {proof: number for number, proof in enumerate(proofs)}
    proof_of = dict(zip(ids, pair_proofs, strict=True))
    category_of = dict(zip(ids, pair_categories, strict=True))
    try:
        gold = np.array([place[proof_of[statement]] for statement in statements], dtype=np.int64)
    except KeyError as error:
        raise ProofmatchError(
            f"{error.args[0]} is in one table of {release.id} and not in another; see `proofmatch check`"
        ) from None
    categories = [category_of[statement] for statement in statements]
    return Task(release, split, by_article, statements, proofs, gold, categories)


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
