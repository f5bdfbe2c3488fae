"""What can be wrong with the columns of a file and the values of its rows."""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute generates its functions at run time, where type checkers do not see them.)

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..extraction.pairs import OTHER, kind_in_words
from ..linearization.fonts import MATHVARIANTS, UNMARKED
from ..tokens import MATH, TEXT, parse_token, text_tokens

# What reading a damaged file can raise.
UNREADABLE = (OSError, pa.ArrowException, UnicodeDecodeError)

_FONTS = MATHVARIANTS - UNMARKED
_NULLABLE = {"primary_category"}
_MAY_BE_EMPTY = {"title", "categories", "primary_category", "kind", "original", "renamed"}

# Comparing words takes time, so only some rows of each few thousand are compared.
_COMPARED_ROWS = 32

# A text contains the words of its tokens, apart from a few with rare characters. An unrelated text of the
# same field lacks about half of them.
_MISSING_WORDS = 0.2
_FEWEST_WORDS = 5  # distinct words needed to tell one text from another

Invalid = Iterator[tuple[str, np.ndarray]]  # what is wrong, and in which rows


class WrongSchema(Exception):  # noqa: N818 - a finding, not a failure
    """A file that does not have the columns of its config."""


def compare_schemas(found: pa.Schema, expected: pa.Schema) -> None:
    """Raise WrongSchema unless a file has the columns it should have, in the same order."""
    names = found.names
    differences = [f"column {name} is missing" for name in expected.names if name not in names]
    differences += [f"column {name} is unknown" for name in names if name not in expected.names]
    differences += [f"column {name} occurs {n} times" for name, n in Counter(names).items() if n > 1]
    if not differences and names != expected.names:
        differences = [f"its columns are in the order {', '.join(names)}, not {', '.join(expected.names)}"]
    differences += [
        f"column {field.name} is {found.field(field.name).type}, not {field.type}"
        for field in expected
        if names.count(field.name) == 1 and found.field(field.name).type != field.type
    ]
    if differences:
        raise WrongSchema("; ".join(differences))


def missing_values(batch: pa.RecordBatch, schema: pa.Schema) -> Invalid:
    """Find rows with null or empty values where there must be some."""
    for field in schema:
        column = batch.column(field.name)
        if field.name not in _NULLABLE and column.null_count:
            yield f"no {field.name} (null)", to_numpy(column.is_null())
        is_list = pa.types.is_list(field.type)
        if is_list and column.flatten().null_count:
            nulls = to_numpy(column.flatten().is_null())
            yield f"a null among its {field.name}", _rows_with(nulls, column)
        if field.name not in _MAY_BE_EMPTY:
            length = pc.list_value_length(column) if is_list else pc.binary_length(column)
            empty = to_numpy(pc.equal(length, 0).fill_null(False))
            if empty.any():
                yield f"empty {field.name}", empty


def invalid_pairs(batch: pa.RecordBatch) -> Invalid:
    """Find pairs with an invalid kind, invalid categories, or a text that does not belong to its tokens."""
    unknown = [
        kind for kind in batch.column("kind").unique().drop_null().to_pylist() if not is_known_kind(kind)
    ]
    if unknown:
        rows = to_numpy(pc.is_in(batch.column("kind"), value_set=pa.array(unknown, pa.string())))
        yield f"an unknown kind ({', '.join(map(repr, unknown[:3]))})", rows
    yield from _invalid_categories(batch.column("categories"), batch.column("primary_category"))
    for side in ("statement", "proof"):
        rows = _unrelated_texts(batch.column(side), batch.column(f"{side}_tokens"))
        if rows.any():
            yield f"a {side} that lacks the words of its tokens", rows


def is_known_kind(kind: str) -> bool:
    """Tell whether the builder assigns this kind."""
    return kind == OTHER or kind_in_words(kind) == kind


def has_words(text: str, tokens: list[str | None]) -> bool:
    """Tell whether a text contains the words among the tokens, apart from a few."""
    prefix = f"{TEXT}:"
    words = {token.removeprefix(prefix) for token in tokens if token and token.startswith(prefix)}
    missing = [word for word in words if word not in text]
    if missing:
        # Tokens are normalized and texts are not, so the same word can have other characters.
        normalized = "".join(token.removeprefix(prefix) for token in text_tokens(text))
        missing = [word for word in missing if word not in normalized]
    return len(words) < _FEWEST_WORDS or len(missing) <= _MISSING_WORDS * len(words)


def token_problem(token: str) -> str | None:
    """Tell what is wrong with a token, or None."""
    if any(character.isspace() for character in token):
        return "white space in a token"
    try:
        kind, font, _ = parse_token(token)
    except ValueError:
        return "not of the form kind[.font]:surface, such as t:Let or m.bold:x"
    has_font = "." in token.partition(":")[0]
    if kind == TEXT and has_font:
        return "text with a font"
    if kind == MATH and has_font and font not in _FONTS:
        return "an unknown font, or one that is not marked"
    return None


def only_in(values: pa.Array, others: pa.Array) -> pa.Array:
    """List the values that the others do not have."""
    return values.filter(pc.invert(pc.is_in(values, value_set=others)))


def to_numpy(column: pa.Array) -> np.ndarray:
    """Convert a column of numbers or truth values."""
    return column.to_numpy(zero_copy_only=False)


def _invalid_categories(lists: pa.ListArray, primary: pa.Array) -> Invalid:
    categories = lists.flatten().cast(pa.string())
    blank = to_numpy(pc.match_substring_regex(categories, r"^$|\s").fill_null(False))
    if blank.any():
        yield "a category that is empty or has white space", _rows_with(blank, lists)
    owners, places = np.unique(to_numpy(pc.list_parent_indices(lists)), return_index=True)
    first = np.full(len(lists), None, object)
    first[owners] = categories.take(pa.array(places)).to_pylist()
    wrong = first != np.array(primary.to_pylist(), object)
    if wrong.any():
        yield "a primary_category that is not the first of its categories", wrong


def _rows_with(elements: np.ndarray, lists: pa.ListArray) -> np.ndarray:
    """Tell which lists have one of the chosen elements."""
    rows = np.zeros(len(lists), bool)
    rows[to_numpy(pc.list_parent_indices(lists))[elements]] = True
    return rows


def _unrelated_texts(texts: pa.Array, tokens: pa.ListArray) -> np.ndarray:
    """Find texts, among a sample of the rows, that do not belong to their tokens."""
    unrelated = np.zeros(len(texts), bool)
    rows = np.arange(0, len(texts), max(1, -(-len(texts) // _COMPARED_ROWS)))
    sample = tokens.take(pa.array(rows)).cast(pa.list_(pa.string()))
    columns = (texts.take(pa.array(rows)).to_pylist(), sample.to_pylist())
    for row, text, words in zip(rows, *columns, strict=True):
        unrelated[row] = bool(text and words) and not has_words(text, words)
    return unrelated
