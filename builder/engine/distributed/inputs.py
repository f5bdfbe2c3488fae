"""Batches on disk: what a rank on another machine needs to make the part of a batch, and nothing else."""

import os
from pathlib import Path
from typing import Any

import pyarrow as pa

from proofmatch.errors import ProofmatchError

from ...arrow import strings, write_arrow
from ...readers.archives import PlaceReader
from ...readers.documents import (
    Document,
    FaultyDocument,
    FileDocument,
    LoadedDocument,
    Place,
    file_document,
)
from ...readers.urls import RemoteDocument
from ...reasons import Reason
from ..batches import Batch

_SCHEMA = pa.schema(
    [
        ("kind", pa.string()),  # file, url, member, copy, fault
        ("name", pa.string()),
        ("stamp", pa.string()),
        ("where", pa.string()),  # path, URL, or what is wrong with it
        ("reason", pa.string()),
        ("size", pa.int64()),
        ("offset", pa.int64()),
        ("data", pa.large_binary()),  # of a document that can only be read from front to back
    ]
)


def write_inputs(batch: Batch, path: Path) -> None:
    """Write down where the documents of a batch are; those that only a stream has are copied."""
    rows = [_row(document) for document in batch.documents]
    columns = list(zip(*rows, strict=True))
    arrays = [
        strings(column) if field.type == pa.string() else pa.array(column, field.type)
        for column, field in zip(columns, _SCHEMA, strict=True)
    ]
    write_arrow(pa.Table.from_arrays(arrays, schema=_SCHEMA), path, compression="zstd")


def _row(document: Document) -> tuple[object, ...]:
    name, stamp, size = document.name, document.stamp, document.size
    match document:
        case FileDocument(path=path):
            return "file", name, stamp, os.path.abspath(path), "", size, 0, None  # noqa: PTH100 - links stay
        case RemoteDocument(url=url):
            return "url", name, stamp, url, "", size, 0, None
        case FaultyDocument(reason=reason, detail=detail):
            return "fault", name, stamp, detail, reason.value, size, 0, None
        case LoadedDocument(place=Place(archive=archive, offset=offset)):
            return "member", name, stamp, os.path.abspath(archive), "", size, offset, None  # noqa: PTH100
        case _:
            return "copy", name, stamp, "", "", size, 0, document.read()


def are_inputs(path: Path) -> bool:
    """Tell whether a batch was written down completely."""
    try:
        with pa.memory_map(str(path)) as source:
            return pa.ipc.open_file(source).schema == _SCHEMA
    except (OSError, pa.ArrowInvalid):
        return False


def read_inputs(path: Path, index: int, fingerprint: str, max_bytes: int, places: PlaceReader) -> Batch:
    """Find the documents of a batch again, and make sure that they are what they were.

    Args:
        path: What `write_inputs` has written.
        index: The batch's place in the stream.
        fingerprint: Its fingerprint.
        max_bytes: Limit for documents behind URLs.
        places: Reads members of archives.

    Raises:
        ProofmatchError: If one of them has changed, or is not to be seen from this machine.
    """
    try:
        with pa.memory_map(str(path)) as source:
            rows = pa.ipc.open_file(source).read_all().to_pylist()
    except (OSError, pa.ArrowInvalid):
        raise ProofmatchError(f"{path} is missing or damaged; run the same command again") from None
    documents = tuple(_document(row, max_bytes, places) for row in rows)
    for row, document in zip(rows, documents, strict=True):
        if document.stamp != row["stamp"]:
            path.unlink(missing_ok=True)  # the next plan writes it anew
            raise ProofmatchError(
                f"{row['where'] or row['name']} is not what it was when the build was planned; "
                "run the same command again to plan anew"
            )
    return Batch(index, fingerprint, documents)


def _document(row: dict[str, Any], max_bytes: int, places: PlaceReader) -> Document:
    name, where, size = row["name"], row["where"], row["size"]
    try:
        match row["kind"]:
            case "file":
                return file_document(Path(where), name)
            case "url":
                return RemoteDocument(name, size, where, max_bytes)
            case "member":
                place = Place(where, row["offset"])
                return LoadedDocument(name, places.read(place, size), place)
            case "copy":
                return LoadedDocument(name, row["data"])
            case _:
                return FaultyDocument(name, Reason(row["reason"]), where, size)
    except Exception as error:  # of an archive with other content, zipfile raises what it likes
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise ProofmatchError(
            f"{where} cannot be read on {os.uname().nodename} ({reason}); every machine of the cluster "
            "must see the sources under the same path, unchanged"
        ) from None
