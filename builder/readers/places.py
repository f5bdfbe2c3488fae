"""Documents of an archive, read each by itself from its place."""

import zipfile
from pathlib import Path
from types import TracebackType

from .archives import ZIP_SUFFIXES, read_zip_member
from .documents import Place


class PlaceReader:
    """Reads documents from their places; keeps the last archive open, as neighbours follow each other."""

    def __init__(self) -> None:
        self._path = ""
        self._archive: zipfile.ZipFile | None = None
        self._members: dict[int, zipfile.ZipInfo] = {}

    def __enter__(self) -> "PlaceReader":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def read(self, place: Place, size: int) -> bytes:
        """Read a document.

        Raises:
            OSError: If the archive cannot be read.
            Exception: What `zipfile` raises where it has another content than when the place was noted.
        """
        if place.archive.lower().endswith(ZIP_SUFFIXES):
            archive = self._opened(place.archive)
            return read_zip_member(archive, self._members[place.offset], size + 1)
        with Path(place.archive).open("rb") as file:
            file.seek(place.offset)
            return file.read(size)

    def _opened(self, path: str) -> zipfile.ZipFile:
        if self._archive is None or self._path != path:
            self._close()
            self._path, self._archive = path, zipfile.ZipFile(path)
            self._members = {member.header_offset: member for member in self._archive.infolist()}
        return self._archive

    def _close(self) -> None:
        if self._archive is not None:
            self._archive.close()
            self._archive = None
