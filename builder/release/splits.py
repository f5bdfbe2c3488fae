"""Fixed splits: 80/10/10, by a salted hash, over pairs and over articles."""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute makes its functions at run time, where a type checker does not see them.)

from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

from ..arrow import as_numpy
from ..identifiers import split_key
from .index import Index
from .schema import TEST, TRAIN, VALIDATION


@dataclass(frozen=True, slots=True)
class SplitPairs:
    """Pairs and the split of each, as a number that counts `SPLITS`."""

    index: Index
    split: np.ndarray


def split_pairs(index: Index) -> SplitPairs:
    """Split by pair, as the paper does: an article's pairs may be in all three splits."""
    held_out = len(index) // 10
    assigned = np.full(len(index), TRAIN, dtype=np.int8)
    assigned[:held_out] = TEST
    assigned[held_out : 2 * held_out] = VALIDATION
    return SplitPairs(index, assigned)


def split_by_article(index: Index, seed: int) -> SplitPairs:
    """Split by article: articles are taken in hash order as long as they fit, until the split is full."""
    held_out = len(index) // 10
    articles = index.column("article_id").dictionary_encode()
    article_of_pair = as_numpy(articles.indices)
    names = articles.dictionary.to_pylist()
    sizes = np.bincount(article_of_pair, minlength=len(names))
    room = {TEST: held_out, VALIDATION: held_out}
    of_article = np.full(len(names), TRAIN, dtype=np.int8)
    for number in sorted(range(len(names)), key=lambda number: split_key(seed, names[number])):
        for split in (TEST, VALIDATION):
            if sizes[number] <= room[split]:
                room[split] -= sizes[number]
                of_article[number] = split
                break
    return SplitPairs(index, of_article[article_of_pair])


def order_by(index: Index, column: str) -> np.ndarray:
    """Order the pairs by a column of hashes: the same every time, and without meaning."""
    return as_numpy(pc.sort_indices(index.column(column)))
