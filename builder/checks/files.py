"""The files of a release: listed in the manifest, unchanged, complete and readable."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from proofmatch.errors import one_line
from proofmatch.storage import sha256_of

from ..reasons import Reason
from ..release.schema import (
    CARD,
    DISCARDED,
    DISCARDED_SCHEMA,
    MANIFEST,
    SCHEMA_VERSION,
    SPLITS,
    STATISTICS,
    parse_shard,
    shard_name,
)
from ..variants.record import RECORD, RECORD_SCHEMA
from .evidence import CONFIG_NAMES, FAMILIES, Evidence, read_json
from .report import Fault, NotChecked, Note, Remark
from .values import UNREADABLE, Invalid, WrongSchema, compare_schemas, missing_values, only_in

_BUILD_FOLDER = ".build"


def check_manifest(evidence: Evidence) -> Iterator[Remark]:
    """Compare the folder with its manifest."""
    folder = evidence.folder
    if (folder / _BUILD_FOLDER).exists():
        yield Fault(f"{_BUILD_FOLDER} exists: the build is not finished; run the same build again")
    manifest = read_json(folder / MANIFEST)
    listed = manifest.get("files") if isinstance(manifest, dict) else None
    if not isinstance(manifest, dict) or not isinstance(listed, dict):
        if not (folder / MANIFEST).is_file():
            yield Fault(f"{MANIFEST} is missing: the release is not complete")
        else:
            yield Fault(f"{MANIFEST} is not a manifest: no JSON object with `files`")
        yield NotChecked("sizes and hashes of the files, which are in the manifest")
        return
    if (found := manifest.get("schema_version")) not in range(1, SCHEMA_VERSION + 1):
        yield Fault(f"{MANIFEST} has schema version {found!r}; this proofmatch knows {SCHEMA_VERSION}")
    if not isinstance(manifest.get("parameters"), dict):
        yield Fault(f"{MANIFEST} has no `parameters`, so it does not say how the release was made")
    yield from _local_paths(evidence.parameters)
    for name, entry in listed.items():
        yield from _changed_file(folder, name, entry)
        evidence.tick(f"hash of {name}")
    for name in evidence.inventory.files:
        if name not in listed and name != MANIFEST:
            yield Fault(f"{name} is not listed in {MANIFEST}")
    sizes = [entry.get("bytes") for entry in listed.values() if isinstance(entry, dict)]
    megabytes = sum(size for size in sizes if isinstance(size, int)) / 1e6
    yield Note(f"{len(listed)} files, {megabytes:,.1f} MB")


def _changed_file(folder: Path, name: str, entry: Any) -> Iterator[Fault]:  # noqa: ANN401 - from a file
    path = folder / name
    if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts or "\\" in name:
        yield Fault(f"{MANIFEST} lists {name}, which is outside the release")
    elif not isinstance(entry, dict) or not {"bytes", "sha256"} <= entry.keys():
        yield Fault(f"{MANIFEST} does not have bytes and sha256 of {name}")
    elif not _is_file(path):
        yield Fault(f"{name} is listed in {MANIFEST} but missing")
    elif path.stat().st_size != entry["bytes"]:
        yield Fault(f"{name} has {path.stat().st_size} bytes, not {entry['bytes']} as in {MANIFEST}")
    elif sha256_of(path) != entry["sha256"]:
        yield Fault(f"{name} was changed: its sha256 is not the one in {MANIFEST}")


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name that no file can have
        return False


def _local_paths(parameters: Any) -> Iterator[Fault]:  # noqa: ANN401 - from a file
    """Find sources given by an absolute local path instead of by name."""
    while isinstance(parameters, dict):
        for key in ("sources", "files"):
            names = parameters.get(key)
            for name in names if isinstance(names, list) else [names]:
                if not isinstance(name, str) or "://" in name:
                    continue
                if PurePosixPath(name).is_absolute() or PureWindowsPath(name).is_absolute():
                    where = f"`{key}` has {name}, an absolute local path"
                    yield Fault(f"{MANIFEST}: {where}, not a name or URL")
        parameters = parameters.get("variant_of")


def check_layout(evidence: Evidence) -> Iterator[Remark]:
    """Check that no file, config, split or shard is missing or misnamed."""
    inventory = evidence.inventory
    for name in (CARD, STATISTICS, DISCARDED):
        if name not in inventory.files:
            yield Fault(f"{name} is missing: every release has one")
    for config in sorted(inventory.configs() - set(CONFIG_NAMES)):
        yield Fault(f"data/{config} is not a config; the configs are {', '.join(CONFIG_NAMES)}")
    shards = 0
    for config in CONFIG_NAMES:
        names = inventory.in_config(config)
        if not names:
            yield Fault(f"config {config} is missing: there is nothing in data/{config}")
            continue
        parsed = {name: parse_shard(name) for name in names}
        for name, found in parsed.items():
            if not found or found[0] not in SPLITS:
                yield Fault(f"data/{config}/{name} is not named like a shard (train-00000-of-00001.parquet)")
        for split in evidence.splits(config):
            numbers = [(found[1], found[2]) for found in parsed.values() if found and found[0] == split]
            shards += len(numbers)
            yield from _missing_shards(config, split, numbers)
    yield Note(f"{shards} shards of {len(CONFIG_NAMES)} configs")


def _missing_shards(config: str, split: str, numbers: list[tuple[int, int]]) -> Iterator[Fault]:
    totals = sorted({total for _, total in numbers})
    if not totals:
        yield Fault(f"split {split} of {config} is missing: there is no data/{config}/{split}-*.parquet")
    elif len(totals) > 1:
        yield Fault(
            f"the shards of {config} {split} disagree on how many there are: {', '.join(map(str, totals))}"
        )
    else:
        (total,) = totals
        present = {number for number, _ in numbers}
        missing = [shard_name(split, number, total) for number in range(total) if number not in present]
        yield from Fault.if_any(f"shards of {config} {split} are missing", missing)
        beyond = sorted(number for number in present if number >= total)
        yield from Fault.if_any(f"{config} {split} has shards beyond its total of {total}", beyond)


def check_schema(evidence: Evidence) -> Iterator[Remark]:
    """Report what was wrong with the tables when they were read."""
    yield from evidence.reading_faults
    rows = sum(map(len, evidence.tables.values()))
    yield Note(f"{rows:,} rows in {len(evidence.tables)} tables")


def check_discarded(evidence: Evidence) -> Iterator[Remark]:
    """Check the reasons in `discarded.parquet`."""
    if DISCARDED not in evidence.inventory.files:
        yield NotChecked(f"{DISCARDED}, which is missing")
        return
    reasons: Counter[str | None] = Counter()
    try:
        for batch in _batches(evidence, DISCARDED, DISCARDED_SCHEMA):
            reasons.update(batch.column("reason").to_pylist())
    except (*UNREADABLE, WrongSchema) as error:
        yield Fault(f"{DISCARDED} cannot be used: {one_line(str(error))}")
        return
    known = set(Reason)
    unknown = (f"{reason!r} ({count} times)" for reason, count in reasons.items() if reason not in known)
    yield from Fault.if_any(f"{DISCARDED} has unknown reasons", unknown)
    yield Note(f"{reasons.total():,} documents and pairs were discarded")


def check_renamed(evidence: Evidence) -> Iterator[Remark]:
    """Check that `renamed.parquet` of a variant has the names of every proof; other releases have none."""
    if "variant_of" not in evidence.parameters:
        yield Note("this is not a variant")
        return
    if RECORD not in evidence.inventory.files:
        yield Fault(f"{RECORD} is missing, so the original names cannot be restored")
        return
    try:
        table = pa.Table.from_batches(_batches(evidence, RECORD, RECORD_SCHEMA), RECORD_SCHEMA)
    except (*UNREADABLE, WrongSchema) as error:
        yield Fault(f"{RECORD} cannot be used: {one_line(str(error))}")
        return
    for batch in table.combine_chunks().to_batches():
        ids = batch.column("id")
        for what, rows in (*missing_values(batch, RECORD_SCHEMA), *_invalid_names(batch)):
            yield Fault.about(f"{RECORD} has rows with {what}", ids.filter(pa.array(rows)).to_pylist())
    yield from _wrong_pairs(evidence, table)
    yield Note(f"the names in {len(table):,} proofs")


def _batches(evidence: Evidence, name: str, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Read a file beside the tables."""
    with pq.ParquetFile(evidence.folder / name) as parquet:
        compare_schemas(parquet.schema_arrow, schema)
        for batch in parquet.iter_batches():
            evidence.tick(name)
            batch.validate(full=True)
            yield batch


