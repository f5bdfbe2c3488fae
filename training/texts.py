"""Texts as matchers take them: columns of typed tokens or of sentences → word ids."""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute generates its functions at run time, where a type checker does not see them.)

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from proofmatch.ragged import Ragged

from ..evaluation.task import select_input
from .tokenizer import END, START, UNKNOWN_MATH, UNKNOWN_TEXT

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

SIDES = ("statement", "proof")

# Columns of encoded pairs.
STATEMENT, PROOF = "statement_input_ids", "proof_input_ids"


class Texts(Protocol):
    """A sequence of texts, each as a matcher takes it."""

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

    The result is that of the tokenizer, except for unknown math tokens: the tokenizer's model has a single
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
    if max_length is not None:
        place_in_text = np.arange(len(words)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        words = words[place_in_text < max_length - 2]
        lengths = np.minimum(lengths, max_length - 2)
    starts = np.concatenate([[0], np.cumsum(lengths + 2)])
    framed = np.empty(starts[-1], dtype=np.int32)
    framed[starts[:-1]], framed[starts[1:] - 1] = special[START], special[END]
    inside = np.ones(len(framed), dtype=bool)
    inside[starts[:-1]] = inside[starts[1:] - 1] = False
    framed[inside] = words
    return Ragged(framed, starts)


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
