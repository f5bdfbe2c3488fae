"""Documents of a source: found but perhaps not read yet, and small enough to be sent to a worker."""

import os
import re
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from proofmatch.storage import SourceChanged

from ..reasons import DocumentError, Reason

ARTICLE_SUFFIXES = (".xhtml", ".html", ".htm", ".xml")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def is_article_name(name: str) -> bool:
    """Tell articles from pictures, stylesheets and hidden files by their names."""
    base = name.rsplit("/", 1)[-1]
    return base.lower().endswith(ARTICLE_SUFFIXES) and not base.startswith(".")


def clean_name(name: str) -> str:
    """Make a name printable: invalid UTF-8 and control characters become U+FFFD; a leading `./` is cut."""
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
        """Get the bytes; raise DocumentError if they are unreadable, SourceChanged if they have changed."""
        ...


@dataclass(frozen=True, slots=True)
class FileDocument:
    """A file on disk, read by the worker that gets it."""

    name: str
    size: int
    stamp: str
    path: str

    def read(self) -> bytes:
        """Read the file, which must not have changed since it was found."""
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
class Place:
    """Where in a local archive a document can be read by itself."""

    archive: str
    offset: int  # start of the document's bytes in a plain tar file, of its header in a zip file


@dataclass(frozen=True, slots=True)
class LoadedDocument:
    """A member of an archive with its bytes, because archives are read once, from front to back."""

    name: str
    data: bytes
    place: Place | None = None  # None in a compressed tar file or behind a URL

    @property
    def size(self) -> int:
        """Number of bytes."""
        return len(self.data)

    @property
    def stamp(self) -> str:
        """Checksum of the bytes."""
        return f"{self.name}:{zlib.crc32(self.data)}"

    def read(self) -> bytes:
        """Get the bytes."""
        return self.data


@dataclass(frozen=True, slots=True)
class FaultyDocument:
    """A document that is already known to be unreadable, and why."""

    name: str
    reason: Reason
    detail: str
    size: int = 0

    @property
    def stamp(self) -> str:
        """The fault itself."""
        return f"{self.name}:{self.reason}:{self.detail}"

    def read(self) -> bytes:
        """Raise the fault."""
        raise DocumentError(self.reason, self.detail)