def _invalid_names(batch: pa.RecordBatch) -> Invalid:
    columns = [[names or [] for names in batch.column(name).to_pylist()] for name in ("original", "renamed")]
    pairs = zip(*columns, strict=True)
    different = np.array([len(original) != len(renamed) for original, renamed in pairs], bool)
    if different.any():
        yield "more original names than renamed ones, or fewer", different
    for name, column in zip(("original", "renamed"), columns, strict=True):
        repeated = np.array([len(set(names)) < len(names) for names in column], bool)
        if repeated.any():
            yield f"a name twice among its {name}", repeated


def _wrong_pairs(evidence: Evidence, table: pa.Table) -> Iterator[Remark]:
    """Compare the record's ids with the ids of the pairs in both families, which can differ in imports."""
    configs = [f"pairs{suffix}" for suffix in FAMILIES]
    if not all(map(evidence.has, configs)):
        yield NotChecked(f"whether {RECORD} has every pair, because not all pairs could be read")
        return
    names = ("id", "proof_id")
    expected = {name: pa.concat_arrays([evidence.ids(config, name) for config in configs]) for name in names}
    for name in names:
        ids = table.column(name).combine_chunks()
        yield from Fault.if_any(f"{RECORD} lacks {name}s of the pairs", only_in(expected[name], ids).unique())
        yield from Fault.if_any(f"{RECORD} has {name}s that no pair has", only_in(ids, expected[name]))
        repeated = (value for value, count in Counter(ids.to_pylist()).items() if count > 1)
        yield from Fault.if_any(f"{RECORD} has the same {name} more than once", repeated)
    proof_of = dict(zip(*(expected[name].to_pylist() for name in names), strict=True))
    rows = zip(*(table.column(name).to_pylist() for name in names), strict=True)
    wrong = (f"{pair} and {proof}" for pair, proof in rows if proof_of.get(pair, proof) != proof)
    yield from Fault.if_any(f"{RECORD} has pairs with the proof_id of another pair", wrong)
