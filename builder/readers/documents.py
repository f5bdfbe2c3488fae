"""A document that has been found but perhaps not read yet; small enough to be sent to a worker."""

import os
import re
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from proofmatch.storage import SourceChanged

from ..reasons import DocumentError, Reason
from .public import public_words

ARTICLE_SUFFIXES = (".xhtml", ".html", ".htm", ".xml")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def is_article_name(name: str) -> bool:
    """Tell articles from pictures, stylesheets and the hidden files of file managers by their names."""
    base = name.rsplit("/", 1)[-1]
    return base.lower().endswith(ARTICLE_SUFFIXES) and not base.startswith(".")


def clean_name(name: str) -> str:
    """Make a name of any file system or archive fit to be stored and shown.

    Bytes that are no text and characters that are controls become U+FFFD, and there is no leading `./`.
    """
    name = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace").removeprefix("./")
    return name if name.isprintable() else _CONTROLS.sub("\ufffd", name)


class Document(Protocol):
    """A document of a source.

    Attributes:
        name: Its path within the source, with `/` between folders.
        size: Its size in bytes.
        stamp: Changes when the document does, so that finished work is recognised after a restart.
    """

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def size(self) -> int: ...  # noqa: D102
    @property
    def stamp(self) -> str: ...  # noqa: D102

    def read(self) -> bytes:
        """Get the bytes.

        Raises:
            DocumentError: If that is impossible.
            SourceChanged: If they are no longer those that the stamp is of.
        """
        ...


@dataclass(frozen=True, slots=True)
class FileDocument:
    """A file on disk, read by the worker that gets it."""

    name: str
    size: int
    stamp: str
    path: str

    def read(self) -> bytes:
        """Read the file, which must still be the one that was found: half of another is no article."""
        try:
            with open(self.path, "rb", buffering=0) as file:  # noqa: PTH123 - a third faster for small files
                data = file.read()
                status = os.fstat(file.fileno())
        except FileNotFoundError:
            raise SourceChanged(self.path) from None
        except OSError as error:
            raise DocumentError(Reason.UNREADABLE, error.strerror or str(error)) from None
        if _stamp(self.name, status) != self.stamp:
            raise SourceChanged(self.path)
        return data


def file_document(path: Path, name: str) -> FileDocument:
    """Describe a file as it is now."""
    status, name = path.stat(), clean_name(name)
    return FileDocument(name, status.st_size, _stamp(name, status), str(path))


def _stamp(name: str, status: os.stat_result) -> str:
    return f"{name}:{status.st_size}:{status.st_mtime_ns}"


@dataclass(frozen=True, slots=True)
class RemoteDocument:
    """A file behind a URL, fetched by the worker that gets it."""

    name: str
    size: int  # as the file system tells; some do not
    url: str
    max_bytes: int

    @property
    def stamp(self) -> str:
        """URL and size; remote file systems have no common notion of a modification time."""
        return f"{self.url}:{self.size}"

    def read(self) -> bytes:
        """Fetch the file."""
        import fsspec

        try:
            with fsspec.open(self.url, "rb") as file:
                data = file.read(self.max_bytes + 1)  # pyright: ignore[reportAttributeAccessIssue]
        except Exception as error:  # every file system has exceptions of its own
            raise DocumentError(Reason.UNREADABLE, public_words(str(error), self.url)) from None
        if len(data) > self.max_bytes:
            raise DocumentError(Reason.TOO_LARGE, f"more than {self.max_bytes} bytes")
        return data


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a local archive a document can be read by itself, without what is before it.

    Attributes:
        archive: Path of the archive.
        offset: Where the document begins: its bytes in a plain tar file, its header in a zip file.
    """

    archive: str
    offset: int


@dataclass(frozen=True, slots=True)
class LoadedDocument:
    """A member of an archive: archives are read once, from front to back, so the bytes travel along."""

    name: str
    data: bytes
    place: Place | None = None  # none in a compressed tar file, nor behind a URL

    @property
    def size(self) -> int:
        """Number of bytes."""
        return len(self.data)

    @property
    def stamp(self) -> str:
        """Checksum of the bytes."""
        return f"{self.name}:{zlib.crc32(self.data)}"

    def read(self) -> bytes:
        """Hand out the bytes."""
        return self.data


@dataclass(frozen=True, slots=True)
class FaultyDocument:
    """A document that is known beforehand to be unreadable, and why."""

    name: str
    reason: Reason
    detail: str
    size: int = 0

    @property
    def stamp(self) -> str:
        """The fault itself."""
        return f"{self.name}:{self.reason}:{self.detail}"

    def read(self) -> bytes:
        """Raise what is wrong."""
        raise DocumentError(self.reason, self.detail)
