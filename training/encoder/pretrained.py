"""Pretrained encoders of the Hugging Face Hub in place of the self-attentive one."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from tokenizers import Tokenizer
from torch import nn
from torch.nn import functional
from transformers import AutoConfig, AutoModel
from transformers.models.auto.modeling_auto import (
    MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    MODEL_FOR_MASKED_LM_MAPPING_NAMES,
)

from proofmatch.errors import ProofmatchError, first_line

from ..matcher import quiet_library
from ..model_files import check_model_files, check_vocabulary
from ..tokenizer import load_tokenizer
from .encoder_config import ProofMatcherConfig

_MAX_WORDS = 256  # as sentence encoders are used

# Text models only. Others may fetch parts of themselves from wherever their configuration says.
_TEXT_MODELS = {*MODEL_FOR_MASKED_LM_MAPPING_NAMES, *MODEL_FOR_CAUSAL_LM_MAPPING_NAMES}
_NO_SHAPES = ("dtype", "torch_dtype", "auto_map", "attn_implementation", "quantization_config")


class PretrainedEncoder(nn.Module):
    """Mean of the last layer's tokens, normalized to length one, as in sentence encoders."""

    def __init__(self, config: ProofMatcherConfig) -> None:
        super().__init__()
        fields = {key: value for key, value in (config.encoder_config or {}).items() if _is_shape(key)}
        model_type = fields.pop("model_type", None)
        if model_type not in _TEXT_MODELS:
            raise ProofmatchError(f"{model_type} is not a text encoder of transformers")
        encoder_config = AutoConfig.for_model(model_type, **fields)
        self.model = AutoModel.from_config(encoder_config, dtype=torch.float32, trust_remote_code=False)
        if config.frozen_layers:
            self._freeze(config.frozen_layers, encoder_config.num_hidden_layers)

    def _freeze(self, n_layers: int, depth: int) -> None:
        """Keep the weights of the embeddings and of the first layers."""
        if n_layers >= depth:
            raise ProofmatchError(
                f"frozen_layers is {n_layers}, but must be less than {depth}, the encoder's number of layers"
            )
        lists = [part for part in self.model.modules() if isinstance(part, nn.ModuleList)]
        layers = next((part for part in lists if len(part) == depth), None)
        if layers is None:
            raise ProofmatchError("the layers of this encoder cannot be frozen; set frozen_layers=0")
        # Whatever comes before a layer has its parameters before it.
        first_trained = next(layers[n_layers].parameters())
        for parameter in takewhile(lambda one: one is not first_trained, self.model.parameters()):
            parameter.requires_grad_(False)

    def forward(self, input_ids: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
        """Encode texts, (texts, length) → (texts, hidden), independently of the padding."""
        hidden = self.model(input_ids=input_ids, attention_mask=real.long()).last_hidden_state
        total = (hidden * real[:, :, None]).sum(dim=1)
        return functional.normalize(total / real.sum(dim=1, keepdim=True).clamp(min=1), dim=-1)

    def encode_batches(self, batches: Sequence[tuple[torch.Tensor, torch.Tensor]]) -> list[torch.Tensor]:
        """Encode several batches, as `forward` does one."""
        return [self(input_ids, real) for input_ids, real in batches]


def _is_shape(key: str) -> bool:
    """Whether a field of a configuration describes the model, not its code or how it is run."""
    return not key.startswith("_") and key not in _NO_SHAPES


def config_of_encoder(encoder: str, **sizes: Any) -> ProofMatcherConfig:  # noqa: ANN401 - fields of the config
    """Make the configuration of a matcher around a pretrained encoder.

    Args:
        encoder: `OWNER/NAME` on the Hub, or a folder.
        sizes: Fields of `ProofMatcherConfig`, such as `max_words`.

    Raises:
        ProofmatchError: If there is no such encoder, or it is not one of texts.
    """
    with _readable_errors(encoder):
        config = AutoConfig.from_pretrained(encoder, trust_remote_code=False, **check_model_files(encoder))
    # Every text model has these names, whatever its own ones are.
    hidden_size, vocab_size = (getattr(config, name, None) for name in ("hidden_size", "vocab_size"))
    if not hidden_size or not vocab_size:
        raise ProofmatchError(f"{encoder} is a {config.model_type}, which is not a text encoder")
    padding = getattr(config, "pad_token_id", None) or 0
    positions = getattr(config, "max_position_embeddings", None) or _MAX_WORDS
    # RoBERTa and its relatives count positions from the id of their padding.
    positions -= padding + 1 if padding else 0
    fields = {key: value for key, value in config.to_dict().items() if value is not None and _is_shape(key)}
    if "dropout" in sizes:
        dropouts = [key for key, value in fields.items() if "drop" in key and isinstance(value, int | float)]
        fields.update(dict.fromkeys(dropouts, sizes["dropout"]))
    return ProofMatcherConfig(
        **{
            **sizes,
            "encoder": name_of_encoder(encoder),
            "encoder_config": fields,
            "vocab_size": vocab_size,
            "embedding_size": hidden_size,
            "pad_token_id": padding,
            "max_words": min(sizes.get("max_words", _MAX_WORDS), positions),
        }
    )


def name_of_encoder(encoder: str) -> str:
    """Name an encoder in files that are shared: of a folder only the last part, for privacy."""
    return Path(encoder).absolute().name if Path(encoder).is_dir() else encoder


def weights_of_encoder(encoder: str) -> dict[str, torch.Tensor]:
    """Load the weights of a pretrained encoder, named as in `PretrainedEncoder`.

    Raises:
        ProofmatchError: If there are none.
    """
    with _readable_errors(encoder), quiet_library():
        model, found = AutoModel.from_pretrained(
            encoder,
            dtype=torch.float32,
            output_loading_info=True,
            trust_remote_code=False,
            use_safetensors=True,
            **check_model_files(encoder),
        )
    # The library initializes missing weights at random. A pooler often is missing, and is not used here.
    missing = sorted(name for name in found["missing_keys"] if "pooler" not in name)
    if missing:
        raise ProofmatchError(f"the weights of the encoder {encoder} are incomplete: {missing[0]} is missing")
    return {f"model.{name}": value for name, value in model.state_dict().items()}


def pieces_of_encoder(encoder: str) -> bytes:
    """Load the tokenizer of a pretrained encoder, as JSON, without truncation and padding.

    Raises:
        ProofmatchError: If there is none.
    """
    tokenizer = load_tokenizer(encoder, typed=False).backend_tokenizer
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer.to_str().encode()


def open_pieces(content: bytes) -> Tokenizer:
    """Open the tokenizer that is saved with the weights of a matcher.

    Raises:
        ProofmatchError: If it is damaged or too large.
    """
    check_vocabulary("the tokenizer in its weights", content, ",")
    try:
        return Tokenizer.from_str(content.decode())
    except Exception as error:  # the library has no class of its own
        raise ProofmatchError(
            f"the tokenizer in its weights cannot be opened ({first_line(error)}); fetch the model again"
        ) from None


@contextmanager
def _readable_errors(encoder: str) -> Iterator[None]:
    try:
        yield
    except ProofmatchError:
        raise
    except (OSError, ValueError, RuntimeError, SafetensorError) as error:
        raise ProofmatchError(
            f"the encoder {encoder} cannot be opened ({first_line(error)}); check its name, or give a folder"
            " that it was downloaded to: --set encoder=FOLDER"
        ) from None
