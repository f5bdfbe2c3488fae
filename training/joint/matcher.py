"""`JointMatcher`: the sum of a lexical and a self-attentive score, trained together."""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import nn
from transformers import PreTrainedTokenizerFast

from proofmatch.progress import Progress

from ..encoding import EncodedTexts
from ..gradient_cache import backward_in_chunks
from ..hubs import without_hubs
from ..lexical.matcher import LexicalMatcher
from ..model.matcher import ProofMatcher
from ..model.rates import ParameterGroup
from ..model.saved import Gather, SavedMatcher
from ..vectors import TextVectors
from .config import JointMatcherConfig
from .reader import JointReader, JointText, JointTexts


class JointMatcher(SavedMatcher):
    """Scores a pair by its features and by the vectors of an encoder, which learns what features do not tell.

    The scores are added, that of the encoder with a learned weight.
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
        background: EncodedTexts,
        encoder_weight: float = 1.0,
    ) -> "JointMatcher":
        """Join two matchers, trained or not, with all that they have learned.

        Args:
            lexical: The one.
            encoder: The other, which reads typed tokens as well.
            background: The lexical matcher's background statements, as the encoder reads them.
            encoder_weight: Of the encoder's score in the sum.
        """
        config = JointMatcherConfig(
            lexical.config.to_diff_dict(),  # which does not tell where it has been opened
            encoder.config.to_diff_dict(),
            num_background_words=len(background.words),
        )
        matcher = cls(config)
        matcher.lexical.load_state_dict(lexical.state_dict())
        matcher.encoder.load_state_dict(encoder.state_dict())
        matcher.set_encoder_weight(encoder_weight)
        matcher.background_starts.copy_(torch.from_numpy(background.starts))
        matcher.background_words.copy_(torch.from_numpy(background.words))
        return matcher

    def set_encoder_weight(self, weight: float) -> None:
        """Let the encoder's score have a weight in the sum."""
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
        """Tell how texts are read for this matcher: for each of its parts."""
        return JointReader(self.encoder.reader(tokenizer), self.lexical.reader(tokenizer))

    def parameter_groups(self) -> list[ParameterGroup]:
        """Let each part have its own rates."""
        return [
            *self.encoder.parameter_groups(),
            *self.lexical.parameter_groups(),
            ParameterGroup([self.encoder_weight]),
        ]

    def vectors(  # pyright: ignore[reportIncompatibleMethodOverride] - its own reader reads its texts
        self, texts: JointTexts, side: str, progress: Progress | None = None
    ) -> TextVectors:
        """Turn texts into vectors whose inner products are the scores, less what proofs have as hubs."""
        vectors = self._plain_vectors(texts, side, progress)
        config = self.lexical.config
        if not config.hub_weight:
            return vectors
        background = None if side == "statement" else self._plain_vectors(self._background(), "statement")
        return without_hubs(vectors, side, background, config.hub_weight, config.n_nearest)

    def _plain_vectors(self, texts: JointTexts, side: str, progress: Progress | None = None) -> TextVectors:
        encoded = self.encoder.vectors(texts.words, side, progress).dense
        weight = float(self.encoder_weight.detach().exp()) if side == "statement" else 1.0
        return self.lexical.plain_vectors(texts.features, side, progress).beside(weight * encoded)

    def _background(self) -> JointTexts:
        words, starts = (part.cpu().numpy() for part in (self.background_words, self.background_starts))
        return JointTexts(EncodedTexts(words, starts), self.lexical.background)

    def _init_weights(self, module: nn.Module) -> None:
        if isinstance(module, JointMatcher):
            nn.init.zeros_(module.encoder_weight)


def _words(texts: Sequence[JointText]) -> list[np.ndarray]:
    return [text.words for text in texts]
