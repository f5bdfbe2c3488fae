"""Any encoder of the Hugging Face Hub in the place of ours."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from torch import nn
from torch.nn import functional
from transformers import AutoConfig, AutoModel

from proofmatch.errors import ProofmatchError

from ..quiet import quiet_library
from .config import ProofMatcherConfig


class PretrainedEncoder(nn.Module):
    """Texts → vectors of length one: the mean of the last layer's tokens, as sentence encoders do it."""

    def __init__(self, config: ProofMatcherConfig) -> None:
        super().__init__()
        fields = dict(config.encoder_config or {})
        self.padding = config.pad_token_id
        self.model = AutoModel.from_config(AutoConfig.for_model(fields.pop("model_type"), **fields))

    def forward(self, input_ids: torch.Tensor) -> torch.Tensor:
        """Encode texts, (texts, length) → (texts, hidden). Padding does not change a vector."""
        real = input_ids != self.padding
        hidden = self.model(input_ids=input_ids, attention_mask=real.long()).last_hidden_state
        total = (hidden * real[:, :, None]).sum(dim=1)
        return functional.normalize(total / real.sum(dim=1, keepdim=True).clamp(min=1), dim=-1)


def config_of_encoder(encoder: str, **sizes: Any) -> ProofMatcherConfig:  # noqa: ANN401 - fields of the config
    """Make the configuration of a matcher around a pretrained encoder.

    Args:
        encoder: `OWNER/NAME` on the Hub, or a folder.
        sizes: Fields of `ProofMatcherConfig`, such as `max_words`.

    Raises:
        ProofmatchError: If there is no such encoder.
    """
    with _worded(encoder):
        fields = AutoConfig.from_pretrained(encoder).to_dict()
    if "hidden_size" not in fields:
        raise ProofmatchError(f"{encoder} ({fields.get('model_type')}) is not an encoder with a hidden_size")
    return ProofMatcherConfig(
        **{
            **sizes,
            # The place of a folder is nobody else's business.
            "encoder": Path(encoder).absolute().name if Path(encoder).is_dir() else encoder,
            "encoder_config": {
                key: value for key, value in fields.items() if value is not None and not key.startswith("_")
            },
            "vocab_size": fields["vocab_size"],
            "pad_token_id": fields.get("pad_token_id") or 0,
            "max_words": min(sizes.get("max_words", 256), fields.get("max_position_embeddings", 256)),
        }
    )


def weights_of_encoder(encoder: str) -> dict[str, torch.Tensor]:
    """Open the weights of a pretrained encoder, by the names that `PretrainedEncoder` has for them.

    Raises:
        ProofmatchError: If there are none.
    """
    with _worded(encoder), quiet_library():
        weights = AutoModel.from_pretrained(encoder).state_dict()
    return {f"model.{name}": value for name, value in weights.items()}


@contextmanager
def _worded(encoder: str) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError, RuntimeError, SafetensorError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise ProofmatchError(f"the encoder {encoder} cannot be opened ({reason}); check its name") from None
