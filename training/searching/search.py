"""A statement → the proofs of a release that fit it best."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ...builder.release.release import Release
from ..explaining.explanation import Explanation, explain, lexical_part
from ..prediction import TrainedMatcher
from ..vectors import TextVectors
from .index import ProofIndex
from .proofs import CONFIG
from .statement import encode_statement, statement_tokens

# Of each kind: the weaker ones, of which there can be a million, are lost in the noise.
_REASONS = 1_000
_COLUMNS = ["proof_id", "article_id", "title", "kind", "proof"]
_TOKENS = "proof_tokens"


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
        tokens: The typed tokens of the proof.
    """

    rank: int
    score: float
    proof_id: str
    article_id: str
    title: str | None
    kind: str
    text: str
    explanation: Explanation | None = None
    tokens: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Query:
    """A statement as a matcher sees it.

    Attributes:
        tokens: Typed, in the spelling of the matcher's corpus.
        vector: Its vector.
    """

    tokens: list[str]
    vector: TextVectors


class Searcher:
    """Finds proofs for one statement after the other; the proofs are encoded and read once.

    Args:
        model: From `load_matcher`.
        release: The proofs.
        splits: Those whose proofs are searched.

    Example:
        >>> searcher = Searcher(load_matcher("model"), open_release("release"), ["test"])  # doctest: +SKIP
        >>> searcher.search("Every field is a ring.", top=1)[0].text  # doctest: +SKIP
    """

    def __init__(self, model: TrainedMatcher, release: Release, splits: Sequence[str]) -> None:
        self.model = model
        self.splits = tuple(splits)
        self._index = ProofIndex.of(model, release, splits)
        tables = [release.table(CONFIG, split, [*_COLUMNS, _TOKENS]) for split in splits]
        self._table = pa.concat_tables(tables)
        self._ends = np.cumsum([table.num_rows for table in tables]).tolist()

    def __len__(self) -> int:
        return len(self._index)

    def search(
        self, statement: str | Query, top: int = 5, *, why: bool = False, split: str | None = None
    ) -> list[Hit]:
        """Find the proofs with the greatest scores, best first; of equals, in the order of the release.

        Args:
            statement: Text with formulas in TeX, or what `read_query` has made of it.
            top: How many are wanted.
            why: Whether to explain each score.
            split: That whose proofs are searched, if not all of them.

        Raises:
            ProofmatchError: If there is nothing in the statement that the matcher reads, or nothing in the
                matcher to explain by.
        """
        query = read_query(self.model, statement) if isinstance(statement, str) else statement
        start, end = self.rows(split)
        scores = self._index.scores(query.vector)[start:end]
        best = start + np.argsort(-scores, kind="stable")[:top]
        hits = []
        for rank, (number, row) in enumerate(
            zip(best.tolist(), self._table.take(best).to_pylist(), strict=True), start=1
        ):
            tokens = row.pop(_TOKENS)
            explanation = None
            if why:
                vectors = query.vector, self._index.vector(number)
                explanation = explain(self.model, query.tokens, tokens, _REASONS, vectors)
            hits.append(
                Hit(
                    rank, float(scores[number - start]), *row.values(), explanation=explanation, tokens=tokens
                )
            )
        return hits

    def rows(self, split: str | None = None) -> tuple[int, int]:
        """Tell where the proofs of a split begin and end."""
        if split is None:
            return 0, len(self)
        at = self.splits.index(split)
        return self._ends[at - 1] if at else 0, self._ends[at]


def read_query(model: TrainedMatcher, statement: str) -> Query:
    """Read a statement, text with formulas in TeX.

    Raises:
        ProofmatchError: If there is nothing in it that the matcher reads.
    """
    encoded = encode_statement(model, statement)
    return Query(statement_tokens(model, statement), model.matcher.vectors(encoded, "statement"))


def search(
    model: TrainedMatcher,
    release: Release,
    statement: str,
    splits: Sequence[str],
    top: int = 5,
    *,
    why: bool = False,
) -> list[Hit]:
    """Find the proofs for one statement, as a `Searcher` does for many.

    Raises:
        ProofmatchError: If there is nothing in the statement that the matcher reads, or nothing in the
            matcher to explain by.
    """
    if why:
        lexical_part(model)  # better now than after all proofs have been encoded
    query = read_query(model, statement)
    return Searcher(model, release, splits).search(query, top, why=why)
