"""Checks the files of an untrusted model or tokenizer before the library opens any of them.

The library opens what the files name: an index its shards, a configuration its weights, an adapter the model
it belongs to. Only weights in safetensors in the model's own folder are opened here. Files that are read
into memory at once are limited in size.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from proofmatch.errors import ProofmatchError, first_line, shown
from proofmatch.storage import read_limited

_CONFIG = "config.json"
_ADAPTER = "adapter_config.json"
_INDEXES = ("*.safetensors.index.json", "*.safetensors.index.*.json")  # also of a variant
_VOCABULARIES = ("tokenizer.json", "vocab.*", "merges.txt", "*.model")
_SETTINGS = (
    *(_CONFIG, _ADAPTER, "generation_config.json", "tokenizer_config.json"),
    *("special_tokens_map.json", "added_tokens.json", "chat_template.*"),
)
_HUB_OPTIONS = ("revision", "token", "cache_dir", "local_files_only", "force_download")

_MOST_BYTES_OF_SETTINGS = 4_000_000
_MOST_BYTES_OF_INDEX = 16_000_000
_MOST_BYTES_OF_VOCABULARY = 40_000_000
_MOST_ENTRIES = 1_600_000  # of a vocabulary, merges included; each takes up to 400 bytes


def check_model_files(model: object, options: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Check the files of a model before any of them is opened.

    Args:
        model: A folder, or `OWNER/NAME` on the Hub.
        options: Options of `from_pretrained`.

    Returns:
        The options, with the commit that was checked.

    Raises:
        ProofmatchError: If the model has a file that must not be opened, or a file that is too large.
        OSError: If there is no such model.
    """
    options, folder = dict(options or {}), Path(str(model))
    if folder.exists() and not folder.is_dir():
        raise OSError("a file, not a folder")  # the library would take it for weights
    if not folder.is_dir():
        folder = _fetch(str(model), options)
        options["revision"] = folder.name
    _check_folder(str(model), folder / (options.get("subfolder") or ""))
    return options


def _fetch(repository: str, options: Mapping[str, Any]) -> Path:
    """Fetch the small files of a model to the Hub's cache; the name of their folder is the commit."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError

    subfolder = options.get("subfolder") or ""
    patterns = [str(PurePosixPath(subfolder, name)) for name in (*_SETTINGS, *_INDEXES, *_VOCABULARIES)]
    chosen = {name: options[name] for name in _HUB_OPTIONS if options.get(name) is not None}
    try:
        return Path(snapshot_download(repository, allow_patterns=patterns, **chosen))
    except (HfHubHTTPError, HFValidationError, OSError) as error:
        raise OSError(first_line(error)) from None


def _check_folder(model: str, folder: Path) -> None:
    for path in _matching(folder, _SETTINGS):
        content = _read(model, path, _MOST_BYTES_OF_SETTINGS)
        if path.name == _ADAPTER:
            raise ProofmatchError(
                f"{model} has {_ADAPTER}, and adapters are not opened; merge it into the model's weights"
            )
        # The library would open these in place of model.safetensors, pickles among them.
        if path.name == _CONFIG and "transformers_weights" in _parsed(model, path, content):
            raise ProofmatchError(
                f"{_CONFIG} of {model} names its own transformers_weights; call the weights model.safetensors"
            )
    for path in _matching(folder, _VOCABULARIES):
        content = _read(model, path, _MOST_BYTES_OF_VOCABULARY)
        check_vocabulary(f"{path.name} of {model}", content, "," if path.suffix == ".json" else "\n")
    for path in _matching(folder, _INDEXES):
        index = _parsed(model, path, _read(model, path, _MOST_BYTES_OF_INDEX))
        shards = index.get("weight_map")
        if not isinstance(shards, dict):
            raise ProofmatchError(f"{path.name} of {model} has no weight_map; fetch the model again")
        for shard in {shown(name): name for name in shards.values()}.values():
            if not _is_inside(folder, shard):
                raise ProofmatchError(
                    f"{path.name} of {model} names {shown(shard)}, which is not a .safetensors file in the "
                    "model's own folder; do not use this model"
                )


def check_vocabulary(name: str, content: bytes, separator: str) -> None:
    """Refuse a vocabulary that would take too much memory.

    Args:
        name: What it is called in messages.
        content: The file.
        separator: What stands between two entries.
    """
    if len(content) > _MOST_BYTES_OF_VOCABULARY:
        raise ProofmatchError(f"{name} has more than {_MOST_BYTES_OF_VOCABULARY:,} bytes")
    if content.count(separator.encode()) > _MOST_ENTRIES:
        raise ProofmatchError(f"{name} has more than {_MOST_ENTRIES:,} entries")


def _matching(folder: Path, patterns: tuple[str, ...]) -> Iterator[Path]:
    for pattern in patterns:
        yield from sorted(folder.glob(pattern))


def _read(model: str, path: Path, most: int) -> bytes:
    try:
        return read_limited(path, most)
    except OSError as error:
        raise ProofmatchError(
            f"{path.name} of {model} cannot be read ({error.strerror or error}); fetch the model again"
        ) from None


def _parsed(model: str, path: Path, content: bytes) -> dict[str, Any]:
    try:
        fields = json.loads(content)
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        raise ProofmatchError(f"{path.name} of {model} is not a JSON object; fetch the model again")
    return fields


def _is_inside(folder: Path, shard: object) -> bool:
    """Tell whether a name is one of a safetensors file in the folder, links included."""
    if not isinstance(shard, str) or not shard.endswith(".safetensors") or not shard.isprintable():
        return False
    for kind in (PurePosixPath, PureWindowsPath):
        name = kind(shard)
        if name.is_absolute() or name.drive or ".." in name.parts:
            return False
    inside = [folder.resolve()]
    if folder.parent.name == "snapshots":  # the Hub's cache: files are links to `blobs`
        inside.append(folder.resolve().parent.parent / "blobs")
    return any((folder / shard).resolve().is_relative_to(place) for place in inside)
