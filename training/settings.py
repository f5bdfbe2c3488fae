"""Settings of a training run: a preset, and what is set instead."""

import difflib
import tomllib
from dataclasses import dataclass, fields
from importlib.resources import files
from typing import Any, get_type_hints

from proofmatch.errors import ProofmatchError

from .setting_values import read_value

SECTIONS = ("tokenizer", "model", "lexical", "training")


@dataclass(frozen=True, slots=True)
class Settings:
    """What a preset says, section by section.

    Attributes:
        preset: Its name.
        tokenizer: Options of `train_tokenizer`.
        model: Fields of `ProofMatcherConfig`; none for a matcher without an encoder.
        lexical: Fields of `LexicalMatcherConfig`; none for a matcher without features.
        training: Fields of `MatchingArguments`.
    """

    preset: str
    tokenizer: dict[str, Any]
    model: dict[str, Any]
    lexical: dict[str, Any]
    training: dict[str, Any]


def preset_names() -> list[str]:
    """List the presets."""
    names = (entry.name for entry in files("proofmatch.training.presets").iterdir())
    return sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml"))


def load_settings(preset: str, overrides: list[str] | tuple[str, ...] = ()) -> Settings:
    """Read a preset and set some of its values anew.

    Args:
        preset: Its name.
        overrides: `key=value`, where a value is as in the preset's file; text needs no quotes.

    Raises:
        ProofmatchError: If there is no such preset or key, or a value is of another type than the key's.
    """
    if preset not in preset_names():
        raise ProofmatchError(f"there is no preset {preset!r}; presets are {', '.join(preset_names())}")
    text = files("proofmatch.training.presets").joinpath(f"{preset}.toml").read_text(encoding="utf-8")
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
            raise ProofmatchError(f"the preset {preset} has no {part}, so that {key} means nothing")
        getattr(settings, section)[key] = read_value(key, text, kind)
    return settings


def _known_keys() -> dict[str, tuple[str, Any]]:
    """Tell the section and the type of every setting."""
    from .lexical.config import LexicalMatcherConfig
    from .model.config import ProofMatcherConfig
    from .tokenizer import train_tokenizer
    from .trainer.arguments import MatchingArguments

    arguments = {field.name for field in fields(MatchingArguments) if field.init}
    types = {
        "training": {
            key: kind for key, kind in get_type_hints(MatchingArguments).items() if key in arguments
        },
        "model": ProofMatcherConfig.__init__.__annotations__,
        "lexical": LexicalMatcherConfig.__init__.__annotations__,
        "tokenizer": train_tokenizer.__annotations__,
    }
    return {
        key: (section, kind)
        for section, keys in types.items()
        for key, kind in keys.items()
        if key not in _NOT_SET and not key.startswith("dataloader_")
    }


_NOT_SET = {
    # These follow from the data or from options of the command.
    *(
        "vocab_size",
        "num_features",
        "num_weights",
        "num_rows",
        "num_background_entries",
        "num_texts",
        "features_version",
        "pad_token_id",
        "encoder_config",
        "input",
        "texts",
        "output_dir",
        "resume_from_checkpoint",
    ),
    # Instead there are `eval_epochs`, `save_epochs`, `log_epochs` and `chunk_size`.
    *("eval_steps", "save_steps", "logging_steps", "auto_find_batch_size", "gradient_checkpointing"),
    # The trainer does without, or has its own.
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
    "hub_token",  # would be in files that are shared; `hf auth login` and HF_TOKEN are for that
    *("others", "return"),  # not settings at all
}
