"""Search: a statement → the proofs, or the statements, of a release with the highest scores."""

import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from hashlib import sha256
from typing import Any

import numpy as np
import pyarrow as pa
import torch

from proofmatch.errors import ProofmatchError, check_choice
from proofmatch.progress import Progress
from proofmatch.ragged import starts_of

from ...builder.release.release import Release, open_release
from ...builder.release.schema import ALL, SPLITS
from ..cache import Arrays, cached_arrays
from ..calibration import N_HITS
from ..joint import JointTexts
from ..lexical.lexical_matcher import DENSE, SPARSE
from ..pairs import column_of
from ..prediction import TrainedMatcher
from ..texts import Texts
from ..vectors import SparseVectors, TextVectors, Vectors
from ..views import TextsOfViews
from .explain import Explanation, explain, lexical_parts
from .index import N_ARRAYS, JoinedIndex, VectorIndex, are_whole, index_arrays
from .macros import read_macros
from .query import Query, not_understood_line, read_query
from .summary import MIN_CONTRIBUTION, Line, summarize

PROOFS, STATEMENTS = AMONG = ("proofs", "statements")
"""What can be searched: proofs, by the matcher's scores; statements, by their similarity."""

# The config that has statements and proofs side by side.
_CONFIG = "pairs"
_COLUMNS = ["proof_id", "article_id", "title", "kind", "statement", "proof", "proof_tokens"]
_TEXT = {PROOFS: "proof", STATEMENTS: "statement"}

# Reasons of each kind. There can be a million; the weaker ones contribute next to nothing.
_REASONS = 1_000
_MAX_OTHERS = 20

# Texts that are encoded and indexed together, so that memory does not depend on the size of the release.
_TEXTS_PER_PART = 16_384


@dataclass(frozen=True, slots=True)
class Occurrence:
    """Another place with the text of a hit.

    Attributes:
        proof_id: Id of the proof.
        article_id: Id of the article.
        title: Title of the article.
        kind: What is proved there: a theorem, a lemma, …
        statement: What is proved there.
        source: The document and the element in it, or its address; None if the release does not say.
    """

    proof_id: str
    article_id: str
    title: str | None
    kind: str
    statement: str
    source: str | None


@dataclass(frozen=True, slots=True)
class Hit:
    """A proof, or a statement with its proof, that was found.

    Attributes:
        rank: 1 is best.
        score: The matcher's score; among statements, the similarity, which is at most 1.
        confidence: The probability that this is the right proof, from 0 to 1; None if the matcher has no
            calibration.
        statement: What is proved.
        proof: The proof.
        kind: What it proves: a theorem, a lemma, …
        title: Title of the article.
        article_id: Id of the article.
        proof_id: Id of the proof.
        source: The document and the element in it, or its address; None if the release does not say.
        others: Where else the same text is.
        explanation: Why it has its score, if requested.
        tokens: The typed tokens of the proof.
    """

    rank: int
    score: float
    confidence: float | None
    statement: str
    proof: str
    kind: str
    title: str | None
    article_id: str
    proof_id: str
    source: str | None = None
    others: tuple[Occurrence, ...] = ()
    explanation: Explanation | None = field(default=None, repr=False)
    tokens: Sequence[str] = field(default=(), repr=False)

    @property
    def reasons(self) -> list[Line]:
        """The words and formulas that contribute most to the score; none without an explanation."""
        if self.explanation is None:
            return []
        summary = summarize(self.explanation, self.proof, self.statement)
        lines = [
            line for line in (*summary.shared, *summary.associated) if line.contribution >= MIN_CONTRIBUTION
        ]
        return sorted(lines, key=lambda line: -line.contribution)


def in_words(confidence: float) -> str:
    """Describe a confidence in one word."""
    return "likely" if confidence >= 0.7 else "uncertain" if confidence >= 0.3 else "unlikely"


