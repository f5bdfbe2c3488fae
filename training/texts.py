"""Texts in the form that matchers read: columns of typed tokens or of sentences → word ids."""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute generates its functions at run time, where type checkers do not see them.)

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from proofmatch.ragged import Ragged, ranges, starts_of

from ..builder.variants.letters import letter_of_token
from ..evaluation.task import select_input
from .tokenizer import END, START, UNKNOWN_MATH, UNKNOWN_TEXT

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from transformers import PreTrainedTokenizerFast

SIDES = ("statement", "proof")

_MOST_VARIABLES = 30  # of a sort in a text; additional ones share the last number

Columns = Callable[[], Iterable[tuple[pa.Array, str | None]]]
"""Returns columns of texts, each with a unique name, or None."""

# Columns of encoded pairs.
STATEMENT, PROOF = "statement_input_ids", "proof_input_ids"


class Texts(Protocol):
    """A sequence of texts, each in the form that a matcher reads."""

    def __len__(self) -> int: ...

    def __getitem__(self, number: int, /) -> Any: ...  # noqa: ANN401 - depends on the matcher

    def take(self, numbers: np.ndarray, /) -> "Texts":
        """Select texts by their numbers."""
        ...

    @property
    def lengths(self) -> np.ndarray:
        """The length of each text."""
        ...


class TextReader(Protocol):
    """Converts columns of a release into the texts of one kind of matcher."""

    @property
    def reads_text_column(self) -> bool:
        """Whether it reads sentences with `$TeX$` instead of typed tokens."""
        ...

    def read(self, texts: pa.Array, origin: str | None = None) -> Texts:
        """Read a column of texts.

        Args:
            texts: Lists of typed tokens, or sentences.
            origin: A unique name of the column; with it, the reader may cache what it computes.
        """
        ...

    def with_candidates(self, proofs: Columns, origin: str | None = None) -> "TextReader":
        """Return a reader that takes these proofs as the candidates.

        Features that are frequent among the candidates count less. Encoders ignore the candidates.

        Args:
            proofs: Returns columns of proofs, each with its origin; called only if it is needed.
            origin: A unique name of all of them; with it, the reader may cache what it computes.
        """
        ...

    def read_training_pairs(
        self, statements: pa.Array, proofs: pa.Array, origins: tuple[str, str]
    ) -> tuple[Texts, Texts]:
        """Read the pairs that the matcher is trained on."""
        ...

    def read_renamed(self, renamed: pa.Array, statements: Any, proofs: Any) -> Texts:  # noqa: ANN401
        """Read proofs of training pairs with other names for their variables.

        Args:
            renamed: The renamed proofs.
            statements: The statements of these pairs, from `read_training_pairs`.
            proofs: Their proofs as they are.
        """
        ...


def encode_texts(
    tokenizer: "PreTrainedTokenizerFast",
    texts: pa.ListArray,
    input: str = "both",
    max_length: int | None = None,
) -> Ragged:
    """Encode typed tokens, with a start and an end word around each text.

    The result equals the tokenizer's, except for unknown math tokens: the tokenizer's model has a single
    unknown word, the one for text; here math tokens get a word of their own.

    Args:
        tokenizer: From `train_tokenizer` or `load_tokenizer`.
        texts: Lists of typed tokens.
        input: Which tokens to keep: `both`, `text` or `math`.
        max_length: Truncate texts to this many words, start and end included.
    """
    vocabulary, numbers, special = _vocabulary(tokenizer)
    texts = select_input(texts, input)
    tokens, lengths = texts.flatten(), np.asarray(pc.list_value_length(texts), dtype=np.int64)
    places = pc.index_in(tokens, value_set=vocabulary)
    is_math = pc.starts_with(tokens, "m").to_numpy(zero_copy_only=False)
    unknown = np.where(is_math, special[UNKNOWN_MATH], special[UNKNOWN_TEXT])
    known = places.is_valid().to_numpy(zero_copy_only=False)
    words = np.where(known, numbers[places.fill_null(0).to_numpy()], unknown)
    return _framed(Ragged.from_lengths(words, lengths), [special[START]], [special[END]], max_length)


def encode_pieces(
    pieces: "Tokenizer", texts: pa.ListArray, input: str = "both", max_length: int | None = None
) -> Ragged:
    """Encode the surfaces of typed tokens by the word pieces of a pretrained encoder.

    Args:
        pieces: The tokenizer of the encoder.
        texts: Lists of typed tokens.
        input: Which tokens to keep: `both`, `text` or `math`.
        max_length: Truncate texts to this many word pieces, those around each text included.
    """
    texts = select_input(texts, input)
    lengths = np.asarray(pc.list_value_length(texts), dtype=np.int64)
    encoded = texts.flatten().dictionary_encode()
    # With a space, because many encoders have other pieces for the beginnings of words.
    surfaces = [f" {token.partition(':')[2]}" for token in encoded.dictionary.to_pylist()]
    split = pieces.encode_batch_fast(surfaces, add_special_tokens=False)
    words = Ragged.from_lists([one.ids for one in split], np.int32).take(encoded.indices.to_numpy())
    frame = pieces.encode("a")
    is_special = np.array(frame.special_tokens_mask, dtype=bool)
    start, end = np.flatnonzero(~is_special)[[0, -1]]
    by_text = Ragged(words.values, words.starts[starts_of(lengths)])
    return _framed(by_text, frame.ids[:start], frame.ids[end + 1 :], max_length)


