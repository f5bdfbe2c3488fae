"""A statement → the proofs of a release that fit it best."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ...evaluation.release import Release
from ..explaining.explanation import Explanation, explain, lexical_part
from ..prediction import TrainedMatcher
from ..vectors import concatenated, scores_of
from .proofs import CONFIG, proof_vectors
from .statement import encode_statement, statement_tokens

# Of each kind: the weaker ones, of which there can be a million, are lost in the noise.
_REASONS = 1_000


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
        explanation: Why it has its score, if that was asked for.
    """

    rank: int
    score: float
    proof_id: str
    article_id: str
    title: str | None
    kind: str
    text: str
    explanation: Explanation | None = None


def search(
    model: TrainedMatcher,
    release: Release,
    statement: str,
    splits: Sequence[str],
    top: int = 5,
    *,
    why: bool = False,
) -> list[Hit]:
    """Find the proofs with the greatest scores, best first; of equals, in the order of the release.

    Args:
        model: From `load_matcher`.
        release: The proofs.
        statement: Text with formulas in TeX.
        splits: Those whose proofs are searched.
        top: How many are wanted.
        why: Whether to explain each score.

    Raises:
        ProofmatchError: If there is nothing in the statement that the matcher reads, or nothing in the
            matcher to explain by.
    """
    if why:
        lexical_part(model)  # better now than after all proofs have been encoded
    wanted = model.matcher.vectors(encode_statement(model, statement), "statement")
    proofs = concatenated([proof_vectors(model, release, split) for split in splits])
    scores = scores_of(wanted, proofs).block(0, 1)[0]
    best = np.argsort(-scores, kind="stable")[:top]
    columns = ["proof_id", "article_id", "title", "kind", "proof", *(["proof_tokens"] if why else [])]
    found = pa.concat_tables([release.table(CONFIG, split, columns) for split in splits]).take(best)
    hits = []
    for rank, (number, row) in enumerate(zip(best.tolist(), found.to_pylist(), strict=True), start=1):
        explanation = None
        if why:
            tokens = statement_tokens(model, statement), row.pop("proof_tokens")
            explanation = explain(model, *tokens, _REASONS, (wanted, proofs[number : number + 1]))
        hits.append(Hit(rank, float(scores[number]), *row.values(), explanation=explanation))
    return hits
