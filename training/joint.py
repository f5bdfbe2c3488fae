"""The joint matcher: the sum of the scores of features and of an encoder."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import torch
from torch import nn
from transformers import PretrainedConfig, PreTrainedTokenizerFast

from proofmatch.errors import ProofmatchError, check_weights
from proofmatch.progress import Progress
from proofmatch.ragged import Ragged

from ..evaluation.training_data import TrainingData
from .encoder.encoder_config import ProofMatcherConfig
from .encoder.proof_matcher import ProofMatcher, WordReader
from .gradient_cache import backward_in_chunks
from .lexical.lexical_config import LexicalMatcherConfig
from .lexical.lexical_matcher import LexicalMatcher
from .matcher import Gather, Matcher, ParameterGroup, kind_of_part
from .texts import Columns, TextReader, Texts
from .vectors import Vectors
from .views import MultiViewMatcher

_FEATURE_MATCHERS = (LexicalMatcher, MultiViewMatcher)  # the kinds of matchers of features
_MIN_PAIRS = 2  # a single pair has no negatives


class JointMatcherConfig(PretrainedConfig):
    """The configuration of a joint matcher.

    Args:
        features: Fields of the configuration of the matcher of features, with its `model_type`.
        encoder: Fields of `ProofMatcherConfig`.
        encoder_weight: Weight of the encoder's score in the sum, chosen on validation splits.
        encoder_share: Share of the pairs of each batch that the encoder is trained on. Features need many
            epochs with large batches, but a pretrained encoder needs only a few.
    """

    model_type = "joint-matcher"

    def __init__(
        self,
        features: dict[str, Any] | None = None,
        encoder: dict[str, Any] | None = None,
        encoder_weight: float = 0.1,
        encoder_share: float = 1.0,
        **others: Any,  # noqa: ANN401 - what `PretrainedConfig` takes
    ) -> None:
        super().__init__(**others)
        if "lexical" in others:
            raise ProofmatchError(
                "it is a joint matcher of an earlier version; train it again, or use the version of "
                "proofmatch that it was trained with"
            )
        self.features = {"model_type": LexicalMatcherConfig.model_type} if features is None else features
        self.encoder = {} if encoder is None else encoder
        self.encoder_weight = encoder_weight
        self.encoder_share = encoder_share
        kind_of_part(self.features, *_FEATURE_MATCHERS)
        if not isinstance(self.encoder, dict):
            raise ProofmatchError(f"the configuration of its encoder must be a table, not {self.encoder!r}")
        check_weights(self, "encoder_weight", "encoder_share")
        if not 0 < encoder_share <= 1:
            raise ProofmatchError(f"encoder_share must be more than 0 and at most 1, not {encoder_share}")

    @property
    def input(self) -> str:
        """Which tokens the matcher takes: `both`, `text` or `math`."""
        return self.features_config.input

    @property
    def features_config(self) -> Any:  # noqa: ANN401 - of one of two kinds
        """The configuration of the matcher of features."""
        kind = kind_of_part(self.features, *_FEATURE_MATCHERS)
        return kind.config_class.from_dict(self.features)  # pyright: ignore[reportOptionalMemberAccess]

    @property
    def encoder_config(self) -> ProofMatcherConfig:
        """The configuration of the encoder."""
        return ProofMatcherConfig.from_dict(self.encoder)


class JointText(NamedTuple):
    """A text for the two parts of a joint matcher."""

    words: np.ndarray
    features: Any


@dataclass(frozen=True, slots=True)
class JointTexts:
    """Texts for the two parts of a joint matcher."""

    words: Ragged
    features: Texts

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
    features: TextReader

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
    """Adds the score of an encoder, with a small weight, to the score of a matcher of features.

    Each part is trained with its own loss. With a loss of the sum, an encoder fits the few training pairs
    that features leave, and learns less for others.
    """

    config_class = JointMatcherConfig
    config: JointMatcherConfig
    base_model_prefix = "joint"
    main_input_name = "statements"

    def __init__(self, config: JointMatcherConfig) -> None:
        super().__init__(config)
        features = config.features_config
        self.features = kind_of_part(config.features, *_FEATURE_MATCHERS)(features)
        self.encoder = ProofMatcher(config.encoder_config)
        if self.encoder.config.reads_text_column:
            raise ProofmatchError(
                "the encoder reads sentences, but features need tokens; set its reads_tokens"
            )
        if self.encoder.config.input != features.input:
            raise ProofmatchError(
                f"the features read {features.input}, but the encoder {self.encoder.config.input}; both must "
                "have the same input"
            )
        self.post_init()

    @classmethod
    def from_parts(cls, features: Matcher, encoder: ProofMatcher, **config: float) -> "JointMatcher":
        """Join two matchers, trained or not, with their weights.

        Args:
            features: A `LexicalMatcher`, or a `MultiViewMatcher` of several.
            encoder: The encoder.
            **config: Further fields of the configuration.
        """
        # Without the paths they were loaded from.
        fields = {**features.config.to_diff_dict(), "model_type": features.config.model_type}
        matcher = cls(JointMatcherConfig(fields, encoder.config.to_diff_dict(), **config))
        matcher.features.load_state_dict(features.state_dict())
        matcher.encoder.load_state_dict(encoder.state_dict())
        trained = [part.training_data for part in (features, encoder) if part.training_data is not None]
        matcher.training_data = sum(trained, TrainingData()) if trained else None
        return matcher

    @property
    def views(self) -> tuple[Matcher, ...]:
        """The views of the matcher of features."""
        return self.features.views

    def forward(self, statements: Sequence[JointText], proofs: Sequence[JointText]) -> torch.Tensor:
        """Score every statement with every proof, (statements, proofs)."""
        encoder = self.encoder(_words(statements), _words(proofs))
        return self.features(_features(statements), _features(proofs)) + self.config.encoder_weight * encoder

    def backward(
        self,
        statements: Sequence[JointText],
        proofs: Sequence[JointText],
        loss: Callable[[torch.Tensor], torch.Tensor],
        chunk: int | None,
        gather: Gather,
    ) -> torch.Tensor:
        """Add the gradients of each part's loss to its parameters, and return the mean of the two."""
        features = self.features.backward(_features(statements), _features(proofs), loss, chunk, gather)
        # A batch is a random sample, and so is any part of it.
        size = min(max(_MIN_PAIRS, round(self.config.encoder_share * len(statements))), len(statements))
        scale = len(statements) / size  # the loss is divided by the number of pairs of the whole batch
        encoder = backward_in_chunks(
            self.encoder,
            _words(statements[:size]),
            _words(proofs[:size]),
            lambda scores: scale * loss(scores),
            chunk,
            gather,
        )
        return (features + encoder) / 2

    def reader(self, tokenizer: PreTrainedTokenizerFast) -> JointReader:
        """Return a reader for both parts."""
        return JointReader(self.encoder.reader(tokenizer), self.features.reader(tokenizer))

    def parameter_groups(self) -> list[ParameterGroup]:
        """Give each part its own learning rates."""
        return [*self.encoder.parameter_groups(), *self.features.parameter_groups()]

    def vectors(  # pyright: ignore[reportIncompatibleMethodOverride] - its own reader reads its texts
        self, texts: JointTexts, side: str, progress: Progress | None = None
    ) -> Vectors:
        """Encode texts as vectors whose inner products are the scores."""
        encoded = self.encoder.vectors(texts.words, side, progress).dense
        weight = self.config.encoder_weight if side == "statement" else 1.0
        # In each view: the smooth maximum of their scores then grows by the score of the encoder.
        return self.features.vectors(texts.features, side, progress).beside(weight * encoded)

    def _init_weights(self, module: nn.Module) -> None:
        """Leave the weights to the parts, which have been initialized."""


def _words(texts: Sequence[JointText]) -> list[np.ndarray]:
    return [text.words for text in texts]


def _features(texts: Sequence[JointText]) -> list[Any]:
    return [text.features for text in texts]
