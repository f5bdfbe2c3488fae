"""The matching task of one split: which statements, which proofs, and what belongs together."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from proofmatch.errors import ProofmatchError

from .release import Release

INPUTS = ("both", "text", "math")


@dataclass(frozen=True, slots=True)
class Task:
    """A split to be matched.

    Attributes:
        release: Where it comes from.
        split: Its name.
        by_article: Whether the split is the one by article.
        statement_ids: In the order of the statements' table.
        proof_ids: In the order of the proofs' table.
        gold: For each statement the place of its proof in `proof_ids`, (statements).
        categories: For each statement the primary category of its article, where it has one.
    """

    release: Release
    split: str
    by_article: bool
    statement_ids: list[str]
    proof_ids: list[str]
    gold: np.ndarray
    categories: list[str | None]

    @property
    def config(self) -> str:
        """The configuration that has the pairs."""
        return config_name("pairs", self.by_article)


def config_name(table: str, by_article: bool) -> str:
    """Name the configuration of a table: `pairs`, `statements` or `proofs`."""
    return f"{table}_by_article" if by_article else table


def load_task(release: Release, split: str, *, by_article: bool = False) -> Task:
    """Read the ids of a split and what belongs together.

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
        release: Where they are.
        side: `statement` or `proof`.
        split: The split.
        by_article: Whether the split is the one by article.
    """
    column = release.table(config_name(f"{side}s", by_article), split, ["tokens"]).column(0)
    return column.combine_chunks()
