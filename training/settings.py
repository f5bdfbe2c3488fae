"""Settings of a training run: a preset, and what is set instead."""

import difflib
import tomllib
from dataclasses import dataclass, fields
from importlib.resources import files
from typing import Any

from proofmatch.errors import ProofmatchError

SECTIONS = ("tokenizer", "model", "training")


@dataclass(frozen=True, slots=True)
class Settings:
    """What a preset says, section by section.

    Attributes:
        preset: Its name.
        tokenizer: Options of `train_tokenizer`.
        model: Fields of `ProofMatcherConfig`.
        training: Fields of `MatchingArguments`.
    """

    preset: str
    tokenizer: dict[str, Any]
    model: dict[str, Any]
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
        ProofmatchError: If there is no such preset, or no such key.
    """
    if preset not in preset_names():
        raise ProofmatchError(f"there is no preset {preset!r}; presets are {', '.join(preset_names())}")
    text = files("proofmatch.training.presets").joinpath(f"{preset}.toml").read_text(encoding="utf-8")
    sections = tomllib.loads(text)
    settings = Settings(preset, **{section: sections.get(section, {}) for section in SECTIONS})
    known = _known_keys()
    for override in overrides:
        key, equals, value = override.partition("=")
        if not equals:
            raise ProofmatchError(f"--set takes key=value, not {override!r}")
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise ProofmatchError(f"there is no setting {key!r}{hint}")
        getattr(settings, known[key])[key] = _value(value)
    return settings


def _known_keys() -> dict[str, str]:
    """Name the section of every setting."""
    import inspect

    from .model.config import ProofMatcherConfig
    from .tokenizer import train_tokenizer
    from .trainer.arguments import MatchingArguments

    keys = {field.name: "training" for field in fields(MatchingArguments) if field.init}
    sizes = set(inspect.signature(ProofMatcherConfig.__init__).parameters)
    keys |= dict.fromkeys(sizes - {"self", "others", *_NOT_SET}, "model")
    options = set(inspect.signature(train_tokenizer).parameters)
    keys |= dict.fromkeys(options - {"texts"}, "tokenizer")
    return {key: section for key, section in keys.items() if key not in _NOT_SET}


# These follow from the data or from options of the command.
_NOT_SET = ("vocab_size", "pad_token_id", "encoder_config", "input", "output_dir", "do_train", "do_eval")


def _value(text: str) -> Any:  # noqa: ANN401 - whatever TOML has
    if text in ("none", "None"):
        return None
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
