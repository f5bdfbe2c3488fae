"""Typed tokens → both what an encoder reads and what a lexical matcher reads."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from ..encoding import EncodedTexts
from ..lexical.reader import FeatureReader
from ..reading import WordReader


class JointText(NamedTuple):
    """A text as the two parts of a joint matcher take it."""

    words: np.ndarray
    features: np.ndarray


@dataclass(frozen=True, slots=True)
class JointTexts:
    """Texts as the two parts of a joint matcher take them."""

    words: EncodedTexts
    features: EncodedTexts

    def __len__(self) -> int:
        return len(self.words)

    def __getitem__(self, number: int) -> JointText:
        return JointText(self.words[number], self.features[number])

    @property
    def lengths(self) -> np.ndarray:
        """How many words each text has."""
        return self.words.lengths


@dataclass(frozen=True, slots=True)
class JointReader:
    """Reads texts as numbers of words and as bags of features."""

    words: WordReader
    features: FeatureReader

    @property
    def reads_text_column(self) -> bool:
        """Whether it reads sentences with `$TeX$` instead of typed tokens."""
        return False

    def read(self, texts: pa.Array, origin: str | None = None) -> JointTexts:
        """Read a column of texts."""
        return JointTexts(self.words.read(texts), self.features.read(texts, origin))

    def read_training_pairs(
        self, statements: pa.Array, proofs: pa.Array, origins: tuple[str, str]
    ) -> tuple[JointTexts, JointTexts]:
        """Read the pairs that the matcher is trained on."""
        features = self.features.read_training_pairs(statements, proofs, origins)
        return (
            JointTexts(self.words.read(statements), features[0]),
            JointTexts(self.words.read(proofs), features[1]),
        )
