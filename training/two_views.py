"""The matcher of two views: one sees the names of variables, the other does not.

Authors usually name the variables of a statement and of its proof alike, so equal names are strong evidence.
But a proof is the same with other names. Each view scores a pair by itself, and the higher score counts.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import torch
from transformers import PretrainedConfig, PreTrainedTokenizerFast

from proofmatch.progress import Progress

from ..evaluation.training_data import TrainingData
from .encoder.proof_matcher import ProofMatcher
from .joint import JointMatcher
from .lexical.lexical_matcher import LexicalMatcher
from .matcher import Gather, Matcher, ParameterGroup
from .texts import Columns, TextReader, Texts
from .vectors import TextVectors, TextViews, smooth_maximum

_KINDS: dict[str, type[Matcher]] = {
    kind.config_class.model_type: kind  # pyright: ignore[reportOptionalMemberAccess]
    for kind in (ProofMatcher, LexicalMatcher, JointMatcher)
}


class TwoViewMatcherConfig(PretrainedConfig):
    """The configurations of the two views.

    Args:
        named: Fields of the configuration of the view that sees names, with its `model_type`.
        blind: Those of the view that does not.
        blind_offset: Subtracted from the scores of that view.
    """

    model_type = "two-view-matcher"

    def __init__(
        self,
        named: dict[str, Any] | None = None,
        blind: dict[str, Any] | None = None,
        blind_offset: float = 0.0,
        **others: Any,  # noqa: ANN401 - what `PretrainedConfig` takes
    ) -> None:
        super().__init__(**others)
        self.named = named or {}
        self.blind = blind or {}
        self.blind_offset = blind_offset

    @property
    def input(self) -> str:
        """Which tokens the matcher takes: `both`, `text` or `math`."""
        return self.view_configs[0].input

    @property
    def view_configs(self) -> tuple[PretrainedConfig, ...]:
        """The configuration of each view."""
        return tuple(
            _KINDS[fields["model_type"]].config_class.from_dict(fields)  # pyright: ignore[reportOptionalMemberAccess]
            for fields in (self.named, self.blind)
        )


class TwoTexts(NamedTuple):
    """A text for each view."""

    named: Any
    blind: Any


@dataclass(frozen=True, slots=True)
class TextsOfViews:
    """Texts for each view."""

    named: Texts
    blind: Texts

    def __len__(self) -> int:
        return len(self.named)

    def __getitem__(self, number: int) -> TwoTexts:
        return TwoTexts(self.named[number], self.blind[number])

    def take(self, numbers: np.ndarray, /) -> "TextsOfViews":
        """Select texts by their numbers."""
        return TextsOfViews(self.named.take(numbers), self.blind.take(numbers))

    @property
    def lengths(self) -> np.ndarray:
        """The length of each text for the first view."""
        return self.named.lengths


@dataclass(frozen=True, slots=True)
class ReaderOfViews:
    """Reads texts for each view."""

    named: TextReader
    blind: TextReader

    @property
    def reads_text_column(self) -> bool:
        """Whether it reads sentences with `$TeX$` instead of typed tokens."""
        return False

    def read(self, texts: pa.Array, origin: str | None = None) -> TextsOfViews:
        """Read a column of texts."""
        return TextsOfViews(self.named.read(texts, origin), self.blind.read(texts, origin))

    def with_candidates(self, proofs: Columns, origin: str | None = None) -> "ReaderOfViews":
        """Return a reader that counts the candidate proofs in the frequencies of features."""
        return ReaderOfViews(
            self.named.with_candidates(proofs, origin), self.blind.with_candidates(proofs, origin)
        )

    def read_training_pairs(
        self, statements: pa.Array, proofs: pa.Array, origins: tuple[str, str]
    ) -> tuple[TextsOfViews, TextsOfViews]:
        """Read the pairs that the matcher is trained on."""
        named = self.named.read_training_pairs(statements, proofs, origins)
        blind = self.blind.read_training_pairs(statements, proofs, origins)
        return TextsOfViews(named[0], blind[0]), TextsOfViews(named[1], blind[1])

    def read_renamed(self, renamed: pa.Array, statements: TextsOfViews, proofs: TextsOfViews) -> TextsOfViews:
        """Read proofs of training pairs with other names for their variables."""
        return TextsOfViews(
            self.named.read_renamed(renamed, statements.named, proofs.named),
            self.blind.read_renamed(renamed, statements.blind, proofs.blind),
        )


class TwoViewMatcher(Matcher):
    """Scores a pair by the smooth maximum of the scores of two matchers, each trained with its own loss.

    With a loss of their joint score, the view that sees names would leave little to learn for the other one,
    and other names would mislead it.
    """

    config_class = TwoViewMatcherConfig
    config: TwoViewMatcherConfig
    base_model_prefix = "views"
    main_input_name = "statements"

    def __init__(self, config: TwoViewMatcherConfig) -> None:
        super().__init__(config)
        self.named, self.blind = (_KINDS[part.model_type](part) for part in config.view_configs)
        self.post_init()

    @classmethod
    def from_views(cls, named: Matcher, blind: Matcher, blind_offset: float = 0.0) -> "TwoViewMatcher":
        """Join two matchers, trained or not, with their weights.

        Args:
            named: The view that sees the names of variables.
            blind: The view that does not.
            blind_offset: Subtracted from the scores of the latter.
        """
        # Without the paths they were loaded from.
        fields = [
            {**view.config.to_diff_dict(), "model_type": view.config.model_type} for view in (named, blind)
        ]
        matcher = cls(TwoViewMatcherConfig(*fields, blind_offset=blind_offset))
        for view, given in zip(matcher.views, (named, blind), strict=True):
            view.load_state_dict(given.state_dict())
        trained = [view.training_data for view in (named, blind) if view.training_data is not None]
        matcher.training_data = sum(trained, TrainingData()) if trained else None
        return matcher

    @property
    def views(self) -> tuple[Matcher, Matcher]:
        """The two matchers."""
        return self.named, self.blind

    def forward(self, statements: Sequence[TwoTexts], proofs: Sequence[TwoTexts]) -> torch.Tensor:
        """Score every statement with every proof, (statements, proofs)."""
        named, blind = (
            view(*texts) for view, texts in zip(self.views, _by_view(statements, proofs), strict=True)
        )
        return smooth_maximum(named, blind, self.config.blind_offset)

    def backward(
        self,
        statements: Sequence[TwoTexts],
        proofs: Sequence[TwoTexts],
        loss: Callable[[torch.Tensor], torch.Tensor],
        chunk: int | None,
        gather: Gather,
    ) -> torch.Tensor:
        """Add the gradients of each view's loss to its parameters, and return the mean of the two."""
        return torch.stack(
            [
                view.backward(*texts, loss, chunk, gather)
                for view, texts in zip(self.views, _by_view(statements, proofs), strict=True)
            ]
        ).mean()

    def reader(self, tokenizer: PreTrainedTokenizerFast) -> ReaderOfViews:
        """Return a reader for both views."""
        return ReaderOfViews(self.named.reader(tokenizer), self.blind.reader(tokenizer))

    def parameter_groups(self) -> list[ParameterGroup]:
        """Give each view its own learning rates."""
        return [*self.named.parameter_groups(), *self.blind.parameter_groups()]

    def vectors(  # pyright: ignore[reportIncompatibleMethodOverride] - its own reader reads its texts
        self, texts: TextsOfViews, side: str, progress: Progress | None = None
    ) -> TextViews:
        """Encode texts as vectors of each view."""
        encoded = [
            view.vectors(part, side, progress)
            for view, part in zip(self.views, (texts.named, texts.blind), strict=True)
        ]
        named, blind = (vectors for vectors in encoded if isinstance(vectors, TextVectors))
        return TextViews((named, blind), self.config.blind_offset)

    def _init_weights(self, module: torch.nn.Module) -> None:
        """Leave the weights to the views, which have been initialized."""


def _by_view(
    statements: Sequence[TwoTexts], proofs: Sequence[TwoTexts]
) -> tuple[tuple[list[Any], list[Any]], ...]:
    return tuple(([text[at] for text in statements], [text[at] for text in proofs]) for at in range(2))
