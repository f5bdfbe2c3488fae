"""The tokenizer, whose vocabulary consists of the frequent typed tokens of the training split.

It is a plain `PreTrainedTokenizerFast`, so `AutoTokenizer` opens it. It takes typed tokens joined by spaces,
such as `" ".join(row["proof_tokens"])`. Plain text is typed as the builder does it, word by word, and a
formula in dollars becomes one unknown math token: reading TeX is left to `TrainedMatcher.score`.
"""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute generates its functions at run time, where type checkers do not see them.)

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from proofmatch.errors import ProofmatchError, first_line

from .model_files import check_model_files

if TYPE_CHECKING:
    from tokenizers.normalizers import Normalizer
    from transformers import PreTrainedTokenizerFast

PADDING, START, END = "[PAD]", "[START]", "[END]"
UNKNOWN_TEXT, UNKNOWN_MATH = "[UNK-TEXT]", "[UNK-MATH]"
SPECIAL = (PADDING, UNKNOWN_TEXT, UNKNOWN_MATH, START, END)

# What begins a word without a type, the words and signs of plain text, and formulas in it.
_UNTYPED = r"(?<!\S)(?!(?:t|m(?:\.[a-z-]+)?):\S|\[UNK-)"
_WORD = r"(?>\d+(?:[.,]\d+)+|\w+(?:[-‐'’]\w+)*|[^\w\s])"
_FORMULA = r"(?<!\S)[^\s$:]*\K\$\$?[^$]+\$\$?"
_SIGNS_IN_A_ROW = 12  # as in `$x$)”,`; each takes a pass

MIN_COUNT = 2
MAX_SIZE = 100_000


def train_tokenizer(
    texts: Iterable[pa.ListArray | Sequence[Sequence[str]]],
    *,
    min_count: int = MIN_COUNT,
    max_size: int = MAX_SIZE,
    words: Sequence[str] = (),
) -> "PreTrainedTokenizerFast":
    """Make a tokenizer of the most frequent tokens.

    Args:
        texts: Columns of typed tokens of the training split.
        min_count: Minimum number of occurrences of a token.
        max_size: Maximum size of the vocabulary, including special words.
        words: Further words, whatever their frequency.

    Raises:
        ProofmatchError: If there is no room for any token.
    """
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    check_tokenizer_settings(min_count, max_size)
    columns = [
        column if isinstance(column, pa.Array) else pa.array(list(column), pa.list_(pa.string()))
        for column in texts
    ]
    counted = pc.value_counts(pa.concat_arrays([column.flatten() for column in columns]))
    counts = counted.field("counts").to_numpy()
    order = np.lexsort((np.asarray(counted.field("values").to_pylist(), dtype=object), -counts))
    frequent = order[: max(0, max_size - len(SPECIAL) - len(words))]
    tokens = counted.field("values").take(pa.array(frequent[counts[frequent] >= min_count])).to_pylist()
    vocabulary = {word: number for number, word in enumerate((*SPECIAL, *words, *tokens))}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token=UNKNOWN_TEXT))
    tokenizer.normalizer = _typing_of_plain_text()
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{START} $A {END}",
        special_tokens=[(word, vocabulary[word]) for word in (START, END)],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=PADDING,
        unk_token=UNKNOWN_TEXT,
        bos_token=START,
        eos_token=END,
        additional_special_tokens=[UNKNOWN_MATH],
    )


def check_tokenizer_settings(min_count: int = MIN_COUNT, max_size: int = MAX_SIZE) -> None:
    """Refuse settings of `train_tokenizer` that leave no room for any token.

    Raises:
        ProofmatchError: If they do.
    """
    if max_size <= len(SPECIAL):
        raise ProofmatchError(f"max_size must be more than the {len(SPECIAL)} special words, not {max_size}")
    if min_count < 1:
        raise ProofmatchError(f"min_count must be at least 1, not {min_count}")


def load_tokenizer(folder_or_repository: str | Path, *, typed: bool = True) -> "PreTrainedTokenizerFast":
    """Open the tokenizer of a model, from its folder or from the Hub.

    Args:
        folder_or_repository: The model.
        typed: Whether it must be a tokenizer of typed tokens, not of sentences as for pretrained encoders.

    Raises:
        ProofmatchError: If there is none, or it is not for typed tokens.
    """
    from transformers import AutoTokenizer

    try:
        options = check_model_files(folder_or_repository)
        tokenizer = AutoTokenizer.from_pretrained(
            str(folder_or_repository), trust_remote_code=False, **options
        )
    except ProofmatchError:
        raise
    except (OSError, ValueError) as error:
        raise ProofmatchError(
            f"{folder_or_repository} has no tokenizer that can be read ({first_line(error)})"
        ) from None
    missing = [word for word in SPECIAL if word not in tokenizer.get_vocab()]
    if typed and missing:
        raise ProofmatchError(
            f"the tokenizer of {folder_or_repository} does not know {missing[0]}; it is not for typed tokens"
        )
    if typed and tokenizer.backend_tokenizer.normalizer is None:  # of an earlier version
        tokenizer.backend_tokenizer.normalizer = _typing_of_plain_text()
    return tokenizer


def _typing_of_plain_text() -> "Normalizer":
    """Type words without a type as text; without this, all of them would be unknown words."""
    from tokenizers import Regex
    from tokenizers.normalizers import Replace, Sequence

    apart = Replace(Regex(rf"{_UNTYPED}{_WORD}\K(?=\S)"), " ")
    return Sequence(
        [
            Replace(Regex(_FORMULA), f" {UNKNOWN_MATH} "),
            *[apart] * _SIGNS_IN_A_ROW,
            Replace(Regex(rf"{_UNTYPED}(?=\S)"), "t:"),
        ]
    )
