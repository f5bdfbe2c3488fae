"""What a system was trained on, and how many answers of a split it has seen in training."""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute generates its functions at run time, where type checkers do not see them.)

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from proofmatch.errors import ProofmatchError, shown
from proofmatch.storage import atomic_file
from proofmatch.strict_json import read_json

from ..builder.release.release import Release, Seal
from ..builder.release.schema import ALL, SPLITS, TEST, config_name
from .task import Task, load_tokens

RECORD = "training_data.json"  # in the folder of a model: the entries
STATEMENTS = "training_data.npy"  # beside it: the keys of the statements
UNKNOWN = "unknown"  # the release of pairs that do not come from one

FAMILIES: tuple[str, str] = Seal.FAMILIES
_SPLITS = (*SPLITS, ALL)
_SCORED = (SPLITS[TEST], ALL)  # splits whose answers a system must not have seen
_MAX_ENTRIES = 100
MAX_NAME = 200  # characters of a name
_ROWS_PER_BATCH = 10_000  # bounds how many texts are in memory at once
_MOST_BYTES_OF_KEYS = 200_000_000  # some 25 million statements
_SHA256 = re.compile(r"[0-9a-f]{64}")
# "Theorem 2.1 (Wilson).", which `--titles drop` leaves out.
_TITLE = r"^t:\w+ t:[\w.]*\d[\w.]* (?:t:\( (?:\S+ )*?t:\) )?(?:t:[.:] )?"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainedOn:
    """Splits of a release that a system was trained or selected on; others may state the release alone."""

    release: str  # folder name, or `OWNER/NAME` on the Hub
    revision: str | None = None  # the commit on the Hub
    manifest_sha256: str | None = None
    tables_sha256: str | None = None
    lineage: tuple[str, ...] = ()  # hashes that it shares with variants, sealed editions and its original
    family: str | None = None  # `mixed` or `by_article`
    splits: tuple[str, ...] = ()
    sealed: str | None = None  # the family whose test pairs the release does not have

    @classmethod
    def from_json(cls, entry: Any) -> "TrainedOn":  # noqa: ANN401 - any JSON value
        """Read an entry.

        Raises:
            ValueError: If it has another form.
        """
        names = cls.__dataclass_fields__.keys()
        if not isinstance(entry, dict) or not entry.keys() <= names or "release" not in entry:
            raise ValueError(f"must be a list of objects with `release` and no field but {', '.join(names)}")
        lists = {name: entry.get(name, []) for name in ("lineage", "splits")}
        for name, values in lists.items():
            is_short = isinstance(values, list) and len(values) <= _MAX_ENTRIES
            if not is_short or not all(isinstance(value, str) for value in values):
                raise ValueError(f"must have a list of at most {_MAX_ENTRIES} texts as {name}")
        fields: dict[str, Any] = entry | {name: tuple(values) for name, values in lists.items()}
        read = cls(**fields)
        for name in ("release", "revision"):
            value = getattr(read, name)
            is_text = isinstance(value, str) and value.isprintable() and 0 < len(value) <= MAX_NAME
            if not is_text and (value is not None or name == "release"):
                raise ValueError(f"must have a line of at most {MAX_NAME} characters as {name}")
        hashes = (read.manifest_sha256, read.tables_sha256, *read.lineage)
        if not all(one is None or (isinstance(one, str) and _SHA256.fullmatch(one)) for one in hashes):
            raise ValueError("must have hashes of 64 hexadecimal digits")
        if read.family not in (None, *FAMILIES) or read.sealed not in (None, *FAMILIES):
            raise ValueError(f"must have one of {', '.join(FAMILIES)} as family")
        if not set(read.splits) <= set(_SPLITS):
            raise ValueError(f"must have some of {', '.join(_SPLITS)} as splits")
        return read

    def as_json(self) -> dict[str, Any]:
        """Return the fields that are set."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(self).items()
            if value
        }

    def __str__(self) -> str:
        """As in `stacks (mixed: train, validation)`."""
        parts = [*filter(None, [self.family and self.family.replace("_", " "), ", ".join(self.splits)])]
        return f"{self.release} ({': '.join(parts)})" if parts else self.release

    def is_related(self, release: Release) -> bool:
        """Whether its release and another one have the same pairs in the same splits."""
        own = {self.manifest_sha256, self.tables_sha256, *self.lineage} - {None}
        return bool(own & _hashes(release)) if own else self.release == release.id

    def is_disjoint(self, task: Task) -> bool:
        """Whether it has no pair of the task, because related releases keep the pairs of both apart."""
        if not self.is_related(task.release):
            return False
        if task.split == "test" and self.sealed == _family(task.by_article):
            return True
        splits = set(_splits(task.split))
        own = {one for split in self.splits for one in _splits(split)}
        return self.family == _family(task.by_article) and bool(own) and not own & splits


@dataclass(frozen=True, slots=True)
class TrainingData:
    """Everything that a model was trained and selected on.

    Attributes:
        entries: The splits, including those of earlier trainings.
        statements: The keys of their statements, sorted; None if they are not known.
    """

    entries: tuple[TrainedOn, ...] = ()
    statements: np.ndarray | None = field(default=None, compare=False)

    @classmethod
    def of(cls, release: Release, split: str, *, by_article: bool) -> "TrainingData":
        """Describe a split of a release."""
        entry = TrainedOn(
            release=release.id,
            revision=release.revision,
            manifest_sha256=release.manifest_sha256,
            tables_sha256=release.tables_sha256,
            lineage=tuple(sorted(_relatives(release))),
            family=_family(by_article),
            splits=(split,),
            sealed=_family(release.sealed.by_article) if release.sealed else None,
        )
        tokens = load_tokens(release, "statement", split, by_article=by_article)
        return cls((entry,), np.unique(statement_keys(tokens)))

    def __add__(self, other: "TrainingData") -> "TrainingData":
        """Join what two trainings used; splits of the same release become one entry."""
        splits: dict[TrainedOn, tuple[str, ...]] = {}
        for entry in (*self.entries, *other.entries):
            same = replace(entry, splits=())
            splits[same] = tuple(dict.fromkeys((*splits.get(same, ()), *entry.splits)))
        known = [data.statements for data in (self, other) if data.statements is not None]
        return TrainingData(
            tuple(replace(entry, splits=both) for entry, both in splits.items()),
            np.unique(np.concatenate(known)) if known else None,
        )

    @property
    def is_complete(self) -> bool:
        """Whether it names all releases."""
        return all(entry.release != UNKNOWN for entry in self.entries)

    def seen(self, task: Task) -> int | None:
        """Count the statements of a task whose answers a model has seen; None if that cannot be known.

        Within one family, statements that occur in both training and test do not count. What an encoder
        has read before, and pairs of unknown origin, cannot be counted.
        """
        if all(entry.is_disjoint(task) for entry in self.entries if entry.manifest_sha256):
            return 0
        if self.statements is not None:
            tokens = load_tokens(task.release, "statement", task.split, by_article=task.by_article)
            return int(np.isin(statement_keys(tokens), self.statements).sum())
        return None if _may_overlap(self.entries, task) else 0

    def save(self, folder: Path) -> None:
        """Write both files into the folder of a model."""
        (folder / STATEMENTS).unlink(missing_ok=True)
        if self.statements is not None:
            np.save(folder / STATEMENTS, self.statements)
        text = json.dumps([entry.as_json() for entry in self.entries], indent=2, ensure_ascii=False)
        with atomic_file(folder / RECORD) as unfinished:
            unfinished.write_text(text + "\n", encoding="utf-8")


def read_training_data(record: Path, statements: Path | None) -> TrainingData:
    """Read the files of a model.

    Raises:
        ProofmatchError: If they are damaged.
    """
    try:
        entries = read_entries(read_json(record))
        if statements is not None and statements.stat().st_size > _MOST_BYTES_OF_KEYS:
            raise ValueError(f"{statements.name} is larger than {_MOST_BYTES_OF_KEYS / 1_000_000:,g} MB")
        # Mapped first, because numpy allocates any size that the header of a file claims.
        keys = None if statements is None else np.array(np.load(statements, mmap_mode="r"))
        if keys is not None and (keys.ndim != 1 or keys.dtype != np.uint64):
            raise ValueError("it does not contain keys of statements")
    except (OSError, ValueError, EOFError) as error:
        raise ProofmatchError(
            f"{record} does not say what the model was trained on ({error}); download the model again"
        ) from None
    return TrainingData(entries, keys)


def read_entries(entries: Any) -> tuple[TrainedOn, ...]:  # noqa: ANN401 - any JSON value
    """Read a list of entries.

    Raises:
        ValueError: If it has another form.
    """
    if not isinstance(entries, list) or len(entries) > _MAX_ENTRIES:
        raise ValueError(f"must be a list of at most {_MAX_ENTRIES} releases, not {shown(entries)}")
    return tuple(map(TrainedOn.from_json, entries))


def statement_keys(tokens: pa.ListArray) -> np.ndarray:
    """Hash each statement without its title, so that the key is the same in variants and other builds."""
    digests = []
    for first in range(0, len(tokens), _ROWS_PER_BATCH):
        texts = pc.binary_join(tokens.slice(first, _ROWS_PER_BATCH), " ")
        texts = pc.replace_substring_regex(texts, _TITLE, "", max_replacements=1)
        digests += [blake2b(text.encode(), digest_size=8).digest() for text in texts.to_pylist()]
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def may_have_seen(entries: Sequence[TrainedOn] | None, seen: int | None, task: Task) -> bool:
    """Whether a system may know answers of a split that is scored.

    Args:
        entries: What its authors say it was trained on, None if they do not.
        seen: How many answers it has seen, if that was counted.
        task: The split; training and validation splits may be seen.
    """
    if task.split not in _SCORED:
        return False
    return _may_overlap(entries or (), task) if seen is None else seen > 0


def in_words(entries: Sequence[TrainedOn] | None) -> str:
    """Name what a system was trained on."""
    if entries is None:
        return "not stated"
    return "; ".join(map(str, entries)) or "none"


def _may_overlap(entries: Sequence[TrainedOn], task: Task) -> bool:
    return any(entry.is_related(task.release) and not entry.is_disjoint(task) for entry in entries)


def _hashes(release: Release) -> set[str]:
    return {release.manifest_sha256, release.tables_sha256, *_relatives(release)}


def _relatives(release: Release) -> set[str]:
    """Collect hashes that a release has in common with its variants, its sealed edition, and its original."""
    # A sealed release has no hash of its original, which would confirm guesses; both have these statements.
    tests = [release.shards(config_name("statements", by_article), "test") for by_article in (False, True)]
    hashes = ["".join(release.files[name]["sha256"] for name in names) for names in tests if names]
    return {sha256(one.encode()).hexdigest() for one in hashes} | _ancestors(release.parameters)


def _ancestors(parameters: dict[str, Any]) -> set[str]:
    """Collect the hashes of the releases that one was made from, such as `variant_of_manifest`."""
    found: set[str] = set()
    for name, value in parameters.items():
        if isinstance(value, dict):
            found |= _ancestors(value)
        elif name.endswith(("_of_manifest", "_of_tables")) and _SHA256.fullmatch(str(value)):
            found.add(value)
    return found


def _family(by_article: bool) -> str:
    return FAMILIES[by_article]


def _splits(split: str) -> tuple[str, ...]:
    return (split,) if split in SPLITS else SPLITS


def refusal(who: str, entries: Sequence[TrainedOn], seen: int | None, task: Task) -> str:
    """Say that a system has seen answers of a split, and what to do."""
    number = "may have seen answers"
    if seen is not None:
        number = f"has seen {seen:,} of the {len(task.statement_ids):,} answers"
    remedy = "choose a release that it was not trained on"
    other = replace(task, by_article=not task.by_article)
    if task.split == "test" and all(entry.is_disjoint(other) for entry in entries):
        remedy = f"{'leave out' if task.by_article else 'give'} --by-article"
    where = f"{config_name('pairs', task.by_article)}, {task.split} of {task.release.id}"
    return (
        f"{who} {number} of {where} in training, on {in_words(entries)}; {remedy}, or give --allow-seen, "
        "which results show"
    )
