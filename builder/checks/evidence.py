"""What the checks look at: the release's files and numbers, read once."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from ..release.manifest import origin
from ..release.schema import MANIFEST, SPLITS
from .inventory import Inventory
from .reading import Reader
from .remarks import Fault, NotChecked
from .tables import CONFIG_BY_NAME, SIDES, Key, Table
from .texts import Texts
from .vocabulary import Vocabulary


@dataclass
class Evidence:
    """A release as far as it could be read.

    Attributes:
        inventory: Its files.
        tables: Those of its tables that could be read completely.
        reading_faults: What was wrong with the files.
        vocabulary: Its tokens.
        texts: The distinct statements and proofs.
        max_leaked: Share of the held-out pairs that may have a twin in another split.
        tick: To be called now and then during long operations, with what is going on.
    """

    inventory: Inventory
    tables: dict[Key, Table]
    reading_faults: list[Fault]
    vocabulary: Vocabulary
    texts: dict[str, Texts]
    max_leaked: float
    tick: Callable[[str], None]

    @property
    def folder(self) -> Path:
        """Where the release is."""
        return self.inventory.folder

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """How the release was made; nothing where the manifest cannot be read, which its check tells."""
        manifest = read_json(self.folder / MANIFEST)
        parameters = manifest.get("parameters") if isinstance(manifest, dict) else None
        return parameters if isinstance(parameters, dict) else {}

    @cached_property
    def is_imported(self) -> bool:
        """Whether the pairs and their splits were published as they are, not made by a build."""
        try:
            return origin(self.parameters)["made_by"] == "import"
        except (TypeError, KeyError):
            return False

    def lacking(self, *configs: str) -> Iterator[NotChecked]:
        """Name the tables of some configs that cannot be looked at."""
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

    def split_numbers(self, config: str) -> np.ndarray:
        """Tell the split of each row of a config, as a number that counts `SPLITS`."""
        return np.repeat(np.arange(len(SPLITS), dtype=np.int8), list(self.rows(config).values()))

    def excerpt(self, side: str, text: int, words: int = 12) -> str:
        """Show the beginning of a text."""
        tokens = self.texts[side][text]
        surfaces = (self.vocabulary.tokens[number].partition(":")[2] for number in tokens[:words].tolist())
        return " ".join(surfaces) + (" …" if len(tokens) > words else "")


def read_json(path: Path) -> Any:  # noqa: ANN401 - whatever is in the file
    """Read a JSON file, or None if it cannot be read."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None


def gather_evidence(folder: Path, max_leaked: float, tick: Callable[[str], None]) -> Evidence:
    """Read a release."""
    inventory = Inventory(folder)
    reader = Reader(folder, tick)
    tables = {}
    for config in CONFIG_BY_NAME:
        for split in SPLITS:
            table = reader.read((config, split), inventory.shards(config, split))
            if table is not None:
                tables[config, split] = table
    texts = {side: reader.collected[side].texts() for side in SIDES}
    return Evidence(inventory, tables, reader.faults, reader.vocabulary, texts, max_leaked, tick)
