"""Baselines, which need no training beyond counting tokens: TF-IDF, Dice similarity and BM25."""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute generates its functions at run time, where type checkers do not see them.)

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from proofmatch.errors import ProofmatchError
from proofmatch.ragged import Ragged

from ..builder.release.release import Release
from .decoding.scores import ScoreSource, SparseProductScores
from .evaluator import rank_predictions
from .metrics import measure
from .task import Task, load_task, load_tokens, row_of_token, select_input

if TYPE_CHECKING:
    from scipy.sparse import csr_array

BASELINES = ("tfidf", "dice", "bm25")

NGRAM_SIZES = (1, 2, 3)  # the largest sizes of n-grams that `choose_ngrams` tries
# The number of statements it ranks. The sampling error is about a point of MRR, as in a test split.
_STATEMENTS_TO_CHOOSE_BY = 2048
# As in bm25s and Lucene.
BM25_SETTINGS = {"method": "lucene", "k1": 1.5, "b": 0.75}


def baseline_scores(name: str, task: Task, input: str = "both", *, ngrams: int | None = None) -> ScoreSource:
    """Score all pairs of a split by a baseline.

    Args:
        name: One of `BASELINES`.
        task: The split.
        input: The tokens to use: `both`, `text` or `math`.
        ngrams: The longest n-grams of `bm25`, by default as `choose_ngrams` finds them.
    """

    def tokens(side: str, split: str) -> pa.ListArray:
        return load_tokens(task.release, side, split, by_article=task.by_article)

    statements, proofs = (tokens(side, task.split) for side in ("statement", "proof"))
    if name == "bm25":
        if ngrams is None:
            ngrams = choose_ngrams(task.release, input, by_article=task.by_article).ngrams
        return bm25_scores(statements, proofs, ngrams, input)
    statements, proofs = (select_input(side, input) for side in (statements, proofs))
    if name == "dice":
        return dice_scores(statements, proofs)
    training = [select_input(tokens(side, "train"), input) for side in ("statement", "proof")]
    return tfidf_scores(training, statements, proofs)


def tfidf_scores(
    training: Sequence[pa.ListArray], statements: pa.ListArray, proofs: pa.ListArray
) -> SparseProductScores:
    """Compute the cosine similarity of TF-IDF vectors, as scikit-learn does with its defaults.

    Vocabulary and weights come from the training split alone, not from the texts to be matched.
    """
    from scipy.sparse import csr_array, vstack
    from sklearn.feature_extraction.text import TfidfTransformer

    vocabulary = distinct_tokens(*training)
    weights = TfidfTransformer().fit(vstack([count_tokens(texts, vocabulary) for texts in training]))
    return SparseProductScores(
        *(csr_array(weights.transform(count_tokens(texts, vocabulary))) for texts in (statements, proofs))
    )


@dataclass(frozen=True)
class DiceScores:
    """Dice's coefficient of every statement with every proof, as multisets: 2·|A ∩ B| / (|A| + |B|)."""

    common: SparseProductScores  # the sizes of their intersections
    left_sizes: np.ndarray  # the size of each statement, (statements)
    right_sizes: np.ndarray  # the size of each proof, (proofs)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of statements and number of proofs."""
        return self.common.shape

    def block(self, start: int, stop: int) -> np.ndarray:
        """Scores of the statements `start` to `stop` with every proof."""
        sizes = self.left_sizes[start:stop, None] + self.right_sizes[None, :]
        # Two empty texts have nothing in common.
        return 2 * self.common.block(start, stop) / np.maximum(sizes, 1)


def dice_scores(statements: pa.ListArray, proofs: pa.ListArray) -> DiceScores:
    """Compute Dice's coefficient of the tokens of every statement and the tokens of every proof."""
    vocabulary = distinct_tokens(statements, proofs)
    left, right = count_tokens(statements, vocabulary), count_tokens(proofs, vocabulary)
    highest = int(max(left.data.max(initial=0), right.data.max(initial=0)))
    sizes = [np.asarray(side.sum(axis=1), dtype=np.float32).ravel() for side in (left, right)]
    return DiceScores(SparseProductScores(_as_sets(left, highest), _as_sets(right, highest)), *sizes)


def _as_sets(counts: "csr_array", highest: int) -> "csr_array":
    """Turn multisets into sets whose elements are "the first x", "the second x" and so on.

    The intersection of multisets then is a matrix product: min(a, b) counts the k ≤ a with k ≤ b.
    """
    from scipy.sparse import csr_array

    repeats = counts.data.astype(np.int64)
    starts = np.cumsum(repeats) - repeats
    occurrence = np.arange(repeats.sum()) - np.repeat(starts, repeats)
    columns = np.repeat(counts.indices.astype(np.int64) * highest, repeats) + occurrence
    pointers = np.concatenate([[0], np.cumsum(repeats)])[counts.indptr]
    ones = np.ones(len(columns), dtype=np.float32)
    texts, tokens = counts.shape  # pyright: ignore[reportGeneralTypeIssues] - a matrix has a shape
    return csr_array((ones, columns, pointers), shape=(texts, tokens * highest))


@dataclass(frozen=True, slots=True)
class NgramChoice:
    """Which n-grams BM25 uses, and how well each choice does on the validation split."""

    ngrams: int  # the largest size
    validation_mrr: dict[int, float]  # by the largest size


