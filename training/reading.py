"""Columns of a release → texts as a matcher takes them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pyarrow as pa

from proofmatch.errors import ProofmatchError

from .encoding import EncodedTexts, encode_readable_texts, encode_texts
from .model.config import ProofMatcherConfig

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast


class Texts(Protocol):
    """Texts, each as a matcher takes it."""

    def __len__(self) -> int: ...

    def __getitem__(self, number: int, /) -> Any: ...  # noqa: ANN401 - the matcher's business

    @property
    def lengths(self) -> np.ndarray:
        """How much there is to read in each text."""
        ...


class TextReader(Protocol):
    """Reads texts for a matcher."""

    @property
    def reads_text_column(self) -> bool:
        """Whether it reads sentences with `$TeX$` instead of typed tokens."""
        ...

    def read(self, texts: pa.Array, origin: str | None = None) -> Texts:
        """Read a column of texts.

        Args:
            texts: Lists of typed tokens, or sentences.
            origin: Names the column in a way that no other has, if what is computed of it may be kept.
        """
        ...

    def read_training_pairs(
        self, statements: pa.Array, proofs: pa.Array, origins: tuple[str, str]
    ) -> tuple[Texts, Texts]:
        """Read the pairs that the matcher is trained on."""
        ...


@dataclass(frozen=True, slots=True)
class WordReader:
    """Reads texts as numbers of words, for a self-attentive or a pretrained encoder."""

    tokenizer: "PreTrainedTokenizerFast"
    config: ProofMatcherConfig

    @property
    def reads_text_column(self) -> bool:
        """Whether it reads sentences with `$TeX$` instead of typed tokens."""
        return self.config.reads_text_column

    def read(self, texts: pa.Array, origin: str | None = None) -> EncodedTexts:  # noqa: ARG002 - quick enough
        """Read a column of texts."""
        if not self.config.reads_text_column:
            return encode_texts(self.tokenizer, texts, self.config.input, self.config.max_words)
        if self.config.input != "both":
            raise ProofmatchError(
                f"a pretrained encoder reads whole sentences, so its input is both, not {self.config.input}"
            )
        return encode_readable_texts(self.tokenizer, texts.to_pylist(), self.config.max_words)

    def read_training_pairs(
        self,
        statements: pa.Array,
        proofs: pa.Array,
        origins: tuple[str, str],  # noqa: ARG002
    ) -> tuple[EncodedTexts, EncodedTexts]:
        """Read the pairs that the matcher is trained on."""
        return self.read(statements), self.read(proofs)