def verdict(hits: Sequence[Hit]) -> str | None:
    """Say in a sentence whether the right proof is among the hits; None without calibration."""
    best = max((hit.confidence for hit in hits if hit.confidence is not None), default=None)
    if best is None:
        return None
    return {
        "likely": f"the best proof is likely right ({best:.0%})",
        "uncertain": f"it is uncertain whether the best proof is right ({best:.0%})",
        "unlikely": f"the proof is probably not in this corpus; the best hit is unlikely ({best:.0%})",
    }[in_words(best)]


class Searcher:
    """Searches for any number of statements; what is searched is encoded and read once.

    Args:
        model: From `load_matcher`.
        release: The release to search.
        splits: The splits to search; a sealed one is left out.

    Example:
        >>> searcher = Searcher(load_matcher("model"), open_release("release"), ["test"])  # doctest: +SKIP
        >>> searcher.search("Every field is a ring.", k=1)[0].proof  # doctest: +SKIP
    """

    def __init__(self, model: TrainedMatcher, release: Release, splits: Sequence[str]) -> None:
        self._given = model
        # A sealed proof belongs to no known statement; `table` refuses a sealed split that is alone.
        known = [split for split in splits if not release.is_sealed(split, by_article=False)]
        self.splits = tuple(known or splits)
        self._release = release
        self._indexes: dict[str, tuple[list[JoinedIndex], np.ndarray]] = {}
        columns = [*_COLUMNS, *(name for name in release.provenance if name == "source")]
        tables = [release.table(_CONFIG, split, columns) for split in self.splits]
        self._starts = starts_of(np.array([table.num_rows for table in tables])).tolist()
        self._table = pa.concat_tables(tables).combine_chunks()
        del tables
        pa.default_memory_pool().release_unused()
        self._fingerprint = fingerprint(model)

    def __len__(self) -> int:
        return self._table.num_rows

    @cached_property
    def model(self) -> TrainedMatcher:
        """The model, with the proofs of all splits as candidates."""

        def proofs() -> Iterator[tuple[pa.Array, None]]:
            for split in self.splits:
                column, _ = column_of(self._release, _CONFIG, split, "proof_tokens")
                for first in range(0, len(column), _TEXTS_PER_PART):
                    yield column.slice(first, _TEXTS_PER_PART), None

        return self._given.for_candidates(proofs, f"{self._release.manifest_sha256} {' '.join(self.splits)}")

    def search(
        self,
        statement: str | Query,
        k: int = 10,
        *,
        among: str = PROOFS,
        why: bool = False,
        split: str | None = None,
    ) -> list[Hit]:
        """Return the hits with the highest scores, best first; ties are in the order of the release.

        Args:
            statement: Text with formulas in TeX, or the result of `read_query`.
            k: Number of hits. Equal texts are one hit.
            among: `proofs`, by the matcher's scores, or `statements`, by the features they have in common.
            why: Whether to explain the scores of proofs.
            split: Search this split only.

        Raises:
            ProofmatchError: If the matcher can read nothing in the statement, or has no features to explain
                or compare by.
        """
        check_choice("among", among, AMONG)
        if k < 1:
            raise ProofmatchError(f"k, the number of hits, must be at least 1, not {k}")
        query = read_query(self._given, statement) if isinstance(statement, str) else statement
        start, end = self.rows(split)
        indexes, groups = self.index(among)
        if among == PROOFS:
            vector = self.model.matcher.vectors(self.model.reader.read(query.column), "statement")
        else:
            tokens = pa.array([query.tokens], pa.list_(pa.string()))
            vector = similarity_vectors(self.model, self.model.reader.read(tokens))
        searched = [index for at, index in enumerate(indexes) if start <= self._starts[at] < end]
        scores = np.concatenate([index.scores(vector) for index in searched])
        groups = groups[start:end]
        best = best_of_groups(scores, groups, max(k, N_HITS))
        confidences = self._confidences(scores[best]) if among == PROOFS else [None] * len(best)
        best = best[:k]
        hits = []
        for rank, (number, row) in enumerate(
            zip(best.tolist(), self._rows(start + best), strict=True), start=1
        ):
            tokens = row.pop("proof_tokens")
            explanation = None
            if why and among == PROOFS:
                vectors = vector, self._vector(indexes, start + number)
                explanation = explain(self.model, query.tokens, tokens, _REASONS, vectors)
            same = np.flatnonzero(groups == groups[number])
            hits.append(
                Hit(
                    rank=rank,
                    score=float(scores[number]),
                    confidence=confidences[rank - 1],
                    others=self._occurrences(start + same[same != number][:_MAX_OTHERS]),
                    explanation=explanation,
                    tokens=tokens,
                    **row,
                )
            )
        return hits

    def index(self, among: str) -> tuple[list[JoinedIndex], np.ndarray]:
        """Return an index of the proofs or statements of each split, and the same number for equal texts.

        Raises:
            ProofmatchError: If the matcher cannot compare statements.
        """
        if among not in self._indexes:
            encode = proof_vectors if among == PROOFS else similarity_vectors
            if among == STATEMENTS:
                lexical_parts(self.model)
            indexes = [self._make_index(among, split, encode) for split in self.splits]
            groups = self._table.column(_TEXT[among]).combine_chunks().dictionary_encode().indices
            self._indexes[among] = indexes, groups.to_numpy()
        return self._indexes[among]

    def _vector(self, indexes: list[JoinedIndex], row: int) -> Vectors:
        at = int(np.searchsorted(self._starts, row, side="right")) - 1
        return indexes[at].vector(row - self._starts[at])

    def rows(self, split: str | None = None) -> tuple[int, int]:
        """Return where the pairs of a split begin and end."""
        if split is None:
            return 0, len(self)
        at = self.splits.index(split)
        return self._starts[at], self._starts[at + 1]

    def _make_index(
        self, among: str, split: str, encode: Callable[[TrainedMatcher, Texts, Progress | None], Vectors]
    ) -> JoinedIndex:
        """Encode the texts of a split, some thousand at a time, or map their vectors from the cache."""
        suffix = "" if self.model.reader.reads_text_column else "_tokens"
        start, end = self.rows(split)
        n_views = len(self.model.matcher.views) if among == PROOFS else 1
        key = f"index {self._fingerprint} {self._release.manifest_sha256} {split}"
        key += "" if among == PROOFS else f" {among}"
        if can_explain(self.model) and any(
            part.config.candidate_weight for part in lexical_parts(self.model)
        ):
            key += f" of {' '.join(self.splits)}"  # all of which are candidates

        @cache
        def column() -> pa.Array:
            return column_of(self._release, _CONFIG, split, _TEXT[among] + suffix)[0]

        def part(first: int) -> VectorIndex:
            size = min(_TEXTS_PER_PART, end - start - first)

            def make() -> Arrays:
                texts = self.model.reader.read(column().slice(first, size))
                with Progress(f"encoding {among} of {split}", "batches") as progress:
                    progress.summary = f"{first + size:,} {among}"
                    return index_arrays(encode(self.model, texts, progress))

            name = sha256(f"{key} {first} {size}".encode()).hexdigest()
            arrays = cached_arrays(name, N_ARRAYS * n_views, make, lambda arrays: are_whole(arrays, size))
            return VectorIndex(arrays)

        return JoinedIndex([part(first) for first in range(0, end - start, _TEXTS_PER_PART)])

    def _rows(self, numbers: np.ndarray) -> list[dict[str, Any]]:
        return self._table.take(pa.array(numbers)).to_pylist()

    def _occurrences(self, numbers: np.ndarray) -> tuple[Occurrence, ...]:
        return tuple(
            Occurrence(
                row["proof_id"],
                row["article_id"],
                row["title"],
                row["kind"],
                row["statement"],
                row.get("source"),
            )
            for row in self._rows(numbers)
        )

    def _confidences(self, scores: np.ndarray) -> list[float | None]:
        found = self.model.matcher.confidences(scores)
        return [None] * len(scores) if found is None else [float(confidence) for confidence in found]


