"""A release as the checks see it, read once: its files, ids, distinct tokens, and hashes of everything else.

The checks work on damaged releases, so nothing here refuses one: a file that cannot be read is a fault, and
the tables that can be read are checked all the same.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from proofmatch.ragged import Ragged

from ..release.manifest import origin
from ..release.schema import CONFIGS, DATA, MANIFEST, ROW_GROUP, SPLITS, Config, parse_shard
from .report import Fault, NotChecked
from .values import UNREADABLE, WrongSchema, compare_schemas, invalid_pairs, missing_values, to_numpy

IDS = ("id", "statement_id", "proof_id", "article_id")
SIDES = ("statement", "proof")
FAMILIES = ("", "_by_article")  # suffixes of the configs of the two families of splits
CONFIG_BY_NAME = {config.name: config for config in CONFIGS}

Key = tuple[str, str]  # config and split


class Inventory:
    """The files of a folder, apart from what git and the Hub's client keep there.

    Attributes:
        folder: The folder.
        files: Their names within the folder, with slashes.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: list[str] = []
        for parent, folders, files in os.walk(folder):
            folders[:] = [name for name in folders if not name.startswith(".")]
            paths = (Path(parent) / name for name in files if not name.startswith("."))
            self.files += [path.relative_to(folder).as_posix() for path in paths]
        self.files.sort()

    def in_config(self, config: str) -> list[str]:
        """List the names of the files in a config's folder."""
        prefix = f"{DATA}/{config}/"
        return [name.removeprefix(prefix) for name in self.files if name.startswith(prefix)]

    def configs(self) -> set[str]:
        """List the folders with data."""
        return {name.split("/")[1] for name in self.files if name.startswith(f"{DATA}/")}

    def shards(self, config: str, split: str) -> list[Path]:
        """List the files of a table in order."""
        parsed = ((name, parse_shard(name)) for name in self.in_config(config))
        return [self.folder / DATA / config / name for name, shard in parsed if shard and shard[0] == split]


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of one split of a config, in order.

    Attributes:
        ids: Its id columns.
        hashes: Of each other column, one 64-bit number per row; equal values have equal hashes.
    """

    ids: dict[str, pa.Array]
    hashes: dict[str, np.ndarray]

    def __len__(self) -> int:
        return len(next(iter(self.ids.values())))

    @classmethod
    def concatenate(cls, pieces: "list[Table]", columns: Iterable[str]) -> "Table":
        """Put pieces with the given columns one after the other."""
        no_id, no_hash = pa.array([], pa.string()), np.empty(0, np.int64)
        ids, hashes = {}, {}
        for name in columns:
            if name in IDS:
                ids[name] = pa.concat_arrays([no_id, *(piece.ids[name] for piece in pieces)])
            else:
                hashes[name] = np.concatenate([no_hash, *(piece.hashes[name] for piece in pieces)])
        return cls(ids, hashes)


class Vocabulary:
    """Numbers distinct strings in the order of their first occurrence.

    Attributes:
        tokens: The strings.
        first_seen: The file in which each occurs first.
    """

    def __init__(self) -> None:
        self.tokens: list[str] = []
        self.first_seen: list[Path] = []
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self.tokens)

    def encode(self, column: pa.ListArray, file: Path) -> Ragged:
        """Number the elements of lists of dictionary-encoded strings."""
        offsets = np.frombuffer(column.buffers()[1], np.int32)[column.offset :][: len(column) + 1]
        starts = offsets.astype(np.int64) - offsets[0]
        elements = column.values.slice(int(offsets[0]), int(starts[-1]))
        if not len(elements):
            return Ragged(np.empty(0, np.int32), starts)
        # A null counts as an empty token, which no token may be.
        strings = elements.dictionary.to_pylist() + [""] * bool(elements.null_count)
        numbers = np.array([self._number(string, file) for string in strings], np.int32)
        return Ragged(numbers[to_numpy(elements.indices.fill_null(len(strings) - 1))], starts)

    def _number(self, token: str, file: Path) -> int:
        number = self._numbers.setdefault(token, len(self.tokens))
        if number == len(self.tokens):
            self.tokens.append(token)
            self.first_seen.append(file)
        return number


class Texts:
    """Distinct token sequences, each kept once however often it occurs."""

    def __init__(self) -> None:
        self._number_of: dict[int, int] = {}
        self._pieces = [Ragged(np.empty(0, np.int32), np.zeros(1, np.int64))]

    def __len__(self) -> int:
        return len(self._number_of)

    @cached_property
    def tokens(self) -> Ragged:
        """The token numbers of every text; asked for when all texts have been added."""
        return Ragged.concatenate(self._pieces)

    def add(self, hashes: np.ndarray, rows: Ragged) -> None:
        """Add the texts of some rows that are not there yet."""
        new = []
        for row, value in enumerate(hashes.tolist()):
            if value not in self._number_of:
                self._number_of[value] = len(self._number_of)
                new.append(row)
        self._pieces.append(rows.take(np.array(new, np.int64)))

    def numbers_of(self, hashes: np.ndarray) -> np.ndarray:
        """Find texts by their hashes, all of which must have been added."""
        return np.fromiter((self._number_of[value] for value in hashes.tolist()), np.int64, len(hashes))


@dataclass
class Evidence:
    """A release as far as it could be read.

    Attributes:
        inventory: Its files.
        max_leaked: The share of held-out pairs that may occur in another split.
        tick: Called now and then during long operations with what is going on.
        tables: The tables that could be read completely.
        reading_faults: What was wrong with the files and their rows.
        vocabulary: Its distinct tokens.
        texts: Its distinct statements and proofs.
    """

    inventory: Inventory
    max_leaked: float
    tick: Callable[[str], None]
    tables: dict[Key, Table]
    reading_faults: list[Fault]
    vocabulary: Vocabulary
    texts: dict[str, Texts]

    @property
    def folder(self) -> Path:
        """Where the release is."""
        return self.inventory.folder

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """How the release was made; empty if the manifest cannot be read, which its own check reports."""
        manifest = read_json(self.folder / MANIFEST)
        parameters = manifest.get("parameters") if isinstance(manifest, dict) else None
        return parameters if isinstance(parameters, dict) else {}

    @cached_property
    def is_imported(self) -> bool:
        """Whether the pairs and their splits were published by others, not made by a build."""
        try:
            return origin(self.parameters)["made_by"] == "import"
        except (TypeError, KeyError):
            return False

    def unreadable(self, *configs: str) -> Iterator[NotChecked]:
        """Name the tables of some configs that could not be read."""
        for config in configs:
            missing = [split for split in SPLITS if (config, split) not in self.tables]
            if missing:
                yield NotChecked(f"{config}: {', '.join(missing)} could not be read")

    def has(self, config: str, split: str | None = None) -> bool:
        """Tell whether a table, or all tables of a config, could be read."""
        return all((config, name) in self.tables for name in ([split] if split else SPLITS))

    def rows(self, config: str) -> dict[str, int]:
        """Count the rows of a config by split."""
        return {split: len(self.tables[config, split]) for split in SPLITS}

    def ids(self, config: str, name: str) -> pa.Array:
        """Get an id column of all splits of a config, one after the other."""
        return pa.concat_arrays([self.tables[config, split].ids[name] for split in SPLITS])

    def hashes(self, config: str, name: str) -> np.ndarray:
        """Get the hashes of a column of all splits of a config, one after the other."""
        return np.concatenate([self.tables[config, split].hashes[name] for split in SPLITS])

    def split_bits(self, config: str) -> np.ndarray:
        """Get the split of each row of a config as a bit: 1 for the first of `SPLITS`, then 2 and 4."""
        return np.repeat(1 << np.arange(len(SPLITS), dtype=np.uint8), list(self.rows(config).values()))

    def excerpt(self, side: str, text: int, words: int = 12) -> str:
        """Show the beginning of a text."""
        tokens = self.texts[side].tokens[text]
        surfaces = (self.vocabulary.tokens[number].partition(":")[2] for number in tokens[:words].tolist())
        return " ".join(surfaces) + (" …" if len(tokens) > words else "")


def gather_evidence(folder: Path, max_leaked: float, tick: Callable[[str], None]) -> Evidence:
    """Read a release."""
    texts = {side: Texts() for side in SIDES}
    evidence = Evidence(Inventory(folder), max_leaked, tick, {}, [], Vocabulary(), texts)
    reader = _Reader(evidence)
    for config in CONFIGS:
        for split in SPLITS:
            if (table := reader.read(config, evidence.inventory.shards(config.name, split))) is not None:
                evidence.tables[config.name, split] = table
    return evidence


class _Reader:
    """Reads Parquet files a few thousand rows at a time and adds what they have to the evidence."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._categories = Vocabulary()

    def read(self, config: Config, files: list[Path]) -> Table | None:
        """Read a table, or None if one of its files cannot be read."""
        pieces: list[Table] = []
        readable = True
        for file in files:
            try:
                pieces.extend(self._read_file(config, file))
            except (*UNREADABLE, WrongSchema) as error:
                self._evidence.reading_faults.append(
                    Fault(f"{self._name(file)} cannot be used: {one_line(error)}")
                )
                readable = False
        return Table.concatenate(pieces, config.columns) if readable and files else None

    def _read_file(self, config: Config, file: Path) -> Iterator[Table]:
        compare_schemas(pq.read_schema(file), config.schema)
        columns = pq.read_metadata(file).schema
        lists = [path for number in range(len(columns)) if "." in (path := columns.column(number).path)]
        invalid: dict[str, list[str]] = {}
        # Dictionary-encoded as they are in the file, tokens take a tenth of the time to read.
        with pq.ParquetFile(file, read_dictionary=lists) as parquet:
            for batch in parquet.iter_batches(batch_size=ROW_GROUP):
                self._evidence.tick(self._name(file))
                batch.validate(full=True)  # a damaged file can decode to invalid Arrow data
                found = missing_values(batch, config.schema)
                if "kind" in config.columns:
                    found = chain(found, invalid_pairs(batch))
                for what, rows in found:
                    ids = batch.column(0).filter(pa.array(rows)).to_pylist()
                    invalid.setdefault(what, []).extend(map(str, ids))
                yield self._digest(batch, config, file)
        for what, ids in invalid.items():
            self._evidence.reading_faults.append(Fault.about(f"{self._name(file)} has rows with {what}", ids))

    def _digest(self, batch: pa.RecordBatch, config: Config, file: Path) -> Table:
        ids, hashes = {}, {}
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            if name in IDS:
                ids[name] = column.fill_null("")
            elif pa.types.is_list(column.type):
                is_tokens = name.endswith("tokens")
                vocabulary = self._evidence.vocabulary if is_tokens else self._categories
                rows = vocabulary.encode(column, file)
                hashes[name] = hash_rows(rows)
                if is_tokens and "article_id" in config.columns:  # the task's tables repeat these texts
                    self._evidence.texts[name.removesuffix("_tokens")].add(hashes[name], rows)
            else:
                hashes[name] = _hashes(column.fill_null("").to_pylist())
        return Table(ids, hashes)

    def _name(self, file: Path) -> str:
        return file.relative_to(self._evidence.folder).as_posix()


def hash_rows(rows: Ragged) -> np.ndarray:
    """Hash each row of numbers."""
    content, size = rows.values.tobytes(), rows.values.itemsize
    return _hashes(content[start:stop] for start, stop in pairwise((rows.starts * size).tolist()))


def _hashes(values: Iterable[str | bytes]) -> np.ndarray:
    # Hashes never leave the process, so Python's keyed 64-bit hash will do.
    return np.fromiter(map(hash, values), np.int64)


def read_json(path: Path) -> Any:  # noqa: ANN401 - whatever is in the file
    """Read a JSON file, or None if it cannot be read."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None


def one_line(error: Exception) -> str:
    """Put the message of an exception on one line."""
    return " ".join(str(error).split())
