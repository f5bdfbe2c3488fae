"""What can be wrong with the values of a pair that lacks nothing: its kind, its categories, its words."""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute makes its functions at run time, where a type checker does not see them.)

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..extraction.pairs import OTHER, kind_in_words
from ..tokens import TEXT, text_tokens
from .tables import SIDES
from .vocabulary import as_bool

# Looking for words takes time, so of each few thousand rows only some are looked at.
_LOOKED_AT = 32

# A text has all the words among its tokens. Another text of the same field lacks half of them, and hardly
# ever as few as this; a word more or less, because of some rare character, is nobody's fault.
_MISSING = 0.2
_FEWEST = 5  # distinct words from which on they tell one text from another


def wrong_values(batch: pa.RecordBatch) -> Iterator[tuple[str, np.ndarray]]:
    """Find pairs with wrong values: what is wrong, and which they are."""
    kinds = batch.column("kind").dictionary_encode()
    unknown = [kind for kind in kinds.dictionary.to_pylist() if not is_known_kind(kind)]
    if unknown:
        rows = as_bool(pc.is_in(batch.column("kind"), value_set=pa.array(unknown, pa.string())))
        yield f"an unknown kind ({', '.join(map(repr, unknown[:3]))})", rows
    yield from _wrong_categories(batch.column("categories"), batch.column("primary_category"))
    for side in SIDES:
        rows = _unrelated(batch.column(side), batch.column(f"{side}_tokens"))
        if rows.any():
            yield f"a {side} that has not the words of its tokens", rows


def is_known_kind(kind: str) -> bool:
    """Tell whether a kind is one that the builder gives."""
    return kind == OTHER or kind_in_words(kind) == kind


def _wrong_categories(lists: pa.ListArray, primary: pa.Array) -> Iterator[tuple[str, np.ndarray]]:
    categories = lists.flatten().cast(pa.string())
    parents = pc.list_parent_indices(lists).to_numpy(zero_copy_only=False)
    blank = as_bool(pc.match_substring_regex(categories, r"^$|\s").fill_null(False))
    if blank.any():
        rows = np.zeros(len(lists), bool)
        rows[parents[blank]] = True
        yield "a category that is empty or has white space", rows
    owners, places = np.unique(parents, return_index=True)  # the place of the first of each
    first = np.full(len(lists), None, object)
    first[owners] = categories.take(pa.array(places)).to_pylist()
    wrong = first != np.array(primary.to_pylist(), object)
    if wrong.any():
        yield "a primary_category that is not the first of its categories", wrong


def _unrelated(texts: pa.Array, tokens: pa.ListArray) -> np.ndarray:
    """Find texts, among some of them, that have nothing to do with their tokens."""
    unrelated = np.zeros(len(texts), bool)
    step = max(1, -(-len(texts) // _LOOKED_AT))
    rows = np.arange(0, len(texts), step)
    chosen = tokens.take(pa.array(rows)).cast(pa.list_(pa.string()))
    columns = (texts.take(pa.array(rows)).to_pylist(), chosen.to_pylist())
    for row, text, words in zip(rows, *columns, strict=True):
        unrelated[row] = bool(text and words) and not has_words(text, words)
    return unrelated


def has_words(text: str, tokens: list[str | None]) -> bool:
    """Tell whether the words among the tokens are in a text, apart from a few."""
    mark = f"{TEXT}:"
    words = {token.removeprefix(mark) for token in tokens if token and token.startswith(mark)}
    missing = [word for word in words if word not in text]
    if missing:
        # Written with other characters, perhaps: tokens are normalized, texts are not.
        normalized = "".join(token.removeprefix(mark) for token in text_tokens(text))
        missing = [word for word in missing if word not in normalized]
    return len(words) < _FEWEST or len(missing) <= _MISSING * len(words)
