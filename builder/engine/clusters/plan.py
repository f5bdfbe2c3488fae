"""The plan of a distributed build: all batches in order, and on disk the documents of each.

The driver makes it once. A rank reads only its own batches from it, and never lists the sources.
"""

import json
import os
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pyarrow as pa

from proofmatch import __version__
from proofmatch.errors import ProofmatchError
from proofmatch.progress import Progress
from proofmatch.storage import write_atomically

from ...arrow import has_schema, read_arrow, strings, write_arrow
from ...latex.conversion import Latexml
from ...pair_parts import is_complete
from ...readers.archives import PlaceReader
from ...readers.documents import (
    Document,
    FaultyDocument,
    FileDocument,
    LoadedDocument,
    Place,
    file_document,
)
from ...readers.sources import read_sources, state_of
from ...readers.tex_folders import TexDocument, TexFolders
from ...readers.urls import RemoteDocument
from ...reasons import Reason
from ...settings import BuildSettings
from ..local import Batch, cut_into_batches
from ..run_folder import RunFolder

_PLAN = "plan.json"

_INPUT_SCHEMA = pa.schema(
    [
        ("kind", pa.string()),  # file, tex, url, member, copy, fault
        ("name", pa.string()),
        ("stamp", pa.string()),
        ("where", pa.string()),  # path, URL, or the detail of a fault
        ("reason", pa.string()),
        ("size", pa.int64()),
        ("offset", pa.int64()),
        ("data", pa.large_binary()),  # of a document that can only be read as part of a stream
    ]
)


@dataclass(frozen=True, slots=True)
class PlannedBatch:
    """A batch of the plan, without its documents."""

    index: int
    fingerprint: str

    @property
    def part_name(self) -> str:
        """The file name of its part."""
        return Batch(self.index, self.fingerprint, ()).part_name


@dataclass(frozen=True, slots=True)
class Plan:
    """All batches of a build.

    Attributes:
        run: The run folder of the build.
        settings: Its settings.
        configuration: The hash of its parameters.
        state: The state of the sources when the plan was made.
        batches: The batches, in order.
        latexml: What converts LaTeX sources, if there are any.
    """

    run: RunFolder
    settings: BuildSettings
    configuration: str
    state: str
    batches: tuple[PlannedBatch, ...]
    latexml: Latexml | None = None

    def missing(self) -> list[PlannedBatch]:
        """List the batches without a complete part."""
        return [batch for batch in self.batches if not self.run.is_done(batch)]

    def share(self, rank: int, world: int) -> list[PlannedBatch]:
        """List the batches of a rank; every batch belongs to exactly one."""
        return list(self.batches[rank::world])

    def load(self, batch: PlannedBatch, places: PlaceReader) -> Batch:
        """Find the documents of a batch, and make sure that they have not changed.

        Args:
            batch: The batch.
            places: Reads members of archives.

        Raises:
            ProofmatchError: If a document has changed or cannot be read on this machine.
        """
        path = _input_path(self.run, batch)
        try:
            rows = read_arrow(path).to_pylist()
        except (OSError, pa.ArrowInvalid):
            raise ProofmatchError(f"{path} is missing or damaged; run the same command again") from None
        documents = tuple(self._document(row, places) for row in rows)
        for row, document in zip(rows, documents, strict=True):
            if document.stamp != row["stamp"]:
                path.unlink(missing_ok=True)  # the next plan writes it again
                raise ProofmatchError(
                    f"{row['where'] or row['name']} has changed since the build was planned; "
                    "run the same command again to make a new plan"
                )
        return Batch(batch.index, batch.fingerprint, documents)

    def _document(self, row: dict[str, Any], places: PlaceReader) -> Document:
        name, where, size = row["name"], row["where"], row["size"]
        try:
            match row["kind"]:
                case "file":
                    return file_document(Path(where), name)
                case "tex":
                    return TexFolders(Path(where).parent).article(Path(where), name)
                case "url":
                    return RemoteDocument(name, size, where, self.settings.max_document_bytes)
                case "member":
                    place = Place(where, row["offset"])
                    return LoadedDocument(name, places.read(place, size), place)
                case "copy":
                    return LoadedDocument(name, row["data"])
                case _:
                    return FaultyDocument(name, Reason(row["reason"]), where, size)
        except Exception as error:  # zipfile raises many kinds if the archive was replaced
            reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise ProofmatchError(
                f"{where} cannot be read on {os.uname().nodename} ({reason}); every machine of the cluster "
                "must see the sources under the same path, unchanged"
            ) from None


