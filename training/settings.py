"""Settings of a training run: a preset, and overrides `key=value`."""

import difflib
import math
import tomllib
from dataclasses import dataclass, fields
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from proofmatch.errors import ProofmatchError

SECTIONS = ("tokenizer", "model", "lexical", "training")

JOINT_FIELDS = ("encoder_weight", "encoder_share")

# A pretrained encoder has its own sizes, so that only these fields have an effect.
ENCODER_FIELDS = ("max_words", "reads_tokens", "frozen_layers", "dropout", "hides_names")

_NOT_SET = {
    # These depend on the data or on options of the command.
    *(
        "vocab_size",
        "num_features",
        "num_weights",
        "num_rows",
        "num_background_entries",
        "num_texts",
        "features_version",
        "num_piece_bytes",
        "pad_token_id",
        "encoder_config",
        "input",
        "texts",
        "words",
        "output_dir",
        "resume_from_checkpoint",
    ),
    # Instead there are `eval_epochs`, `save_epochs`, `log_epochs` and `chunk_size`.
    *("eval_steps", "save_steps", "logging_steps", "auto_find_batch_size", "gradient_checkpointing"),
    # The trainer does not use these, or has its own.
    *(
        "optim",
        "optim_args",
        "optim_target_modules",
        "train_sampling_strategy",
        "data_seed",
        "save_only_model",
    ),
    *("per_device_eval_batch_size", "label_smoothing_factor", "torch_empty_cache_steps"),
    *("bf16_full_eval", "fp16_full_eval", "ignore_data_skip", "restore_callback_states_from_checkpoint"),
    *("do_train", "do_eval", "do_predict", "local_rank", "fp16", "torch_compile", "deepspeed", "fsdp"),
    "hub_token",  # would end up in shared files; use `hf auth login` or HF_TOKEN
    *("others", "return"),  # not settings
}

_CONSTANTS = {"none": None, "true": True, "false": False}
_TYPE_NAMES = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    list: "a list",
    dict: "a table",
    NoneType: "none",
}


@dataclass(frozen=True, slots=True)
class Settings:
    """The sections of a preset.

    Attributes:
        preset: Name of the preset.
        tokenizer: Options of `train_tokenizer`.
        model: Fields of `ProofMatcherConfig`, and those of `JointMatcherConfig` for a matcher with features;
            empty for a matcher without an encoder.
        lexical: Fields of `LexicalMatcherConfig`; `blind_groups`, the groups of a view that does not see
            the names of variables; `renamed_groups`, the groups of the only view that is trained on
            renamed proofs (`rename_share`; an encoder is, too); and `blind_offset` and `renamed_offset`,
            subtracted from the scores of these views. Empty for a matcher without features.
        training: Fields of `MatchingArguments`.
    """

    preset: str
    tokenizer: dict[str, Any]
    model: dict[str, Any]
    lexical: dict[str, Any]
    training: dict[str, Any]

    @property
    def encoder(self) -> dict[str, Any]:
        """The fields of `ProofMatcherConfig`."""
        return {name: value for name, value in self.model.items() if name not in JOINT_FIELDS}

    @property
    def joint(self) -> dict[str, Any]:
        """The fields of `JointMatcherConfig`."""
        return {name: self.model[name] for name in JOINT_FIELDS if name in self.model}


def preset_names() -> list[str]:
    """List the presets."""
    names = (entry.name for entry in _presets().iterdir())
    return sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml"))


