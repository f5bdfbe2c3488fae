"""The joint matcher: the sum of a lexical and a self-attentive score, trained together or fused later."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import torch
from torch import nn
from transformers import PretrainedConfig, PreTrainedTokenizerFast

from proofmatch.errors import ProofmatchError
from proofmatch.progress import Progress
from proofmatch.ragged import Ragged

from ..builder.release.release import Release
from ..builder.release.schema import config_name
from ..evaluation.task import load_task
from ..evaluation.training_data import TrainingData
from .encoder.encoder_config import ProofMatcherConfig
from .encoder.proof_matcher import ProofMatcher, WordReader
from .gradient_cache import backward_in_chunks
from .lexical.lexical_config import LexicalMatcherConfig
from .lexical.lexical_matcher import LexicalMatcher, background_rows
from .lexical.vocabulary import FeatureReader
from .matcher import Gather, Matcher, ParameterGroup, TrainedMatcher
from .pairs import column_of, read_task, training_data_of
from .vectors import TextVectors, correct_hubness

WEIGHTS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0)  # of the encoder, tried by `fuse`


class JointMatcherConfig(PretrainedConfig):
    """The sizes of a joint matcher.

    Args:
        lexical: Fields of `LexicalMatcherConfig`.
        encoder: Fields of `ProofMatcherConfig`.
        num_background_words: Total number of words of the background statements.
    """

    model_type = "joint-matcher"

    def __init__(
        self,
        lexical: dict[str, Any] | None = None,
        encoder: dict[str, Any] | None = None,
        num_background_words: int = 0,
        **others: Any,  # noqa: ANN401 - what `PretrainedConfig` takes
    ) -> None:
        super().__init__(**others)
        self.lexical = lexical or {}
        self.encoder = encoder or {}
        self.num_background_words = num_background_words

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
    """Adds the score of an encoder, with a learned weight, to that of a lexical matcher.

    Trained together, the encoder learns what features do not show.
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
        self.encoder_weight = nn.Parameter(torch.empty(1))  # its logarithm
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
        encoder_weight: float = 1.0,
    ) -> "JointMatcher":
        """Join two matchers, trained or not, with their weights.

        Args:
            lexical: The lexical part.
            encoder: The self-attentive part.
            background: The lexical matcher's background statements, as word ids.
            encoder_weight: Weight of the encoder's score in the sum.
        """
        config = JointMatcherConfig(
            lexical.config.to_diff_dict(),  # without the path it was loaded from
            encoder.config.to_diff_dict(),
            num_background_words=len(background.values),
        )
        matcher = cls(config)
        matcher.lexical.load_state_dict(lexical.state_dict())
        matcher.encoder.load_state_dict(encoder.state_dict())
        matcher.set_encoder_weight(encoder_weight)
        matcher.background_starts.copy_(torch.from_numpy(background.starts))
        matcher.background_words.copy_(torch.from_numpy(background.values))
        trained = [part.training_data for part in (lexical, encoder) if part.training_data is not None]
        matcher.training_data = sum(trained, TrainingData()) if trained else None
        return matcher

    def set_encoder_weight(self, weight: float) -> None:
        """Set the weight of the encoder's score in the sum."""
        with torch.no_grad():
            self.encoder_weight.copy_(torch.log(torch.tensor(weight)))

    def forward(self, statements: Sequence[JointText], proofs: Sequence[JointText]) -> torch.Tensor:
        """Score every statement with every proof, (statements, proofs)."""
        return self._sum(
            self._lexical_scores(statements, proofs), self.encoder(_words(statements), _words(proofs))
        )

    def backward(
        self,
        statements: Sequence[JointText],
        proofs: Sequence[JointText],
        loss: Callable[[torch.Tensor], torch.Tensor],
        chunk: int | None,
        gather: Gather,
    ) -> torch.Tensor:
        """Add the gradients of a batch's loss to the parameters, those of the encoder in chunks."""
        lexical = self._lexical_scores(statements, proofs)
        return backward_in_chunks(
            self.encoder,
            _words(statements),
            _words(proofs),
            lambda scores: loss(self._sum(lexical, scores)),
            chunk,
            gather,
        )

    def _lexical_scores(self, statements: Sequence[JointText], proofs: Sequence[JointText]) -> torch.Tensor:
        return self.lexical([text.features for text in statements], [text.features for text in proofs])

    def _sum(self, lexical: torch.Tensor, encoder: torch.Tensor) -> torch.Tensor:
        return lexical + self.encoder_weight.exp() * encoder

    def reader(self, tokenizer: PreTrainedTokenizerFast) -> JointReader:
        """Return a reader for both parts."""
        return JointReader(self.encoder.reader(tokenizer), self.lexical.reader(tokenizer))

    def parameter_groups(self) -> list[ParameterGroup]:
        """Give each part its own learning rates."""
        return [
            *self.encoder.parameter_groups(),
            *self.lexical.parameter_groups(),
            ParameterGroup([self.encoder_weight]),
        ]

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
        weight = float(self.encoder_weight.detach().exp()) if side == "statement" else 1.0
        return self.lexical.plain_vectors(texts.features, side, progress).beside(weight * encoded)

    def _background(self) -> JointTexts:
        words, starts = (part.cpu().numpy() for part in (self.background_words, self.background_starts))
        return JointTexts(Ragged(words, starts), self.lexical.background)

    def _init_weights(self, module: nn.Module) -> None:
        if isinstance(module, JointMatcher):
            nn.init.zeros_(module.encoder_weight)


def _words(texts: Sequence[JointText]) -> list[np.ndarray]:
    return [text.words for text in texts]


def fuse(
    lexical: TrainedMatcher,
    encoder: TrainedMatcher,
    release: Release,
    *,
    by_article: bool = False,
    seed: int = 0,
) -> TrainedMatcher:
    """Late fusion of two trained matchers, with the encoder's weight of the best MRR on the validation split.

    Args:
        lexical: A trained lexical matcher.
        encoder: A trained self-attentive matcher.
        release: The release both were trained on.
        by_article: Use the splits by article.
        seed: Seed of the lexical matcher's training.

    Raises:
        ProofmatchError: If the matchers are of other kinds, or were trained on other pairs.
    """
    from .trainer.trainer import validate

    if not isinstance(lexical.matcher, LexicalMatcher) or not isinstance(encoder.matcher, ProofMatcher):
        raise ProofmatchError("late fusion takes a lexical matcher and a self-attentive one")
    tokens, _ = column_of(release, config_name("pairs", by_article), "train", "statement_tokens")
    background = lexical.matcher.background
    rows = background_rows(len(tokens), len(background), seed)
    texts = tokens.take(rows)
    if not np.array_equal(lexical.reader.read(texts).lengths, background.lengths):
        raise ProofmatchError("the lexical matcher was trained on other pairs, or with another seed")
    words = encoder.matcher.reader(encoder.tokenizer).read(texts)
    matcher = JointMatcher.from_parts(lexical.matcher, encoder.matcher, words)
    fused = TrainedMatcher(matcher, encoder.tokenizer)
    split = read_task(load_task(release, "validation", by_article=by_article), fused.reader)
    scores = []
    for weight in WEIGHTS:
        matcher.set_encoder_weight(weight)
        scores.append(validate(matcher, split)["mrr"])
    matcher.set_encoder_weight(WEIGHTS[int(np.argmax(scores))])
    matcher.training_data = (matcher.training_data or TrainingData()) + training_data_of(split)
    return fused