def best_of_groups(scores: np.ndarray, groups: np.ndarray, k: int) -> np.ndarray:
    """Find the texts with the highest scores, the first of equal texts only; ties are in their order."""
    n = len(scores)
    wanted = min(4 * k, n)  # sorting all of them would take longer than scoring them
    while True:
        # The scores above the lowest wanted one, and all ties with it.
        least = np.partition(scores, n - wanted)[n - wanted] if wanted else 0.0
        some = np.flatnonzero(scores >= least)
        order = some[np.argsort(-scores[some], kind="stable")]
        _, firsts = np.unique(groups[order], return_index=True)
        if len(firsts) >= k or len(order) == n:
            return order[np.sort(firsts)[:k]]
        wanted = min(4 * wanted, n)


def search(
    model: TrainedMatcher,
    statement: str,
    release: Release | str | os.PathLike[str],
    k: int = 10,
    *,
    among: str = PROOFS,
    split: str = ALL,
    macros: str = "",
    why: bool | None = None,
) -> list[Hit]:
    """Search for one statement, as `TrainedMatcher.search` describes it."""
    if why or among == STATEMENTS:
        lexical_parts(model)  # fails before everything is encoded
    query = read_query(model, statement, read_macros(macros)[0])
    if query.not_understood:
        warnings.warn(not_understood_line(query.not_understood), stacklevel=3)
    opened = release if isinstance(release, Release) else open_release(str(release))
    searcher = Searcher(model, opened, SPLITS if split == ALL else (split,))
    return searcher.search(query, k, among=among, why=can_explain(model) if why is None else why)


