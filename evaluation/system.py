"""The sidecar of a prediction file: which system made it, and how."""

import json
import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from sys import float_info
from typing import Any

from proofmatch.errors import ProofmatchError, shown

from .prediction_formats import stem_of
from .task import INPUTS

SHARED_SIDECAR = "system.json"
_TEXTS = ("name", "input", "decoding", "url", "notes")
SYSTEM_FIELDS = (*_TEXTS, "transductive", "normalization")


@dataclass(frozen=True, slots=True)
class System:
    """A system that makes predictions."""

    name: str  # its name in tables
    input: str | None = None  # what it uses of a text: `both`, `text` or `math`
    decoding: str | None = None  # how it chooses: `local`, `global`, `exact`, or whatever its authors call it
    url: str | None = None  # where to read about it
    notes: str | None = None
    transductive: bool = False  # whether a ranking uses the other statements or the set of all proofs
    normalization: dict[str, Any] | None = None  # of scores over these: `method`, and its settings
    extra: dict[str, Any] = field(default_factory=dict)  # kept as they are, such as the seconds it took

    def __post_init__(self) -> None:
        for name in _TEXTS:
            value = getattr(self, name)
            if not isinstance(value, str | None) or value == "":
                raise ProofmatchError(f"the system's {name} must be a text, not {shown(value)}")
        if self.name is None or not self.name.isprintable():
            raise ProofmatchError(f"the system's name must be a line of text, not {shown(self.name)}")
        if self.input not in (None, *INPUTS):
            raise ProofmatchError(
                f"the system's input must be one of {', '.join(INPUTS)}, not {shown(self.input)}"
            )
        if self.url is not None and not self.url.startswith(("https://", "http://")):
            raise ProofmatchError(
                f"the system's url must begin with https:// or http://, not be {shown(self.url)}"
            )
        if not isinstance(self.transductive, bool):
            raise ProofmatchError(
                f"the system's transductive must be true or false, not {shown(self.transductive)}"
            )
        if self.normalization is not None:
            _check_normalization(self.normalization, self.transductive)

    def as_dict(self) -> dict[str, Any]:
        """Return all fields that are set, the extra ones beside the others."""
        known = {name: getattr(self, name) for name in SYSTEM_FIELDS}
        return {name: value for name, value in known.items() if value} | self.extra


def sidecar_of(predictions: Path) -> Path:
    """Name the sidecar of a prediction file: `x.jsonl.system.json` beside `x.jsonl`."""
    return predictions.with_name(f"{predictions.name}.{SHARED_SIDECAR}")


def find_sidecar(predictions: Path) -> Path | None:
    """Find the sidecar of a prediction file, which may be one that all files of its folder share."""
    for name in (predictions.name, stem_of(predictions), None):
        path = predictions.with_name(f"{name}.{SHARED_SIDECAR}" if name else SHARED_SIDECAR)
        if os.path.exists(path):  # noqa: PTH110 - false, not an error, where the folder may not be read
            return path
    return None


def read_system(predictions: Path, **overrides: str | None) -> System:
    """Read which system made a prediction file.

    For `x.jsonl` this is in `x.jsonl.system.json`, or `x.system.json`, or `system.json` in its folder. A file
    without any of them is by a system with the file's name.

    Args:
        predictions: The file.
        overrides: Fields to use in place of the sidecar's, unless they are None.

    Raises:
        ProofmatchError: If the sidecar is not valid.
    """
    sidecar, name = find_sidecar(predictions), stem_of(predictions)
    system = System(name) if sidecar is None else _read_sidecar(sidecar, name)
    return replace(system, **{name: value for name, value in overrides.items() if value is not None})


def normalization_in_words(normalization: dict[str, Any] | None) -> str:
    """Describe a method and its settings, as in `sinkhorn, temperature 0.05, 20 rounds`; a dash for None."""
    if normalization is None:
        return "–"
    words = [normalization["method"]]
    if "temperature" in normalization:
        words.append(f"temperature {normalization['temperature']:g}")
    if "rounds" in normalization:
        words.append(f"{normalization['rounds']} round{'s' if normalization['rounds'] > 1 else ''}")
    return ", ".join(words)


def _check_normalization(normalization: object, transductive: bool) -> None:
    if not isinstance(normalization, dict):
        raise ProofmatchError(f"the system's normalization must be an object, not {shown(normalization)}")
    method, temperature, rounds = (normalization.get(key) for key in ("method", "temperature", "rounds"))
    if not isinstance(method, str) or not method or not method.isprintable():
        raise ProofmatchError(f"the method of the system's normalization must be a text, not {shown(method)}")
    if "temperature" in normalization and not _is_positive(temperature, int | float):
        raise ProofmatchError(
            f"the temperature of the system's normalization must be greater than 0, not {shown(temperature)}"
        )
    if "rounds" in normalization and not _is_positive(rounds, int):
        raise ProofmatchError(
            f"the rounds of the system's normalization must be a whole number from 1 on, not {shown(rounds)}"
        )
    if not transductive:
        raise ProofmatchError(
            "the system's normalization makes it transductive: say that it is, or leave the normalization out"
        )


def _is_positive(value: Any, kind: Any) -> bool:  # noqa: ANN401 - any value of a JSON file
    return isinstance(value, kind) and not isinstance(value, bool) and 0 < value <= float_info.max


def _read_sidecar(path: Path, default_name: str) -> System:
    try:
        fields = json.loads(path.read_text(encoding="utf-8"), parse_constant=_refuse_constant)
        # Infinite numbers and half surrogate pairs could not be written again.
        json.dumps(fields, ensure_ascii=False, allow_nan=False).encode()
    except (OSError, ValueError, RecursionError) as error:
        raise ProofmatchError(f"{path} is not a JSON file ({error}); correct or remove it") from None
    if not isinstance(fields, dict):
        raise ProofmatchError(f"{path} must be a JSON object with the fields {', '.join(SYSTEM_FIELDS)}")
    known = {name: fields.pop(name) for name in SYSTEM_FIELDS if name in fields}
    try:
        return System(**{"name": default_name, **known}, extra=fields)
    except ProofmatchError as error:
        raise ProofmatchError(f"{path}: {error}") from None


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
