"""Search: a statement → the proofs of a release with the highest scores."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
import pyarrow as pa
import torch

from proofmatch.progress import Progress
from proofmatch.ragged import starts_of

from ...builder.release.release import Release
from ..cache import Arrays, cached_arrays
from ..pairs import read_pairs
from ..prediction import TrainedMatcher
from ..vectors import SparseVectors, TextVectors, concatenated
from .explain import Explanation, explain, lexical_parts
from .query import Query, read_query

# The config that names the article of each proof; the table of proofs alone does not.
_CONFIG = "pairs"
_COLUMNS = ["proof_id", "article_id", "title", "kind", "proof", "proof_tokens"]

# Reasons of each kind. There can be a million; the weaker ones contribute next to nothing.
_REASONS = 1_000


@dataclass(frozen=True, slots=True)
class Hit:
    """A proof that was found.

    Attributes:
        rank: 1 is best.
        score: The matcher's score.
        proof_id: Id of the proof.
        article_id: Id of its article.
        title: Title of the article.
        kind: What it proves: a theorem, a lemma, …
        text: The proof, to read.
        explanation: Why it has its score, if requested.
        tokens: The typed tokens of the proof.
        source: The document and the element in it, or its address; None if the release does not say.
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
    source: str | None = None


class Searcher:
    """Finds proofs for any number of statements; the proofs are encoded and read once.

    Args:
        model: From `load_matcher`.
        release: The release with the proofs.
        splits: The splits to search; a sealed one is left out.

    Example:
        >>> searcher = Searcher(load_matcher("model"), open_release("release"), ["test"])  # doctest: +SKIP
        >>> searcher.search("Every field is a ring.", top=1)[0].text  # doctest: +SKIP
    """

    def __init__(self, model: TrainedMatcher, release: Release, splits: Sequence[str]) -> None:
        self.model = model
        # A sealed proof belongs to no known statement; `table` refuses a sealed split that is alone.
        known = [split for split in splits if not release.is_sealed(split, by_article=False)]
        self.splits = tuple(known or splits)
        vectors = concatenated([proof_vectors(model, release, split) for split in self.splits])
        self._index = ProofIndex(vectors)
        columns = [*_COLUMNS, *(name for name in release.provenance if name == "source")]
        tables = [release.table(_CONFIG, split, columns) for split in self.splits]
        self._table = pa.concat_tables(tables)
        self._starts = starts_of(np.array([table.num_rows for table in tables])).tolist()

    def __len__(self) -> int:
        return len(self._index)

    def search(
        self, statement: str | Query, top: int = 5, *, why: bool = False, split: str | None = None
    ) -> list[Hit]:
        """Return the proofs with the highest scores, best first; ties are in the order of the release.

        Args:
            statement: Text with formulas in TeX, or the result of `read_query`.
            top: Number of proofs.
            why: Whether to explain each score.
            split: Search this split only.

        Raises:
            ProofmatchError: If nothing in the statement is input of the matcher, or the matcher has no
                features to explain by.
        """
        query = read_query(self.model, statement) if isinstance(statement, str) else statement
        start, end = self.rows(split)
        scores = self._index.scores(query.vector)[start:end]
        best = start + np.argsort(-scores, kind="stable")[:top]
        hits = []
        for rank, (number, row) in enumerate(
            zip(best.tolist(), self._table.take(best).to_pylist(), strict=True), start=1
        ):
            tokens = row.pop("proof_tokens")
            explanation = None
            if why:
                vectors = query.vector, self._index.vector(number)
                explanation = explain(self.model, query.tokens, tokens, _REASONS, vectors)
            hits.append(
                Hit(
                    rank=rank,
                    score=float(scores[number - start]),
                    text=row.pop("proof"),
                    explanation=explanation,
                    tokens=tokens,
                    **row,
                )
            )
        return hits

    def rows(self, split: str | None = None) -> tuple[int, int]:
        """Return where the proofs of a split begin and end."""
        if split is None:
            return 0, len(self)
        at = self.splits.index(split)
        return self._starts[at], self._starts[at + 1]


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
        ProofmatchError: If nothing in the statement is input of the matcher, or the matcher has no features
            to explain by.
    """
    if why:
        lexical_parts(model)  # fails before all proofs are encoded
    query = read_query(model, statement)
    return Searcher(model, release, splits).search(query, top, why=why)


class ProofIndex:
    """The vectors of all proofs, with an inverted index of their sparse components.

    Args:
        vectors: Vectors of the proofs.
    """

    def __init__(self, vectors: TextVectors) -> None:
        self._vectors = vectors
        self._entries = _by_feature(vectors.sparse) if vectors.sparse is not None else None

    def __len__(self) -> int:
        return len(self._vectors)

    def vector(self, number: int) -> TextVectors:
        """Return the vector of one proof."""
        return self._vectors[number : number + 1]

    def scores(self, statement: TextVectors) -> np.ndarray:
        """Score all proofs for the vector of one statement, (proofs)."""
        scores = self._vectors.dense @ statement.dense[0]
        if self._entries is None or statement.sparse is None:
            return scores
        features, starts, proofs, values = self._entries
        wanted, weights = statement.sparse.features, statement.sparse.values
        places = np.searchsorted(features, wanted)
        for place, feature, weight in zip(places.tolist(), wanted.tolist(), weights, strict=True):
            if place < len(features) and features[place] == feature:
                having = slice(starts[place], starts[place + 1])
                scores[proofs[having]] += weight * values[having]  # a proof has a feature at most once
        return scores


def _by_feature(vectors: SparseVectors) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the features, where the entries of each begin, and of each entry its proof and value."""
    order = np.argsort(vectors.features, kind="stable")
    proofs = np.repeat(np.arange(len(vectors)), np.diff(vectors.starts))[order]
    features, firsts = np.unique(vectors.features[order], return_index=True)
    return features, np.append(firsts, len(order)), proofs, vectors.values[order]