def can_explain(model: TrainedMatcher) -> bool:
    """Whether a model has features, to explain scores and to compare statements by."""
    try:
        lexical_parts(model)
    except ProofmatchError:
        return False
    return True


def proof_vectors(model: TrainedMatcher, proofs: Texts, progress: Progress | None = None) -> Vectors:
    """Encode proofs as vectors whose products with the vectors of statements are the scores."""
    return model.matcher.vectors(proofs, "proof", progress)


def similarity_vectors(
    model: TrainedMatcher, statements: Texts, progress: Progress | None = None
) -> TextVectors:
    """Encode statements by their features, as vectors whose products are similarities.

    If there are several views, the first one is used, which sees the names of variables.

    A similarity is the mean of the two cosines that a lexical score consists of, weighted by their learned
    scales: 1 for equal statements, and about 0 for unrelated ones.

    Raises:
        ProofmatchError: If the matcher has no features.
    """
    lexical = lexical_parts(model)[0]
    features = statements.features if isinstance(statements, JointTexts) else statements
    features = features.views[0] if isinstance(features, TextsOfViews) else features
    vectors = lexical.plain_vectors(features, "statement", progress)
    scales = lexical.scales.detach().exp().double().cpu().numpy()
    parts = {DENSE: lexical.config.rank > 0, SPARSE: lexical.config.has_sparse_part}
    total = sum(scales[part] for part, is_there in parts.items() if is_there)
    # The vectors have the lengths of the scales.
    dense, sparse = (np.float32(1 / np.sqrt(scales[part] * total)) for part in (DENSE, SPARSE))
    if vectors.sparse is None:
        return TextVectors(vectors.dense * dense)
    scaled = SparseVectors(vectors.sparse.starts, vectors.sparse.features, vectors.sparse.values * sparse)
    return TextVectors(vectors.dense * dense, scaled)


def fingerprint(model: TrainedMatcher) -> str:
    """Hash everything that determines the vectors of a model, wherever it was loaded from."""
    digest = sha256(model.matcher.config.to_json_string().encode())
    digest.update(model.tokenizer.backend_tokenizer.to_str().encode())
    for name, weights in sorted(model.matcher.state_dict().items()):
        digest.update(name.encode())
        digest.update(weights.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()
