"""A statement → the proofs of a release that fit it best."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ...evaluation.release import Release
from ..prediction import TrainedMatcher
from ..vectors import concatenated, scores_of
from .proofs import CONFIG, proof_vectors
from .statement import encode_statement


@dataclass(frozen=True, slots=True)
class Hit:
    """A proof that was found.

    Attributes:
        rank: 1 is best.
        score: How well it fits, as the matcher sees it.
        proof_id: Its id.
        article_id: The article it is from.
        title: Of the article.
        kind: What it proves: a theorem, a lemma, …
        text: The proof, to read.
    """

    rank: int
    score: float
    proof_id: str
    article_id: str
    title: str | None
    kind: str
    text: str


def search(
    model: TrainedMatcher, release: Release, statement: str, splits: Sequence[str], top: int = 5
) -> list[Hit]:
    """Find the proofs with the greatest scores, best first; of equals, in the order of the release.

    Args:
        model: From `load_matcher`.
        release: The proofs.
        statement: Text with formulas in TeX.
        splits: Those whose proofs are searched.
        top: How many are wanted.

    Raises:
        ProofmatchError: If there is nothing in the statement that the matcher reads.
    """
    wanted = model.matcher.vectors(encode_statement(model, statement), "statement")
    proofs = concatenated([proof_vectors(model, release, split) for split in splits])
    scores = scores_of(wanted, proofs).block(0, 1)[0]
    best = np.argsort(-scores, kind="stable")[:top]
    columns = ["proof_id", "article_id", "title", "kind", "proof"]
    found = pa.concat_tables([release.table(CONFIG, split, columns) for split in splits]).take(best)
    return [
        Hit(rank, float(score), *row.values())
        for rank, (score, row) in enumerate(zip(scores[best], found.to_pylist(), strict=True), start=1)
    ]
