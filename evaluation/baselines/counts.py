"""Tokens → sparse counts, column by column and never token by token."""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute makes its functions at run time, where a type checker does not see them.)

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from proofmatch.errors import ProofmatchError

from ..task import INPUTS

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_FIRST_LETTER = {"text": "t", "math": "m"}


def select_input(tokens: pa.ListArray, reads: str) -> pa.ListArray:
    """Keep what a system may read.

    Args:
        tokens: A list of typed tokens for each text.
        reads: `both`, `text` or `math`.
    """
    if reads == "both":
        return tokens
    if reads not in INPUTS:
        raise ProofmatchError(f"input must be one of {', '.join(INPUTS)}, not {reads!r}")
    values = tokens.flatten()
    kept = pc.starts_with(values, _FIRST_LETTER[reads])
    lengths = np.bincount(_row_of_value(tokens)[kept.to_numpy(zero_copy_only=False)], minlength=len(tokens))
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values.filter(kept))


def distinct_tokens(*texts: pa.ListArray) -> pa.Array:
    """List the tokens of all texts, each once, in the order of their first appearance."""
    return pc.unique(pa.concat_arrays([column.flatten() for column in texts]))


def count_tokens(texts: pa.ListArray, vocabulary: pa.Array) -> "csr_array":
    """Count the vocabulary's tokens in each text: (texts, tokens). Others are left out."""
    from scipy.sparse import coo_array

    known = pc.index_in(texts.flatten(), value_set=vocabulary)
    rows = _row_of_value(texts)[known.is_valid().to_numpy(zero_copy_only=False)]
    columns = known.drop_null().to_numpy()
    ones = np.ones(len(columns), dtype=np.float32)
    counts = coo_array((ones, (rows, columns)), shape=(len(texts), len(vocabulary))).tocsr()
    counts.sum_duplicates()
    return counts


def _row_of_value(texts: pa.ListArray) -> np.ndarray:
    """Tell for every token of the flattened texts in which text it stands."""
    return np.repeat(np.arange(len(texts)), np.asarray(pc.list_value_length(texts)))
