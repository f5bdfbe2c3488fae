"""The sidecar of a prediction file: which system made it."""

import json
import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from proofmatch.errors import ProofmatchError

from ..task import INPUTS
from .faults import shown
from .formats import stem_of
from .transduction import check_transduction

SHARED_SIDECAR = "system.json"
_TEXTS = ("name", "input", "decoding", "url", "notes")
_NAMES = (*_TEXTS, "transductive", "normalization")


@dataclass(frozen=True, slots=True)
class System:
    """A system that makes predictions.

    Attributes:
        name: What tables call it.
        input: What it sees of a text: `both`, `text` or `math`.
        decoding: How it chooses: `local`, `global`, `exact`, or whatever its authors call it.
        url: Where to read about it.
        notes: Anything worth saying in a sentence.
        transductive: Whether its ranking for a statement uses the other statements or the set of all proofs.
        normalization: How it normalises scores over these: `method`, and its settings.
        extra: Further fields, such as the seconds it took; kept as they are.
    """

    name: str
    input: str | None = None
    decoding: str | None = None
    url: str | None = None
    notes: str | None = None
    transductive: bool = False
    normalization: dict[str, Any] | None = None
    extra: dict[str, Any] = field(default_factory=dict)

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
        check_transduction(self.transductive, self.normalization)

    def as_dict(self) -> dict[str, Any]:
        """Give all fields that are set, the further ones beside the others."""
        known = {name: getattr(self, name) for name in _NAMES}
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


def read_system(predictions: Path, **instead: str | None) -> System:
    """Read which system made a prediction file.

    For `x.jsonl` this is in `x.jsonl.system.json`, or `x.system.json`, or `system.json` in its folder. A file
    without any of them is by a system that has the file's name.

    Args:
        predictions: The file.
        instead: Fields to take in place of the sidecar's, where they are not None.

    Raises:
        ProofmatchError: If the sidecar is not as it should be.
    """
    sidecar, name = find_sidecar(predictions), stem_of(predictions)
    system = System(name) if sidecar is None else _read(sidecar, name)
    return replace(system, **{name: value for name, value in instead.items() if value is not None})


def _read(path: Path, default_name: str) -> System:
    try:
        fields = json.loads(path.read_text(encoding="utf-8"), parse_constant=_refuse_constant)
        # Numbers beyond all bounds and half characters cannot be written again.
        json.dumps(fields, ensure_ascii=False, allow_nan=False).encode()
    except (OSError, ValueError, RecursionError) as error:
        raise ProofmatchError(f"{path} is not a JSON file ({error}); correct or remove it") from None
    if not isinstance(fields, dict):
        raise ProofmatchError(f"{path} must be a JSON object with the fields {', '.join(_NAMES)}")
    known = {name: fields.pop(name) for name in _NAMES if name in fields}
    try:
        return System(**{"name": default_name, **known}, extra=fields)
    except ProofmatchError as error:
        raise ProofmatchError(f"{path}: {error}") from None


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