def make_plan(
    run: RunFolder,
    sources: list[str],
    settings: BuildSettings,
    parameters: dict[str, Any],
    latexml: Latexml | None = None,
) -> Plan:
    """Plan a build, or reuse the plan of an earlier attempt if the sources have not changed."""
    configuration, state = configuration_hash(parameters), state_of(sources)
    plan = read_plan(run)
    wanted = configuration, state, latexml
    if plan and (plan.configuration, plan.state, plan.latexml) == wanted and _has_inputs(plan):
        return plan
    (run.path / _PLAN).unlink(missing_ok=True)
    batches: list[PlannedBatch] = []
    with Progress("planning", "batches") as progress:
        documents = 0
        documents_found = read_sources(sources, settings.max_document_bytes, latexml is not None)
        for batch in cut_into_batches(documents_found):
            planned = PlannedBatch(batch.index, batch.fingerprint)
            path = _input_path(run, planned)
            if not has_schema(path, _INPUT_SCHEMA) and not run.is_done(batch):
                path.parent.mkdir(exist_ok=True)
                _write_input(batch, path)
            batches.append(planned)
            documents += len(batch.documents)
            progress.summary = f"{documents:,} documents"
            progress.advance()
        progress.summary = f"{documents:,} documents in {len(batches):,} batches"
    content = {
        "proofmatch": __version__,
        "configuration": configuration,
        "state": state,
        "settings": asdict(settings),
        "latexml": latexml and latexml.as_dict(),
        "batches": [batch.fingerprint for batch in batches],
    }
    write_atomically(run.path / _PLAN, json.dumps(content) + "\n")
    return Plan(run, settings, configuration, state, tuple(batches), latexml)


def read_plan(run: RunFolder) -> Plan | None:
    """Read the plan of a build, or None if there is none."""
    try:
        content = json.loads((run.path / _PLAN).read_text(encoding="utf-8"))
        settings = BuildSettings(**content["settings"])
        batches = tuple(PlannedBatch(*entry) for entry in enumerate(content["batches"]))
        latexml = Latexml.of(content.get("latexml"))
        return Plan(run, settings, content["configuration"], content["state"], batches, latexml)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError):
        raise ProofmatchError(
            f"{run.path / _PLAN} is damaged; delete it and run the same command again"
        ) from None


def read_shared_plan(release: Path, configuration: str, version: str, machine: str) -> Plan:
    """Read the plan on a machine of the cluster.

    Args:
        release: The release folder.
        configuration: The hash of the configuration that the driver has planned.
        version: The driver's version of this package.
        machine: The name of this machine.

    Raises:
        ProofmatchError: If this machine does not see the plan, or has another version of this package.
    """
    plan = read_plan(RunFolder(release, is_complete))
    if plan is None or plan.configuration != configuration:
        raise ProofmatchError(
            f"{machine} does not see the plan of the build in {release}; "
            "the release folder must be on a file system that all machines share"
        )
    if version != __version__:
        raise ProofmatchError(f"{machine} has proofmatch {__version__}, but the driver has {version}")
    return plan


def configuration_hash(parameters: dict[str, Any]) -> str:
    """Name a configuration: two builds of the same sources with equal hashes make the same release."""
    return blake2b(json.dumps(parameters, sort_keys=True).encode(), digest_size=8).hexdigest()


def _has_inputs(plan: Plan) -> bool:
    return all(has_schema(_input_path(plan.run, batch), _INPUT_SCHEMA) for batch in plan.missing())


def _input_path(run: RunFolder, batch: PlannedBatch) -> Path:
    return (run.path / "inputs" / batch.part_name).with_suffix(".documents")


def _write_input(batch: Batch, path: Path) -> None:
    """Record where the documents of a batch are; copy those that can only be read from a stream."""
    columns = list(zip(*map(_input_row, batch.documents), strict=True))
    arrays = [
        strings(column) if field.type == pa.string() else pa.array(column, field.type)
        for column, field in zip(columns, _INPUT_SCHEMA, strict=True)
    ]
    write_arrow(pa.Table.from_arrays(arrays, schema=_INPUT_SCHEMA), path, compression="zstd")


def _input_row(document: Document) -> tuple[Any, ...]:
    name, stamp, size = document.name, document.stamp, document.size
    match document:
        case FileDocument(path=path):
            return "file", name, stamp, os.path.abspath(path), "", size, 0, None  # noqa: PTH100 - links stay
        case TexDocument(main=main):
            return "tex", name, stamp, os.path.abspath(main.path), "", size, 0, None  # noqa: PTH100
        case RemoteDocument(url=url):
            return "url", name, stamp, url, "", size, 0, None
        case FaultyDocument(reason=reason, detail=detail):
            return "fault", name, stamp, detail, reason.value, size, 0, None
        case LoadedDocument(place=Place(archive=archive, offset=offset)):
            return "member", name, stamp, os.path.abspath(archive), "", size, offset, None  # noqa: PTH100
        case _:
            return "copy", name, stamp, "", "", size, 0, document.read()