def proof_vectors(model: TrainedMatcher, release: Release, split: str) -> TextVectors:
    """Encode the proofs of a split in the order of its pairs, or read them from the cache."""
    n_proofs = release.table(_CONFIG, split, ["proof_id"]).num_rows

    def encode() -> Arrays:
        proofs = read_pairs(release, split, model.reader).proofs
        with Progress(f"encoding proofs of {split}", "batches") as progress:
            progress.summary = f"{len(proofs):,} proofs"
            return _arrays(model.matcher.vectors(proofs, "proof", progress))

    def is_whole(arrays: Arrays) -> bool:
        dense, starts, features, values = arrays
        return bool(
            dense.dtype == values.dtype == np.float32
            and starts.dtype == features.dtype == np.int64
            and dense.ndim == 2
            and (len(dense), starts.shape) == (n_proofs, (n_proofs + 1,))
            and features.shape == values.shape == (starts[-1],)
            and starts[0] == 0
            and (np.diff(starts) >= 0).all()
            and np.isfinite(dense).all()
            and np.isfinite(values).all()
        )

    key = f"{fingerprint(model)} {release.manifest_sha256} {split}"
    dense, *sparse = cached_arrays(sha256(key.encode()).hexdigest(), 4, encode, is_whole)
    return TextVectors(dense, SparseVectors(*sparse))


def _arrays(vectors: TextVectors) -> Arrays:
    sparse = vectors.sparse or SparseVectors(
        np.zeros(len(vectors) + 1, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
    )
    return vectors.dense.astype(np.float32, copy=False), sparse.starts, sparse.features, sparse.values


def fingerprint(model: TrainedMatcher) -> str:
    """Hash everything that determines the vectors of a model, wherever it was loaded from."""
    digest = sha256(model.matcher.config.to_json_string().encode())
    digest.update(model.tokenizer.backend_tokenizer.to_str().encode())
    for name, weights in sorted(model.matcher.state_dict().items()):
        digest.update(name.encode())
        digest.update(weights.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()