def choose_ngrams(release: Release, input: str = "both", *, by_article: bool = False) -> NgramChoice:
    """Choose the longest n-grams of BM25 by the MRR on the validation split of a release.

    At most 2,048 statements are ranked, among all proofs of the split, whose order is random. Ties go to the
    shortest n-grams.

    Raises:
        ProofmatchError: If the release has no validation split.
    """
    try:
        validation = load_task(release, "validation", by_article=by_article)
    except ProofmatchError as error:
        raise ProofmatchError(
            f"n-grams are chosen on the validation split, but {error}; give their size with --ngrams"
        ) from None
    gold = validation.required_gold[:_STATEMENTS_TO_CHOOSE_BY]
    statements, proofs = (
        load_tokens(release, side, "validation", by_article=by_article) for side in ("statement", "proof")
    )
    found = {}
    for size in NGRAM_SIZES:
        source = bm25_scores(statements[: len(gold)], proofs, size, input)
        found[size] = measure(rank_predictions(source, gold).ranks).mrr
    return NgramChoice(max(found, key=lambda size: (found[size], -size)), found)


def bm25_scores(
    statements: pa.ListArray, proofs: pa.ListArray, ngrams: int = 1, input: str = "both"
) -> SparseProductScores:
    """Compute the BM25 scores of all proofs for each statement, over typed n-grams of 1 to `ngrams` tokens.

    Document frequencies and the average length are computed from the proofs, as in every search engine. An
    n-gram counts as often as it occurs in the statement.
    """
    from bm25s import BM25
    from scipy.sparse import csc_array, csr_array

    left, right = typed_ngrams([statements, proofs], ngrams, input)
    # N-grams that only occur in proofs match nothing and count only for the length: all of them get number 0.
    known, numbers = np.unique(left.values, return_inverse=True)
    places = np.minimum(np.searchsorted(known, right.values), max(0, len(known) - 1))
    in_statements = known[places] == right.values if len(known) else np.zeros(len(places), bool)
    documents = Ragged(np.where(in_statements, places + 1, 0), right.starts)
    ones = np.ones(len(numbers), np.float32)
    counts = csr_array((ones, numbers + 1, left.starts), shape=(len(left), len(known) + 1))
    weights = csr_array((len(right), len(known) + 1), dtype=np.float32)
    if len(documents.values):  # else the average length is 0
        index = BM25(**BM25_SETTINGS)
        vocabulary = {number: number for number in range(len(known) + 1)}
        index.index(
            ([row.tolist() for row in documents], vocabulary), create_empty_token=False, show_progress=False
        )
        found = index.scores
        weights = csc_array((found["data"], found["indices"], found["indptr"]), shape=weights.shape).tocsr()
    return SparseProductScores(counts, weights)


def typed_ngrams(columns: Sequence[pa.ListArray], longest: int, input: str = "both") -> list[Ragged]:
    """Number the n-grams of 1 to `longest` consecutive tokens of one type, text or math, of each text.

    Equal n-grams have equal numbers, in all columns. An n-gram never spans a change between text and math, so
    the n-grams of `both` are the n-grams of `text` and of `math` together.
    """
    texts = pa.chunked_array(columns, pa.list_(pa.string())).combine_chunks()
    lengths = np.asarray(pc.list_value_length(texts))
    tokens = texts.flatten().dictionary_encode()
    token = tokens.indices.to_numpy().astype(np.int64)
    is_text = pc.starts_with(tokens.dictionary, "t").to_numpy(zero_copy_only=False)[token]
    rows = row_of_token(texts)
    continues = np.zeros(len(token), bool)  # whether the next token has the same text and type
    continues[:-1] = (rows[1:] == rows[:-1]) & (is_text[1:] == is_text[:-1])
    starts = np.arange(len(token)) if input == "both" else np.flatnonzero(is_text == (input == "text"))
    numbers, found, n_found = token[starts], [], 0
    for size in range(1, longest + 1):
        if size > 1:
            goes_on = continues[starts + size - 2]
            starts, numbers = starts[goes_on], numbers[goes_on]
            pairs = numbers * len(tokens.dictionary) + token[starts + size - 1]
            numbers = np.unique(pairs, return_inverse=True)[1]
        found.append((rows[starts], numbers + n_found))
        n_found += 1 + int(numbers.max(initial=-1))
    row, number = (np.concatenate(part) for part in zip(*found, strict=True))
    by_row = np.argsort(row, kind="stable")
    every = Ragged.from_lengths(number[by_row], np.bincount(row, minlength=len(lengths)))
    ends = np.cumsum([0, *map(len, columns)]).tolist()
    return [every.slice(start, stop) for start, stop in pairwise(ends)]


def distinct_tokens(*texts: pa.ListArray) -> pa.Array:
    """List the distinct tokens of all texts, in the order of their first appearance."""
    return pc.unique(pa.concat_arrays([column.flatten() for column in texts]))


def count_tokens(texts: pa.ListArray, vocabulary: pa.Array) -> "csr_array":
    """Count the vocabulary's tokens in each text, and ignore others: (texts, tokens)."""
    from scipy.sparse import coo_array

    known = pc.index_in(texts.flatten(), value_set=vocabulary)
    rows = row_of_token(texts)[known.is_valid().to_numpy(zero_copy_only=False)]
    columns = known.drop_null().to_numpy()
    ones = np.ones(len(columns), dtype=np.float32)
    counts = coo_array((ones, (rows, columns)), shape=(len(texts), len(vocabulary))).tocsr()
    counts.sum_duplicates()
    return counts
