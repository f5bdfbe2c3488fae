"""An article has one title and one list of categories, whichever of its pairs tells them."""

from collections.abc import Iterator

import numpy as np

from ..arrow import as_numpy
from .evidence import Evidence
from .remarks import Fault, Finding, Remark
from .tables import FAMILIES

_OF_ARTICLE = ("title", "categories")


def check_articles(evidence: Evidence) -> Iterator[Remark]:
    """Compare what the pairs of an article tell of it."""
    for suffix in FAMILIES:
        config = f"pairs{suffix}"
        yield from evidence.lacking(config)
        if not evidence.has(config):
            continue
        articles = evidence.ids(config, "article_id").dictionary_encode()
        names, numbers = articles.dictionary.to_pylist(), as_numpy(articles.indices)
        for column in _OF_ARTICLE:
            told = evidence.hashes(config, column)
            first = np.zeros(len(names), np.uint64)
            first[numbers] = told  # the last one stays, which is as good as any
            several = np.unique(numbers[told != first[numbers]]).tolist()
            if several:
                cases = (names[number] for number in several)
                yield Fault.about(f"{config} has articles with more than one {_plural(column)}", cases)
        yield Finding(f"{config}: {len(names):,} articles")


def _plural(column: str) -> str:
    return "list of categories" if column == "categories" else column
