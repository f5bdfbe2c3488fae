"""The sidecar of a prediction file: which system made it, and how."""

import json
import os
import re
import unicodedata
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from sys import float_info
from typing import Any
from urllib.parse import urlsplit

from proofmatch.errors import ProofmatchError, one_line, shown
from proofmatch.strict_json import read_json

from .prediction_formats import stem_of
from .task import INPUTS
from .training_data import TrainedOn, read_entries

SHARED_SIDECAR = "system.json"
# The longest texts in characters, as in `result.schema.json`.
LONGEST_TEXTS = {
    "name": 100,
    "input": 10,
    "decoding": 60,
    "url": 500,
    "notes": 500,
    "date": 10,
    "submitter": 100,
}
LONGEST_EXTRA = 10_000  # of all further fields together, as JSON
SYSTEM_FIELDS = (
    *LONGEST_TEXTS,
    "transductive",
    "normalization",
    "trained_on",
    "seen_answers",
    "allow_seen",
)
_LONGEST_METHOD = 60
_MOST_ROUNDS = 1_000_000
# Characters that show nothing although Unicode counts them as letters, marks or symbols: fillers of Hangul, a
# blank of Braille, and selectors of variants.
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_SPACES = re.compile("[ \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+")
_DATE = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MOST_MARKS = 3  # on one character; more of them cover the lines above and below


@dataclass(frozen=True, slots=True)
class System:
    """A system that makes predictions, as its authors describe it.

    White space in texts is collapsed, and names are normalized (NFKC), so that "fast " is "fast".
    """

    name: str  # its name in tables
    input: str | None = None  # what it uses of a text: `both`, `text` or `math`
    decoding: str | None = None  # how it chooses: `local`, `global`, `exact`, or whatever its authors call it
    url: str | None = None  # where to read about it
    notes: str | None = None
    date: str | None = None  # when it was submitted, as in `2026-01-31`
    submitter: str | None = None  # who submitted it
    transductive: bool = False  # whether a ranking uses the other statements of the split
    normalization: dict[str, Any] | None = (
        None  # how scores were normalized over these: `method` and its settings
    )
    trained_on: list[dict[str, Any]] | None = None  # releases and splits, see `TrainedOn`; None if not stated
    seen_answers: int | None = None  # answers of the split that were in its training data, if counted
    allow_seen: bool = False  # whether predictions were made although it has seen answers
    extra: dict[str, Any] = field(default_factory=dict)  # kept as they are, such as the seconds it took

    def __post_init__(self) -> None:
        for name, longest in LONGEST_TEXTS.items():
            value = getattr(self, name)
            _require(isinstance(value, str | None), name, "a text", value)
            if isinstance(value, str):
                lines = value.splitlines() if name == "notes" else [value]
                value = normalized_text(" ".join(lines), compatibly=name in ("name", "submitter"))
                object.__setattr__(self, name, value)
                fits = 0 < len(value) <= longest and is_line(value)
                _require(fits, name, f"a line of text of up to {longest} visible characters", value)
        has_word = self.name is not None and any(map(str.isalnum, self.name))
        _require(has_word, "name", "a line of text with a letter or digit", self.name)
        _require(self.input in (None, *INPUTS), "input", f"one of {', '.join(INPUTS)}", self.input)
        wanted = "an address that begins with https:// or http://, with a host and without spaces"
        _require(self.url is None or is_address(self.url), "url", wanted, self.url)
        is_day = self.date is None or is_date(self.date)
        _require(is_day, "date", "a day such as 2026-01-31", self.date)
        is_bool = isinstance(self.transductive, bool)
        _require(is_bool, "transductive", "true or false", self.transductive)
        is_count = self.seen_answers is None or (type(self.seen_answers) is int and self.seen_answers >= 0)
        _require(is_count, "seen_answers", "a number of statements", self.seen_answers)
        _require(isinstance(self.allow_seen, bool), "allow_seen", "true or false", self.allow_seen)
        try:
            _ = self.training_entries
        except ValueError as error:
            raise ProofmatchError(f"the system's trained_on {error}") from None
        if self.normalization is not None:
            _check_normalization(self.normalization, self.transductive)
        _require(is_small(self.extra), "further fields", f"up to {LONGEST_EXTRA:,} characters", self.extra)

    @property
    def training_entries(self) -> tuple[TrainedOn, ...] | None:
        """What it was trained on; None if that is not stated."""
        return None if self.trained_on is None else read_entries(self.trained_on)

    def as_dict(self) -> dict[str, Any]:
        """Return all fields that are set, the extra ones beside the others."""
        known = {name: getattr(self, name) for name in SYSTEM_FIELDS}
        return {
            name: value for name, value in known.items() if value is not None and value is not False
        } | self.extra


