"""Cosine similarity of TF-IDF vectors, as scikit-learn computes them with its defaults, over typed tokens."""

from collections.abc import Sequence

import pyarrow as pa

from ..decoding.sources import SparseProductScores
from .counts import count_tokens, distinct_tokens


def tfidf_scores(
    training: Sequence[pa.ListArray], statements: pa.ListArray, proofs: pa.ListArray
) -> SparseProductScores:
    """Compare every statement with every proof.

    Args:
        training: Tokens of the training split's statements and proofs, which decide the vocabulary and the
            weights; nothing of the texts to be matched does.
        statements: Tokens of each statement.
        proofs: Tokens of each proof.
    """
    from scipy.sparse import csr_array, vstack
    from sklearn.feature_extraction.text import TfidfTransformer

    vocabulary = distinct_tokens(*training)
    weights = TfidfTransformer().fit(vstack([count_tokens(texts, vocabulary) for texts in training]))
    return SparseProductScores(
        *(csr_array(weights.transform(count_tokens(texts, vocabulary))) for texts in (statements, proofs))
    )
