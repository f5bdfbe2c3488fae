"""Baselines, which need no training beyond counting tokens: TF-IDF and Dice similarity."""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute makes its functions at run time, where a type checker does not see them.)

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .decoding.scores import ScoreSource, SparseProductScores
from .task import Task, load_tokens, row_of_token, select_input

if TYPE_CHECKING:
    from scipy.sparse import csr_array

BASELINES = ("tfidf", "dice")


def baseline_scores(name: str, task: Task, input: str = "both") -> ScoreSource:
    """Score all pairs of a split by a baseline, with the tokens of `input`: `both`, `text` or `math`."""

    def tokens(side: str, split: str) -> pa.ListArray:
        return select_input(load_tokens(task.release, side, split, by_article=task.by_article), input)

    statements, proofs = (tokens(side, task.split) for side in ("statement", "proof"))
    if name == "dice":
        return dice_scores(statements, proofs)
    return tfidf_scores([tokens(side, "train") for side in ("statement", "proof")], statements, proofs)


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
    """Compute Dice's coefficient of the tokens of every statement with those of every proof."""
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