def normalized_text(text: str, *, compatibly: bool = False) -> str:
    """Collapse spaces and compose characters; `compatibly` replaces variants such as ﬁ and 𝐱, too."""
    return _SPACES.sub(" ", unicodedata.normalize("NFKC" if compatibly else "NFC", text)).strip(" ")


def is_line(text: str) -> bool:
    """Tell whether a text is one line of visible characters, without controls and marks of direction."""
    marks = 0
    for character in unicodedata.normalize("NFD", text):
        marks = marks + 1 if unicodedata.combining(character) else 0
        if marks > _MOST_MARKS:
            return False
    return text.isprintable() and not _INVISIBLE.search(text)


def is_address(text: str) -> bool:
    """Tell whether a text is the URL of a page; with a user name, it could pretend to be another site."""
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    has_host = text.startswith(("https://", "http://")) and bool(parts.hostname) and "@" not in parts.netloc
    return has_host and " " not in text and is_line(text)


def is_date(text: str) -> bool:
    """Tell whether a text is a day by ISO 8601."""
    try:
        return _DATE.fullmatch(text) is not None and date.fromisoformat(text) is not None
    except ValueError:
        return False


def is_small(fields: dict[str, Any]) -> bool:
    """Tell whether additional fields are small enough to be kept."""
    return len(json.dumps(fields, ensure_ascii=False)) <= LONGEST_EXTRA


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
    without any of them is by a system with the file's name. Overrides that are not None replace its fields.
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


def _require(holds: bool, field: str, wanted: str, value: object) -> None:
    if not holds:
        raise ProofmatchError(f"the system's {field} must be {wanted}, not {shown(value)}")


def _check_normalization(normalization: dict[str, Any], transductive: bool) -> None:
    _require(isinstance(normalization, dict), "normalization", "an object", normalization)
    _require(is_small(normalization), "normalization", f"up to {LONGEST_EXTRA:,} characters", normalization)
    method, temperature, rounds = (normalization.get(key) for key in ("method", "temperature", "rounds"))
    is_text = isinstance(method, str) and 0 < len(method) <= _LONGEST_METHOD and is_line(method)
    _require(is_text, "normalization method", f"a text of up to {_LONGEST_METHOD} characters", method)
    if "temperature" in normalization:
        is_positive = _is_positive(temperature, int | float)
        _require(is_positive, "normalization temperature", "greater than 0", temperature)
    if "rounds" in normalization:
        is_positive = isinstance(rounds, int) and _is_positive(rounds, int) and rounds <= _MOST_ROUNDS
        _require(is_positive, "normalization rounds", f"an integer from 1 to {_MOST_ROUNDS:,}", rounds)
    if not transductive:
        raise ProofmatchError(
            "the system's normalization makes it transductive: say that it is, or leave the normalization out"
        )


def _is_positive(value: Any, kind: Any) -> bool:  # noqa: ANN401 - any value of a JSON file
    return isinstance(value, kind) and not isinstance(value, bool) and 0 < value <= float_info.max


def _read_sidecar(path: Path, default_name: str) -> System:
    try:
        fields = read_json(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or one_line(str(error))
        raise ProofmatchError(f"{path} cannot be read as JSON ({reason}); correct or remove it") from None
    if not isinstance(fields, dict):
        raise ProofmatchError(f"{path} must be a JSON object with the fields {', '.join(SYSTEM_FIELDS)}")
    known = {name: fields.pop(name) for name in SYSTEM_FIELDS if name in fields}
    try:
        return System(**{"name": default_name, **known}, extra=fields)
    except ProofmatchError as error:
        raise ProofmatchError(f"{path}: {error}") from None
