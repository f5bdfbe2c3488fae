"""Typed tokens → bags of features that a vocabulary knows."""

from dataclasses import dataclass

import pyarrow as pa

from proofmatch.progress import Progress
from proofmatch.ragged import Ragged

from .bags import TEXTS_AT_ONCE, cached_features, count_features
from .vocabulary import FeatureVocabulary


@dataclass(frozen=True, slots=True)
class FeatureReader:
    """Reads texts as bags of features.

    Attributes:
        vocabulary: The features of the training split.
        groups: Kinds of features.
        input: What may be read of a text: `both`, `text` or `math`.
    """

    vocabulary: FeatureVocabulary
    groups: tuple[str, ...]
    input: str

    @property
    def reads_text_column(self) -> bool:
        """Whether it reads sentences with `$TeX$` instead of typed tokens."""
        return False

    def read(self, texts: pa.Array, origin: str | None = None) -> Ragged:
        """Read a column of texts; their features are built once, and kept for the next time."""
        return self.vocabulary.look_up(read_features(texts, self.groups, self.input, origin))

    def read_training_pairs(
        self, statements: pa.Array, proofs: pa.Array, origins: tuple[str, str]
    ) -> tuple[Ragged, Ragged]:
        """Read the pairs that the matcher is trained on, as if each had not been counted."""
        return self.vocabulary.look_up_pairs(
            *(
                read_features(texts, self.groups, self.input, origin)
                for texts, origin in zip((statements, proofs), origins, strict=True)
            )
        )


def read_features(texts: pa.Array, groups: tuple[str, ...], input: str, origin: str | None) -> Ragged:
    """Count the features of texts, or take what was counted before of texts of the same origin."""

    def count() -> Ragged:
        if len(texts) <= TEXTS_AT_ONCE:  # over before one could read what is said
            return count_features(texts, groups, input)
        with Progress("features", "parts", total=-(-len(texts) // TEXTS_AT_ONCE)) as progress:
            progress.summary = f"of {len(texts):,} texts"
            return count_features(texts, groups, input, progress)

    if origin is None:
        return count()
    return cached_features(f"{origin} {' '.join(groups)} {input}", count)