def load_settings(preset: str, overrides: list[str] | tuple[str, ...] = ()) -> Settings:
    """Load a preset and apply overrides.

    Args:
        preset: Name of the preset.
        overrides: `key=value`, with values in TOML; text needs no quotes.

    Raises:
        ProofmatchError: If there is no such preset or key, or a value has the wrong type.
    """
    if preset not in preset_names():
        raise ProofmatchError(f"there is no preset {preset!r}; presets are {', '.join(preset_names())}")
    text = _presets().joinpath(f"{preset}.toml").read_text(encoding="utf-8")
    sections = tomllib.loads(text)
    settings = Settings(preset, **{section: sections.get(section, {}) for section in SECTIONS})
    known = _known_keys()
    for override in overrides:
        key, equals, text = override.partition("=")
        if not equals:
            raise ProofmatchError(f"--set takes key=value, not {override!r}")
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise ProofmatchError(f"there is no setting {key!r}{hint}")
        section, kind = known[key]
        if not getattr(settings, section) and section != "tokenizer":
            part = {"model": "encoder", "lexical": "lexical part"}[section]
            raise ProofmatchError(f"the preset {preset} has no {part}, so {key} has no effect; leave it out")
        getattr(settings, section)[key] = _read_value(key, text, kind)
    for key in (override.partition("=")[0] for override in overrides):
        if known[key][0] == "model" and key != "encoder" and (reason := _why_no_effect(key, settings)):
            raise ProofmatchError(f"{reason}, so {key} has no effect; leave it out")
    if settings.lexical and settings.model.get("encoder", "") is None:
        settings.model.clear()  # features alone
    return settings


def _why_no_effect(key: str, settings: Settings) -> str | None:
    """Tell why a setting of the encoder has no effect, if it has none."""
    encoder = settings.model.get("encoder")
    if settings.lexical and "encoder" in settings.model and encoder is None:
        return "without an encoder, features are trained alone"
    if key in JOINT_FIELDS:
        return None if settings.lexical else f"the preset {settings.preset} has no features"
    if settings.lexical and key == "reads_tokens":
        return "an encoder beside features always reads tokens"
    if encoder is not None and key not in ENCODER_FIELDS:
        return "a pretrained encoder has its own sizes"
    return None


def _presets() -> Traversable:
    return files("proofmatch.training").joinpath("presets")


def _known_keys() -> dict[str, tuple[str, Any]]:
    """Map every setting to its section and type."""
    from .encoder.encoder_config import ProofMatcherConfig
    from .lexical.lexical_config import LexicalMatcherConfig
    from .tokenizer import train_tokenizer
    from .trainer.arguments import MatchingArguments

    arguments = {field.name for field in fields(MatchingArguments) if field.init}
    types = {
        "training": {
            key: kind for key, kind in get_type_hints(MatchingArguments).items() if key in arguments
        },
        "model": {**ProofMatcherConfig.__init__.__annotations__, **dict.fromkeys(JOINT_FIELDS, float)},
        "lexical": {
            **LexicalMatcherConfig.__init__.__annotations__,
            **{f"{view}_groups": list[str] for view in ("renamed", "blind")},
            **{f"{view}_offset": float for view in ("renamed", "blind")},
        },
        "tokenizer": train_tokenizer.__annotations__,
    }
    return {
        key: (section, kind)
        for section, keys in types.items()
        for key, kind in keys.items()
        if key not in _NOT_SET and not key.startswith("dataloader_")
    }


def _read_value(key: str, text: str, kind: Any) -> Any:  # noqa: ANN401 - any type, and a value of it
    """Read the value of an override as TOML, checked against the type of its key."""
    value = _parse(text)
    if _fits(value, kind):
        return value
    if _fits(text, kind):
        return text  # a text that looks like a number
    wanted = " or ".join(dict.fromkeys(name for part in _parts(kind) if (name := _TYPE_NAMES.get(part))))
    raise ProofmatchError(f"{key} must be {wanted}, not {text!r}")


def _parse(text: str) -> Any:  # noqa: ANN401
    if text.lower() in _CONSTANTS:
        return _CONSTANTS[text.lower()]
    if "\n" in text:
        return text
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _fits(value: Any, kind: Any) -> bool:  # noqa: ANN401
    for part in _parts(kind):
        if part is float and isinstance(value, int | float) and not isinstance(value, bool):
            return math.isfinite(value)
        if isinstance(value, part) and (part is not int or not isinstance(value, bool)):
            return True
    return False


def _parts(kind: Any) -> list[Any]:  # noqa: ANN401
    """List the types of a union, without the type parameters of lists."""
    if get_origin(kind) is Literal:
        return [type(one) for one in get_args(kind)]
    if get_origin(kind) in (Union, UnionType):
        return [part for one in get_args(kind) for part in _parts(one)]
    return [get_origin(kind) or kind]
