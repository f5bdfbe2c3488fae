"""Plants faults in copies of a release and updates everything else, so that only the fault remains."""

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from huggingface_hub import DatasetCard

from proofmatch.builder.release.release import write_manifest
from proofmatch.builder.release.schema import MANIFEST

Rows = list[dict[str, Any]]


class EditedRelease:
    """A copy of a release to be damaged."""

    def __init__(self, original: Path, folder: Path):
        shutil.copytree(original, folder)
        self.folder = folder

    def file(self, config: str, split: str) -> Path:
        (path,) = (self.folder / "data" / config).glob(f"{split}-*.parquet")
        return path

    def table(self, config: str, split: str) -> pa.Table:
        return pq.read_table(self.file(config, split))

    def rows(self, config: str, split: str) -> Rows:
        return self.table(config, split).to_pylist()

    def put_table(self, config: str, split: str, table: pa.Table) -> None:
        pq.write_table(table, self.file(config, split), compression="zstd")

    def put_rows(self, config: str, split: str, rows: Rows) -> None:
        schema = pq.read_schema(self.file(config, split))
        self.put_table(config, split, pa.Table.from_pylist(rows, schema=schema))

    def edit_rows(self, config: str, split: str, edit: Callable[[Rows], object]) -> None:
        rows = self.rows(config, split)
        edit(rows)
        self.put_rows(config, split, rows)

    def edit_pairs(self, edit: Callable[[dict[str, Any]], object]) -> None:
        """Edit every pair in both families; the task's tables follow."""
        for suffix in ("", "_by_article"):
            for split in ("train", "validation", "test"):
                rows = self.rows(f"pairs{suffix}", split)
                for row in rows:
                    edit(row)
                self.put_rows(f"pairs{suffix}", split, rows)
                self.follow(suffix, split)

    def follow(self, suffix: str, split: str) -> None:
        """Write the task's tables of a split again from its pairs, sorted by their ids."""
        pairs = self.rows(f"pairs{suffix}", split)
        for side in ("statement", "proof"):
            columns = {f"{side}_id": f"{side}_id", "text": side, "tokens": f"{side}_tokens"}
            rows = [{name: row[source] for name, source in columns.items()} for row in pairs]
            self.put_rows(f"{side}s{suffix}", split, sorted(rows, key=lambda row: row[f"{side}_id"]))

    def edit_json(self, name: str, edit: Callable[[dict[str, Any]], object]) -> None:
        path = self.folder / name
        content = json.loads(path.read_text(encoding="utf-8"))
        edit(content)
        path.write_text(json.dumps(content), encoding="utf-8")

    def edit_card(self, edit: Callable[[dict[str, Any]], object]) -> None:
        card = DatasetCard.load(self.folder / "README.md")
        metadata = card.data.to_dict()
        edit(metadata)
        for name in card.data.to_dict():
            card.data.pop(name)
        for name, value in metadata.items():
            card.data[name] = value
        card.save(self.folder / "README.md")

    def seal(self) -> None:
        """Write the manifest again."""
        parameters = json.loads((self.folder / MANIFEST).read_text(encoding="utf-8"))["parameters"]
        (self.folder / MANIFEST).unlink()
        write_manifest(self.folder, parameters, {})

    def recount(self) -> None:
        """Correct the numbers of stats.json and the card."""
        rows, sizes = {}, {}
        for path in sorted((self.folder / "data").glob("*/*.parquet")):
            config, split = path.parent.name, path.name.split("-")[0]
            count = pq.read_metadata(path).num_rows
            rows.setdefault(config, {}).setdefault(split, 0)
            rows[config][split] += count
            sizes[config] = sizes.get(config, 0) + path.stat().st_size

        def correct(metadata: dict[str, Any]) -> None:
            for entry in metadata["dataset_info"]:
                entry["download_size"] = sizes.get(entry["config_name"], 0)
                for split in entry["splits"]:
                    split["num_examples"] = rows.get(entry["config_name"], {}).get(split["name"], 0)

        def correct_statistics(statistics: dict[str, Any]) -> None:
            statistics["rows"] = rows
            statistics["pairs"]["kept"] = sum(rows.get("pairs", {}).values())

        self.edit_card(correct)
        self.edit_json("stats.json", correct_statistics)


@dataclass(frozen=True)
class PlantedFault:
    plant: Callable[[EditedRelease], object]
    message: str  # a regular expression, found in the message or an example of the first check
    checks: Sequence[str]  # exactly those that report faults
    seal: bool = True  # whether the manifest is written again afterwards
    recount: bool = True  # and the numbers of stats.json and the card corrected
    of: str = "release"  # the fixture to damage


FAULTS: dict[str, PlantedFault] = {}


def fault(message: str, *checks: str, seal: bool = True, recount: bool = True, of: str = "release"):
    def register(plant: Callable[[EditedRelease], object]):
        FAULTS[plant.__name__] = PlantedFault(plant, message, checks, seal, recount, of)
        return plant

    return register


def unsealed(message: str, *checks: str):
    return fault(message, *checks, seal=False, recount=False)


def planted(original: Path, folder: Path, name: str) -> EditedRelease:
    """Copy a release and plant a fault."""
    release = EditedRelease(original, folder)
    FAULTS[name].plant(release)
    if FAULTS[name].recount:
        release.recount()
    if FAULTS[name].seal:
        release.seal()
    return release
