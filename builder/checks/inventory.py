"""The files of a release folder, and which of them are the shards of which table."""

import os
import re
from pathlib import Path

BUILD_FOLDER = ".build"
DATA = "data"
CARD = "README.md"
STATISTICS = "stats.json"
DISCARDED = "discarded.parquet"

_SHARD = re.compile(r"(?P<split>[a-z]+)-(?P<number>\d{5})-of-(?P<total>\d{5})\.parquet")


class Inventory:
    """Lists the files of a folder, apart from what git and the Hub's client keep there for themselves.

    Attributes:
        folder: The folder.
        files: Names within the folder, with slashes.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files = sorted(_visible_files(folder))

    @property
    def is_unfinished(self) -> bool:
        """Whether a build left its working folder here."""
        return (self.folder / BUILD_FOLDER).exists()

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


def parse_shard(name: str) -> tuple[str, int, int] | None:
    """Take the name of a shard apart: split, number, total."""
    match = _SHARD.fullmatch(name)
    return (match["split"], int(match["number"]), int(match["total"])) if match else None


def _visible_files(folder: Path) -> list[str]:
    names = []
    for parent, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        names += [
            (Path(parent) / name).relative_to(folder).as_posix() for name in files if not name.startswith(".")
        ]
    return names