def _framed(texts: Ragged, start: list[int], end: list[int], max_length: int | None) -> Ragged:
    """Truncate texts, and put the same words before and after each of them."""
    n_added = len(start) + len(end)
    if max_length is not None:
        texts = texts.first(max_length - n_added)
    framed = np.empty(len(texts.values) + n_added * len(texts), dtype=np.int32)
    starts = texts.starts + n_added * np.arange(len(texts) + 1)
    framed[ranges(starts[:-1] + len(start), texts.lengths)] = texts.values
    for place, word in enumerate(start):
        framed[starts[:-1] + place] = word
    for place, word in enumerate(end):
        framed[starts[1:] - len(end) + place] = word
    return Ragged(framed, starts)


def hide_names(texts: pa.ListArray) -> pa.ListArray:
    """Number the variables of each text, within their font, alphabet and case, by first occurrence.

    Args:
        texts: Lists of typed tokens.

    >>> hide_names(pa.array([["m:f", "m::", "m:X", "m:→", "m:Y", "t:if", "m:X"]])).to_pylist()
    [['m:latin-1', 'm::', 'm:LATIN-1', 'm:→', 'm:LATIN-2', 't:if', 'm:LATIN-1']]
    """
    encoded = texts.flatten().dictionary_encode()
    names = encoded.dictionary.to_pylist()
    sorts, sort_names = _sorts(names)
    lengths = np.asarray(pc.list_value_length(texts).fill_null(0), dtype=np.int64)
    rows = np.repeat(np.arange(len(texts)), lengths)
    codes = encoded.indices.to_numpy().astype(np.int64)
    places = np.flatnonzero(sorts[codes] >= 0)
    if not len(places):
        return texts
    # The distinct variables of each text, and for each place, which one it is.
    variables, first, which = np.unique(
        rows[places] * len(names) + codes[places], return_index=True, return_inverse=True
    )
    row, code = np.divmod(variables, len(names))
    order = np.lexsort((first, sorts[code], row))
    groups = (row * len(sort_names) + sorts[code])[order]
    numbers = np.empty(len(order), dtype=np.int64)
    numbers[order] = np.arange(len(order)) - np.searchsorted(groups, groups)
    hidden = [f"{name}-{1 + number}" for name in sort_names for number in range(_MOST_VARIABLES)]
    words = sorts[code] * _MOST_VARIABLES + np.minimum(numbers, _MOST_VARIABLES - 1)
    codes[places] = len(names) + words[which]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    values = pa.array([*names, *hidden], pa.string()).take(pa.array(codes))
    return pa.ListArray.from_arrays(pa.array(starts, pa.int32()), values)


def hidden_words(columns: Sequence[pa.ListArray]) -> list[str]:
    """List the words that `hide_names` puts in the place of variables."""
    found = (pc.unique(hide_names(texts).flatten()) for texts in columns)
    words = {word for some in found for word in some.to_pylist()}
    return sorted(words.difference(*(pc.unique(texts.flatten()).to_pylist() for texts in columns)))


def _sorts(tokens: list[str]) -> tuple[np.ndarray, list[str]]:
    """Find the sort of each token that is a variable, -1 for others, and the names of the sorts."""
    sorts: dict[str, int] = {}
    found = np.full(len(tokens), -1, dtype=np.int64)
    for place, token in enumerate(tokens):
        if letter := letter_of_token[token]:
            alphabet = "latin" if letter.isascii() else "greek"
            name = token[:-1] + (alphabet.upper() if letter.isupper() else alphabet)
            found[place] = sorts.setdefault(name, len(sorts))
    return found, list(sorts)


def encode_readable_texts(
    tokenizer: "PreTrainedTokenizerFast", texts: Sequence[str], max_length: int | None = None
) -> Ragged:
    """Encode sentences with `$TeX$` by the tokenizer of a pretrained encoder."""
    encoded = tokenizer(
        list(texts), truncation=max_length is not None, max_length=max_length, return_attention_mask=False
    )
    return Ragged.from_lists(encoded["input_ids"], np.int32)


def encode_pairs(
    batch: dict[str, Any],
    tokenizer: "PreTrainedTokenizerFast",
    input: str = "both",
    max_length: int | None = None,
) -> dict[str, list[list[int]]]:
    """Encode rows of the `pairs` configuration; for `Dataset.map(..., batched=True, fn_kwargs=...)`.

    Returns:
        The columns `statement_input_ids` and `proof_input_ids`.
    """
    encoded = {}
    for column, name in (("statement_tokens", STATEMENT), ("proof_tokens", PROOF)):
        texts = encode_texts(tokenizer, pa.array(batch[column], pa.list_(pa.string())), input, max_length)
        encoded[name] = [texts[number].tolist() for number in range(len(texts))]
    return encoded


@lru_cache(maxsize=4)
def _vocabulary(tokenizer: "PreTrainedTokenizerFast") -> tuple[pa.Array, np.ndarray, dict[str, int]]:
    """List the words of a tokenizer, their ids, and the ids of the special words."""
    vocabulary = tokenizer.get_vocab()
    special = {word: vocabulary[word] for word in (START, END, UNKNOWN_MATH, UNKNOWN_TEXT)}
    return (
        pa.array(list(vocabulary), pa.string()),
        np.fromiter(vocabulary.values(), np.int32, len(vocabulary)),
        special,
    )
