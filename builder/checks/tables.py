"""One table of a release (a config's split) as the checks see it: its ids, and hashes of all else."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ..release.schema import CONFIGS

IDS = ("id", "statement_id", "proof_id", "article_id")
SIDES = ("statement", "proof")

# The suffixes of the names of the mixed and the by-article configs.
FAMILIES = ("", "_by_article")

CONFIG_BY_NAME = {config.name: config for config in CONFIGS}

Key = tuple[str, str]  # config and split


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of one config's split, in order.

    Attributes:
        ids: Its id columns.
        hashes: Of its other columns, one 64-bit number a row.
    """

    ids: dict[str, pa.Array]
    hashes: dict[str, np.ndarray]

    def __len__(self) -> int:
        return len(next(iter(self.ids.values())))

    @classmethod
    def joined(cls, pieces: "list[Table]", config: str) -> "Table":
        """Put the pieces of a config's table one after the other."""
        names = CONFIG_BY_NAME[config].columns
        none, nothing = pa.array([], pa.string()), np.empty(0, np.uint64)
        ids = [name for name in names if name in IDS]
        others = [name for name in names if name not in IDS]
        return cls(
            {name: pa.concat_arrays([none, *(piece.ids[name] for piece in pieces)]) for name in ids},
            {name: np.concatenate([nothing, *(piece.hashes[name] for piece in pieces)]) for name in others},
        )
