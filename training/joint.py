"""The joint matcher: the sum of a lexical and a self-attentive score."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import torch
from torch import nn
from transformers import PretrainedConfig, PreTrainedTokenizerFast

from proofmatch.progress import Progress
from proofmatch.ragged import Ragged

from ..evaluation.training_data import TrainingData
from .encoder.encoder_config import ProofMatcherConfig
from .encoder.proof_matcher import ProofMatcher, WordReader
from .gradient_cache import backward_in_chunks
from .lexical.lexical_config import LexicalMatcherConfig
from .lexical.lexical_matcher import LexicalMatcher
from .lexical.vocabulary import FeatureReader
from .matcher import Gather, Matcher, ParameterGroup
from .texts import Columns
from .vectors import TextVectors, correct_hubness


class JointMatcherConfig(PretrainedConfig):
    """The sizes of a joint matcher.

    Args:
        lexical: Fields of `LexicalMatcherConfig`.
        encoder: Fields of `ProofMatcherConfig`.
        num_background_words: Total number of words of the background statements.
        encoder_weight: Weight of the encoder's score in the sum, chosen on validation splits.
    """

    model_type = "joint-matcher"

    def __init__(
        self,
        lexical: dict[str, Any] | None = None,
        encoder: dict[str, Any] | None = None,
        num_background_words: int = 0,
        encoder_weight: float = 0.1,
        **others: Any,  # noqa: ANN401 - what `PretrainedConfig` takes
    ) -> None:
        super().__init__(**others)
        self.lexical = lexical or {}
        self.encoder = encoder or {}
        self.num_background_words = num_background_words
        self.encoder_weight = encoder_weight

    @property
    def input(self) -> str:
        """Which tokens the matcher takes: `both`, `text` or `math`."""
        return self.lexical_config.input

    @property
    def lexical_config(self) -> LexicalMatcherConfig:
        """The sizes of the lexical part."""
        return LexicalMatcherConfig.from_dict(self.lexical)

    @property
    def encoder_config(self) -> ProofMatcherConfig:
        """The sizes of the self-attentive part."""
        return ProofMatcherConfig.from_dict(self.encoder)


class JointText(NamedTuple):
    """A text for the two parts of a joint matcher."""

    words: np.ndarray
    features: np.ndarray


@dataclass(frozen=True, slots=True)
class JointTexts:
    """Texts for the two parts of a joint matcher."""

    words: Ragged
    features: Ragged

    def __len__(self) -> int:
        return len(self.words)

    def __getitem__(self, number: int) -> JointText:
        return JointText(self.words[number], self.features[number])

    def take(self, numbers: np.ndarray, /) -> "JointTexts":
        """Select texts by their numbers."""
        return JointTexts(self.words.take(numbers), self.features.take(numbers))

    @property
    def lengths(self) -> np.ndarray:
        """The number of words of each text."""
        return self.words.lengths


@dataclass(frozen=True, slots=True)
class JointReader:
    """Reads texts as word ids and as bags of features."""

    words: WordReader
    features: FeatureReader

    @property
    def reads_text_column(self) -> bool:
        """Whether it reads sentences with `$TeX$` instead of typed tokens."""
        return False

    def read(self, texts: pa.Array, origin: str | None = None) -> JointTexts:
        """Read a column of texts."""
        return JointTexts(self.words.read(texts), self.features.read(texts, origin))

    def with_candidates(self, proofs: Columns, origin: str | None = None) -> "JointReader":
        """Return a reader that counts the candidate proofs in the frequencies of features."""
        return JointReader(self.words, self.features.with_candidates(proofs, origin))

    def read_training_pairs(
        self, statements: pa.Array, proofs: pa.Array, origins: tuple[str, str]
    ) -> tuple[JointTexts, JointTexts]:
        """Read the pairs that the matcher is trained on."""
        features = self.features.read_training_pairs(statements, proofs, origins)
        return (
            JointTexts(self.words.read(statements), features[0]),
            JointTexts(self.words.read(proofs), features[1]),
        )

    def read_renamed(self, renamed: pa.Array, statements: JointTexts, proofs: JointTexts) -> JointTexts:
        """Read proofs of training pairs with other names for their variables."""
        features = self.features.read_renamed(renamed, statements.features, proofs.features)
        return JointTexts(self.words.read(renamed), features)


class JointMatcher(Matcher):
    """Adds the score of an encoder, with a small weight, to the score of a lexical matcher.

    Each part is trained with its own loss. With a loss of the sum, an encoder fits the few training pairs
    that features leave, and learns less for others.
    """

    config_class = JointMatcherConfig
    config: JointMatcherConfig
    base_model_prefix = "joint"
    main_input_name = "statements"
    background_starts: torch.Tensor
    background_words: torch.Tensor

    def __init__(self, config: JointMatcherConfig) -> None:
        super().__init__(config)
        self.lexical = LexicalMatcher(config.lexical_config)
        self.encoder = ProofMatcher(config.encoder_config)
        n_background = len(self.lexical.background_starts) - 1
        self.register_buffer("background_starts", torch.zeros(1 + n_background, dtype=torch.int64))
        self.register_buffer("background_words", torch.zeros(config.num_background_words, dtype=torch.int32))
        self.post_init()

    @classmethod
    def from_parts(
        cls,
        lexical: LexicalMatcher,
        encoder: ProofMatcher,
        background: Ragged,
        **config: float,
    ) -> "JointMatcher":
        """Join two matchers, trained or not, with their weights.

        Args:
            lexical: The lexical part.
            encoder: The self-attentive part.
            background: The lexical matcher's background statements, as word ids.
            **config: Further fields of the configuration.
        """
        matcher = cls(
            JointMatcherConfig(
                lexical.config.to_diff_dict(),  # without the path it was loaded from
                encoder.config.to_diff_dict(),
                num_background_words=len(background.values),
                **config,
            )
        )
        matcher.lexical.load_state_dict(lexical.state_dict())
        matcher.encoder.load_state_dict(encoder.state_dict())
        matcher.background_starts.copy_(torch.from_numpy(background.starts))
        matcher.background_words.copy_(torch.from_numpy(background.values))
        trained = [part.training_data for part in (lexical, encoder) if part.training_data is not None]
        matcher.training_data = sum(trained, TrainingData()) if trained else None
        return matcher

    def forward(self, statements: Sequence[JointText], proofs: Sequence[JointText]) -> torch.Tensor:
        """Score every statement with every proof, (statements, proofs)."""
        encoder = self.encoder(_words(statements), _words(proofs))
        return self._lexical_scores(statements, proofs) + self.config.encoder_weight * encoder

    def backward(
        self,
        statements: Sequence[JointText],
        proofs: Sequence[JointText],
        loss: Callable[[torch.Tensor], torch.Tensor],
        chunk: int | None,
        gather: Gather,
    ) -> torch.Tensor:
        """Add the gradients of each part's loss to its parameters, and return the mean of the two."""
        lexical = loss(self._lexical_scores(statements, proofs))
        lexical.backward()
        encoder = backward_in_chunks(self.encoder, _words(statements), _words(proofs), loss, chunk, gather)
        return (lexical.detach() + encoder) / 2

    def _lexical_scores(self, statements: Sequence[JointText], proofs: Sequence[JointText]) -> torch.Tensor:
        return self.lexical([text.features for text in statements], [text.features for text in proofs])

    def reader(self, tokenizer: PreTrainedTokenizerFast) -> JointReader:
        """Return a reader for both parts."""
        return JointReader(self.encoder.reader(tokenizer), self.lexical.reader(tokenizer))

    def parameter_groups(self) -> list[ParameterGroup]:
        """Give each part its own learning rates."""
        return [*self.encoder.parameter_groups(), *self.lexical.parameter_groups()]

    def vectors(  # pyright: ignore[reportIncompatibleMethodOverride] - its own reader reads its texts
        self, texts: JointTexts, side: str, progress: Progress | None = None
    ) -> TextVectors:
        """Encode texts as vectors whose inner products are the scores, corrected for hubness."""
        vectors = self._plain_vectors(texts, side, progress)
        config = self.lexical.config
        if not config.hub_weight:
            return vectors
        background = None if side == "statement" else self._plain_vectors(self._background(), "statement")
        return correct_hubness(vectors, side, background, config.hub_weight, config.n_nearest)

    def _plain_vectors(self, texts: JointTexts, side: str, progress: Progress | None = None) -> TextVectors:
        encoded = self.encoder.vectors(texts.words, side, progress).dense
        weight = self.config.encoder_weight if side == "statement" else 1.0
        return self.lexical.plain_vectors(texts.features, side, progress).beside(weight * encoded)

    def _background(self) -> JointTexts:
        words, starts = (part.cpu().numpy() for part in (self.background_words, self.background_starts))
        return JointTexts(Ragged(words, starts), self.lexical.background)

    def _init_weights(self, module: nn.Module) -> None:
        """Leave the weights to the parts, which have been initialized."""


def _words(texts: Sequence[JointText]) -> list[np.ndarray]:
    return [text.words for text in texts]
