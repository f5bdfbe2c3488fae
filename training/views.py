"""The matcher of several views: some see the names of variables, others do not.

Authors usually name the variables of a statement and of its proof alike, so equal names are strong evidence.
But new names do not change a proof. Each view scores a pair by itself, and the highest score counts.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np
import pyarrow as pa
import torch
from transformers import PretrainedConfig, PreTrainedTokenizerFast

from proofmatch.errors import ProofmatchError
from proofmatch.progress import Progress

from ..evaluation.training_data import TrainingData
from .lexical.lexical_config import LexicalMatcherConfig
from .lexical.lexical_matcher import LexicalMatcher
from .matcher import Gather, Matcher, ParameterGroup, kind_of_part
from .texts import Columns, TextReader, Texts
from .vectors import TextVectors, TextViews, smooth_maximum


class MultiViewMatcherConfig(PretrainedConfig):
    """The configurations of the views.

    Args:
        views: Fields of the configuration of each view, with its `model_type`.
        offsets: The offsets that are subtracted from the scores of each view.
        renamed: Whether each view is trained on renamed proofs, if there are any; by default all are.
    """

    model_type = "multi-view-matcher"

    def __init__(
        self,
        views: Sequence[dict[str, Any]] = (),
        offsets: Sequence[float] | None = None,
        renamed: Sequence[bool] | None = None,
        **others: Any,  # noqa: ANN401 - what `PretrainedConfig` takes
    ) -> None:
        super().__init__(**others)
        self.views = list(views)
        self.offsets = [0.0] * len(views) if offsets is None else list(offsets)
        self.renamed = [True] * len(views) if renamed is None else list(renamed)
        if not len(self.views) == len(self.offsets) == len(self.renamed):
            raise ProofmatchError(
                f"{len(self.views)} views need as many offsets and as many values of `renamed`"
            )
        if not all(isinstance(offset, int | float) and isfinite(offset) for offset in self.offsets):
            raise ProofmatchError(f"offsets must be numbers, not {self.offsets}")
        for fields in self.views:
            kind_of_part(fields, LexicalMatcher)

    @property
    def input(self) -> str:
        """Which tokens the matcher takes: `both`, `text` or `math`."""
        return self.view_configs[0].input

    @property
    def view_configs(self) -> tuple[LexicalMatcherConfig, ...]:
        """The configuration of each view."""
        return tuple(LexicalMatcherConfig.from_dict(fields) for fields in self.views)


@dataclass(frozen=True, slots=True)
class TextsOfViews:
    """Texts for each view. A single text is a tuple, with an element for each view."""

    views: tuple[Texts, ...]

    def __len__(self) -> int:
        return len(self.views[0])

    def __getitem__(self, number: int) -> tuple[Any, ...]:
        return tuple(view[number] for view in self.views)

    def take(self, numbers: np.ndarray, /) -> "TextsOfViews":
        """Select texts by their numbers."""
        return TextsOfViews(tuple(view.take(numbers) for view in self.views))

    @property
    def lengths(self) -> np.ndarray:
        """The length of each text for the first view."""
        return self.views[0].lengths


@dataclass(frozen=True, slots=True)
class ReaderOfViews:
    """Reads texts for each view.

    Attributes:
        readers: The reader of each view.
        renamed: Whether each view is trained on renamed proofs.
    """

    readers: tuple[TextReader, ...]
    renamed: tuple[bool, ...]

    @property
    def reads_text_column(self) -> bool:
        """Whether it reads sentences with `$TeX$` instead of typed tokens."""
        return False

    def read(self, texts: pa.Array, origin: str | None = None) -> TextsOfViews:
        """Read a column of texts."""
        return TextsOfViews(tuple(reader.read(texts, origin) for reader in self.readers))

    def with_candidates(self, proofs: Columns, origin: str | None = None) -> "ReaderOfViews":
        """Return a reader that counts the candidate proofs in the frequencies of features."""
        readers = tuple(reader.with_candidates(proofs, origin) for reader in self.readers)
        return ReaderOfViews(readers, self.renamed)

    def read_training_pairs(
        self, statements: pa.Array, proofs: pa.Array, origins: tuple[str, str]
    ) -> tuple[TextsOfViews, TextsOfViews]:
        """Read the pairs that the matcher is trained on."""
        read = [reader.read_training_pairs(statements, proofs, origins) for reader in self.readers]
        return TextsOfViews(tuple(sides[0] for sides in read)), TextsOfViews(
            tuple(sides[1] for sides in read)
        )

    def read_renamed(self, renamed: pa.Array, statements: TextsOfViews, proofs: TextsOfViews) -> TextsOfViews:
        """Read proofs of training pairs with other names for their variables, for views that take them."""
        views = zip(self.readers, self.renamed, statements.views, proofs.views, strict=True)
        return TextsOfViews(
            tuple(
                reader.read_renamed(renamed, *texts) if is_renamed else texts[1]
                for reader, is_renamed, *texts in views
            )
        )


class MultiViewMatcher(Matcher):
    """Scores a pair by the smooth maximum of the scores of several matchers, each trained with its own loss.

    With a loss of their joint score, a view that sees names would leave little to learn for the others, and
    other names would mislead it.
    """

    config_class = MultiViewMatcherConfig
    config: MultiViewMatcherConfig
    base_model_prefix = "views"
    main_input_name = "statements"

    def __init__(self, config: MultiViewMatcherConfig) -> None:
        super().__init__(config)
        self.matchers = torch.nn.ModuleList(LexicalMatcher(part) for part in config.view_configs)
        self.post_init()

    @classmethod
    def from_views(
        cls,
        views: Sequence[Matcher],
        offsets: Sequence[float] | None = None,
        renamed: Sequence[bool] | None = None,
    ) -> "MultiViewMatcher":
        """Join several matchers, trained or not, with their weights.

        Args:
            views: The matchers. The first sees the names of variables.
            offsets: The offsets that are subtracted from their scores.
            renamed: Whether each is trained on renamed proofs.
        """
        # Without the paths they were loaded from.
        fields = [{**view.config.to_diff_dict(), "model_type": view.config.model_type} for view in views]
        matcher = cls(MultiViewMatcherConfig(fields, offsets, renamed))
        for view, given in zip(matcher.views, views, strict=True):
            view.load_state_dict(given.state_dict())
        trained = [view.training_data for view in views if view.training_data is not None]
        matcher.training_data = sum(trained, TrainingData()) if trained else None
        return matcher

    @property
    def views(self) -> tuple[Matcher, ...]:
        """The matchers."""
        return tuple(view for view in self.matchers if isinstance(view, Matcher))

    def forward(
        self, statements: Sequence[tuple[Any, ...]], proofs: Sequence[tuple[Any, ...]]
    ) -> torch.Tensor:
        """Score every statement with every proof, (statements, proofs)."""
        scores = [view(*texts) for view, texts in self._by_view(statements, proofs)]
        return smooth_maximum(scores, self.config.offsets)

    def backward(
        self,
        statements: Sequence[tuple[Any, ...]],
        proofs: Sequence[tuple[Any, ...]],
        loss: Callable[[torch.Tensor], torch.Tensor],
        chunk: int | None,
        gather: Gather,
    ) -> torch.Tensor:
        """Add the gradients of each view's loss to its parameters, and return the mean of the losses."""
        return torch.stack(
            [view.backward(*texts, loss, chunk, gather) for view, texts in self._by_view(statements, proofs)]
        ).mean()

    def _by_view(
        self, statements: Sequence[tuple[Any, ...]], proofs: Sequence[tuple[Any, ...]]
    ) -> Iterator[tuple[Matcher, tuple[list[Any], list[Any]]]]:
        for at, view in enumerate(self.views):
            yield view, ([text[at] for text in statements], [text[at] for text in proofs])

    def reader(self, tokenizer: PreTrainedTokenizerFast) -> ReaderOfViews:
        """Return a reader for all views."""
        return ReaderOfViews(tuple(view.reader(tokenizer) for view in self.views), tuple(self.config.renamed))

    def parameter_groups(self) -> list[ParameterGroup]:
        """Give each view its own learning rates."""
        return [group for view in self.views for group in view.parameter_groups()]

    def vectors(  # pyright: ignore[reportIncompatibleMethodOverride] - its own reader reads its texts
        self, texts: TextsOfViews, side: str, progress: Progress | None = None
    ) -> TextViews:
        """Encode texts as vectors of each view."""
        encoded = [
            view.vectors(part, side, progress) for view, part in zip(self.views, texts.views, strict=True)
        ]
        views = tuple(vectors for vectors in encoded if isinstance(vectors, TextVectors))
        return TextViews(views, tuple(self.config.offsets))

    def _init_weights(self, module: torch.nn.Module) -> None:
        """Leave the weights to the views, which have been initialized."""
