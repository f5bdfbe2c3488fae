"""`SavedMatcher`: what all matchers share, that is how they are opened, and what training asks of them."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import torch
from safetensors import SafetensorError
from transformers import PretrainedConfig, PreTrainedModel, PreTrainedTokenizerFast

from proofmatch.errors import ProofmatchError, first_line
from proofmatch.progress import Progress

from ..quiet import quiet_library
from ..reading import TextReader, Texts
from ..vectors import TextVectors
from .rates import ParameterGroup

Gather = Callable[[torch.Tensor], torch.Tensor]


class SavedMatcher(PreTrainedModel):
    """A model that scores proofs for statements.

    Attributes:
        trains_in_several_processes: Whether processes can share a batch.
    """

    trains_in_several_processes = False

    @classmethod
    def from_pretrained(  # noqa: D417 - the others are the library's
        cls,
        pretrained_model_name_or_path: Any,  # noqa: ANN401
        *others: Any,  # noqa: ANN401
        **options: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401 - a matcher, or what `output_loading_info` asks for
        """Open a matcher.

        Args:
            pretrained_model_name_or_path: A folder, or `OWNER/NAME` on the Hub.

        Raises:
            ProofmatchError: If there is none, or its weights are not those of its configuration.
        """
        name = pretrained_model_name_or_path
        is_info_wanted = options.pop("output_loading_info", False)
        wanted = {"use_safetensors": True, "ignore_mismatched_sizes": True, "output_loading_info": True}
        try:
            with quiet_library():
                kind = kind_of_model(name, **options)
                is_ours = kind == cls.config_class.model_type  # pyright: ignore[reportOptionalMemberAccess]
                opened: Any = is_ours and super().from_pretrained(name, *others, **{**options, **wanted})
        except ProofmatchError as error:
            raise ProofmatchError(f"the configuration of {name} does not work: {error}") from None
        except (OSError, ValueError, RuntimeError, SafetensorError) as error:
            raise ProofmatchError(
                f"{name} is neither a folder with a matcher nor OWNER/NAME of one on the Hub "
                f"({first_line(error)})"
            ) from None
        if not is_ours:
            raise ProofmatchError(
                f"{name} is a model of the kind {kind}, not {cls.config_class.model_type}"  # pyright: ignore[reportOptionalMemberAccess]
            )
        matcher, found = opened
        # The library gives missing weights at random and goes on, which would look like a bad model.
        faults = {kind: sorted(map(str, keys)) for kind, keys in found.items() if keys}
        if faults:
            kind, keys = next(iter(faults.items()))
            raise ProofmatchError(
                f"the weights of {name} are not those of its configuration ({kind.replace('_', ' ')}: "
                f"{keys[0]}); take config.json and model.safetensors from the same checkpoint"
            )
        return (matcher, found) if is_info_wanted else matcher

    @abstractmethod
    def reader(self, tokenizer: PreTrainedTokenizerFast) -> TextReader:
        """Tell how texts are read for this matcher."""

    @abstractmethod
    def backward(
        self,
        statements: Sequence[Any],
        proofs: Sequence[Any],
        loss: Callable[[torch.Tensor], torch.Tensor],
        chunk: int | None,
        gather: Gather,
    ) -> torch.Tensor:
        """Add the gradients of a batch's loss to the parameters, and return the loss.

        Args:
            statements: As the reader reads them.
            proofs: The same.
            loss: A function of the score matrix.
            chunk: How many texts are encoded with a graph at a time; None for all of them.
            gather: Puts together the vectors of several processes that share a batch.
        """

    @abstractmethod
    def parameter_groups(self) -> list[ParameterGroup]:
        """Tell which parameters learn at which rate."""

    @abstractmethod
    def vectors(self, texts: Texts, side: str, progress: Progress | None = None) -> TextVectors:
        """Turn texts of a side into vectors whose inner products are the scores.

        Args:
            texts: As the reader reads them.
            side: `statement` or `proof`.
            progress: Is advanced now and then.
        """


def kind_of_model(name: Any, **options: Any) -> str | None:  # noqa: ANN401 - as `from_pretrained`
    """Tell the kind of a saved model from its configuration."""
    return PretrainedConfig.get_config_dict(name, **options)[0].get("model_type")
