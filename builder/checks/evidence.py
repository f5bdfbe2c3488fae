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

from proofmatch.errors import one_line
from proofmatch.ragged import Ragged

from ..identifiers import text_id, text_key
from ..release.release import Seal, origin
from ..release.schema import (
    CONFIGS,
    DATA,
    MANIFEST,
    ROW_GROUP,
    SCHEMA_VERSION,
    SPLITS,
    TEST,
    Config,
    config_name,
    configs_of,
    parse_shard,
)
from .report import EXAMPLES, Fault, NotChecked
from .values import (
    UNREADABLE,
    WrongSchema,
    compare_schemas,
    invalid_pairs,
    missing_values,
    to_numpy,
    token_problem,
)

IDS = ("id", "statement_id", "proof_id", "article_id")
SIDES = ("statement", "proof")
FAMILIES = ("", "_by_article")  # suffixes of the configs of the two families of splits
CONFIG_NAMES = tuple(config.name for config in CONFIGS)


class Inventory:
    """The files of a folder, apart from what git and the Hub's client keep there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: list[str] = []  # their names within the folder, with slashes
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
    """The rows of one split of a config, in order."""

    ids: dict[str, pa.Array]
    hashes: dict[str, np.ndarray]  # of every column, a 64-bit number per row; equal values have equal hashes

    def __len__(self) -> int:
        return len(next(iter(self.ids.values())))

    @classmethod
    def concatenate(cls, pieces: "list[Table]", columns: Iterable[str]) -> "Table":
        """Put pieces with the given columns one after the other."""
        no_ids, no_hashes = pa.array([], pa.string()), np.empty(0, np.int64)
        ids, hashes = {}, {}
        for name in columns:
            hashes[name] = np.concatenate([no_hashes, *(piece.hashes[name] for piece in pieces)])
            if name in IDS:
                ids[name] = pa.concat_arrays([no_ids, *(piece.ids[name] for piece in pieces)])
        return cls(ids, hashes)


class Vocabulary:
    """Numbers distinct strings in the order of their first occurrence."""

    def __init__(self) -> None:
        self.tokens: list[str] = []
        self._numbers: dict[str, int] = {}

    def encode(self, column: pa.ListArray) -> Ragged:
        """Number the elements of lists of dictionary-encoded strings."""
        offsets = np.frombuffer(column.buffers()[1], np.int32)[column.offset :][: len(column) + 1]
        starts = offsets.astype(np.int64) - offsets[0]
        elements = column.values.slice(int(offsets[0]), int(starts[-1]))
        if not len(elements):
            return Ragged(np.empty(0, np.int32), starts)
        strings = [*elements.dictionary.to_pylist(), ""]
        indices = to_numpy(elements.indices.fill_null(len(strings) - 1))  # a null counts as an empty string
        numbers = np.zeros(len(strings), np.int32)
        used = np.flatnonzero(np.bincount(indices))
        for index in used.tolist():
            number = self._numbers.setdefault(strings[index], len(self.tokens))
            if number == len(self.tokens):
                self.tokens.append(strings[index])
            numbers[index] = number
        return Ragged(numbers[indices], starts)


class Texts:
    """Distinct token sequences, each kept once however often it occurs."""

    def __init__(self) -> None:
        self._number_of: dict[int, int] = {}
        self._pieces = [Ragged(np.empty(0, np.int32), np.zeros(1, np.int64))]

    def __len__(self) -> int:
        return len(self._number_of)

    @cached_property
    def tokens(self) -> Ragged:
        """The token numbers of every text; only use it after all texts have been added."""
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


class Evidence:
    """A release as far as it can be read.

    Long operations call `tick` from time to time with a description of the current step.
    """

    def __init__(self, folder: Path, max_leaked: float, tick: Callable[[str], None]) -> None:
        self.folder, self.max_leaked, self.tick = folder, max_leaked, tick
        self.inventory = Inventory(folder)
        # By config and split, the tables that could be read completely.
        self.tables: dict[tuple[str, str], Table] = {}
        self.reading_faults: list[Fault] = []
        self.vocabulary = Vocabulary()
        # Problem of a token → the tokens that have it, and where each occurs first.
        self.malformed_tokens: dict[str, list[str]] = {}
        self.texts = {side: Texts() for side in SIDES}
        # By side, the ids that are not number 0 of their text, and the keys of their texts.
        self.numbered: dict[str, dict[str, str]] = {side: {} for side in SIDES}
        self._categories = Vocabulary()
        self.configs = {config.name: config for config in configs_of(self.schema_version)}
        for config in self.configs.values():
            for split in SPLITS:
                self._read_table(config, split)

    def _read_table(self, config: Config, split: str) -> None:
        """Read a table, unless one of its files is damaged."""
        files = self.inventory.shards(config.name, split)
        pieces: list[Table] = []
        readable = bool(files)
        for file in files:
            name = file.relative_to(self.folder).as_posix()
            try:
                pieces.extend(self._read_file(config, file, name))
            except (*UNREADABLE, WrongSchema) as error:
                self.reading_faults.append(Fault(f"{name} cannot be used: {one_line(str(error))}"))
                readable = False
        if readable:
            self.tables[config.name, split] = Table.concatenate(pieces, config.columns)

    def _read_file(self, config: Config, file: Path, name: str) -> Iterator[Table]:
        """Read a file a few thousand rows at a time."""
        compare_schemas(pq.read_schema(file), config.schema)
        columns = pq.read_metadata(file).schema
        lists = [path for number in range(len(columns)) if "." in (path := columns.column(number).path)]
        invalid: dict[str, list[str]] = {}
        # Dictionary-encoded as they are in the file, tokens take a tenth of the time to read.
        with pq.ParquetFile(file, read_dictionary=lists) as parquet:
            for batch in parquet.iter_batches(batch_size=ROW_GROUP):
                self.tick(name)
                batch.validate(full=True)  # a damaged file can decode to invalid Arrow data
                found = missing_values(batch, config.schema)
                if "kind" in config.columns:
                    found = chain(found, invalid_pairs(batch))
                for what, rows in found:
                    ids = batch.column(0).filter(pa.array(rows)).to_pylist()
                    invalid.setdefault(what, []).extend(map(str, ids))
                yield self._digest(batch, config, name)
        for what, ids in invalid.items():
            self.reading_faults.append(Fault.about(f"{name} has rows with {what}", ids))

    def _digest(self, batch: pa.RecordBatch, config: Config, file: str) -> Table:
        ids, hashes = {}, {}
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            if not pa.types.is_list(column.type):
                hashes[name] = _hashes(column.fill_null("").to_pylist())
                if name in IDS:
                    ids[name] = column.fill_null("")
            elif name == "categories":
                hashes[name] = hash_rows(self._categories.encode(column))
            else:
                known = len(self.vocabulary.tokens)
                rows = self.vocabulary.encode(column)
                self._check_tokens(known, rows, batch.column(0), file)
                hashes[name] = hash_rows(rows)
                if "article_id" in config.columns:  # the task's tables repeat these texts
                    self.texts[name.removesuffix("_tokens")].add(hashes[name], rows)
        for name, side in config.columns.items():
            if side in SIDES:
                self._collect_numbered(side, ids[f"{side}_id"], batch.column(name))
        return Table(ids, hashes)

    def _collect_numbered(self, side: str, ids: pa.Array, texts: pa.Array) -> None:
        for name, text in zip(ids.to_pylist(), texts.fill_null("").to_pylist(), strict=True):
            if name != text_id(side, key := text_key(text)):
                self.numbered[side][name] = key

    def _check_tokens(self, known: int, rows: Ragged, ids: pa.Array, file: str) -> None:
        """Note what is wrong with the tokens that were not known before."""
        for number, token in enumerate(self.vocabulary.tokens[known:], known):
            if problem := token_problem(token):
                cases = self.malformed_tokens.setdefault(problem, [])
                if len(cases) < EXAMPLES:
                    row = rows.rows[np.flatnonzero(rows.values == number)[0]]
                    token = f"{token!r} in {ids[row]} ({file})"
                cases.append(token)

    @cached_property
    def schema_version(self) -> int:
        """The version that the manifest states; the present one if it states none that is known."""
        manifest = read_json(self.folder / MANIFEST)
        version = manifest.get("schema_version") if isinstance(manifest, dict) else None
        return 1 if version == 1 else SCHEMA_VERSION

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

    @cached_property
    def sealed(self) -> Seal | None:
        """What the release withholds; also None if the manifest states it in an invalid form."""
        try:
            return Seal.from_parameters(self.parameters)
        except (TypeError, KeyError, ValueError):
            return None

    def splits(self, config: str) -> tuple[str, ...]:
        """List the splits that a config should have; a sealed release has no pairs of its test split."""
        is_sealed = self.sealed is not None and config == config_name("pairs", self.sealed.by_article)
        return SPLITS[:TEST] if is_sealed else SPLITS

    def unreadable(self, *configs: str) -> Iterator[NotChecked]:
        """Name the tables of some configs that could not be read."""
        for config in configs:
            missing = [split for split in self.splits(config) if (config, split) not in self.tables]
            if missing:
                yield NotChecked(f"{config}: {', '.join(missing)} could not be read")

    def has(self, config: str, split: str | None = None) -> bool:
        """Tell whether a table, or all tables of a config, could be read."""
        return all((config, name) in self.tables for name in ([split] if split else self.splits(config)))

    def rows(self, config: str) -> dict[str, int]:
        """Count the rows of a config by split."""
        return {split: len(self.tables[config, split]) for split in self.splits(config)}

    def ids(self, config: str, name: str) -> pa.Array:
        """Get an id column of all splits of a config, one after the other."""
        return pa.concat_arrays([self.tables[config, split].ids[name] for split in self.splits(config)])

    def hashes(self, config: str, name: str) -> np.ndarray:
        """Get the hashes of a column of all splits of a config, one after the other."""
        return np.concatenate([self.tables[config, split].hashes[name] for split in self.splits(config)])

    def split_bits(self, config: str) -> np.ndarray:
        """Get the split of each row of a config as a bit: 1 for the first of `SPLITS`, then 2 and 4."""
        rows = list(self.rows(config).values())
        return np.repeat(1 << np.arange(len(rows), dtype=np.uint8), rows)

    def excerpt(self, side: str, text: int, words: int = 12) -> str:
        """Show the beginning of a text."""
        tokens = self.texts[side].tokens[text]
        surfaces = (self.vocabulary.tokens[number].partition(":")[2] for number in tokens[:words].tolist())
        return " ".join(surfaces) + (" …" if len(tokens) > words else "")


def hash_rows(rows: Ragged) -> np.ndarray:
    """Hash each row of numbers."""
    content, size = rows.values.tobytes(), rows.values.itemsize
    return _hashes(content[start:stop] for start, stop in pairwise((rows.starts * size).tolist()))


def _hashes(values: Iterable[str | bytes]) -> np.ndarray:
    # Hashes never leave the process, so Python's keyed 64-bit hash is sufficient.
    return np.fromiter(map(hash, values), np.int64)


def read_json(path: Path) -> Any:  # noqa: ANN401 - whatever is in the file
    """Read a JSON file, or None if it cannot be read."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
