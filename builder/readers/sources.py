"""A SOURCE of the command line → its documents, always in the same order."""

import glob
import os
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from proofmatch.errors import ProofmatchError
from proofmatch.storage import unchanged

from ..reasons import Reason
from .archives import is_archive_name, read_archive
from .documents import Document, FaultyDocument, clean_name, file_document, is_article_name
from .urls import fixed_part, read_url, stamps_of_url


def read_sources(sources: Iterable[str], max_bytes: int) -> Iterator[Document]:
    """Find the documents of folders, glob patterns, archives, single articles and fsspec URLs.

    Members of archives larger than `max_bytes` are not loaded.
    """
    for source in sources:
        check_sources([source])
        yield from read_url(source, max_bytes) if "://" in source else _read_local(source, max_bytes)


def check_sources(sources: Iterable[str]) -> None:
    """Make sure before a long run that every local source exists."""
    for source in sources:
        if "://" in source or (source and os.path.exists(source)):  # noqa: PTH110 - never raises
            continue
        if not source or not glob.has_magic(source):
            raise ProofmatchError(
                f"source {source!r} does not exist; give a folder, a glob, an archive or a URL"
            )
        if next(glob.iglob(source, recursive=True), None) is None:  # noqa: PTH207 - absolute ones too
            raise ProofmatchError(f"no file matches {source!r}; quote the pattern and check the folder")


def state_of(sources: Iterable[str]) -> str:
    """Hash the names, sizes and modification times of the files of the sources, without reading them.

    A different hash means that results made from the sources are out of date.
    """
    state = blake2b(digest_size=16)
    for source in sources:
        for stamp in stamps_of_url(source) if "://" in source else map(_stamp_of, _find(source)):
            state.update(stamp.encode() + b"\n")
    return state.hexdigest()


class _Found(NamedTuple):
    """A file of a source, and the folder its name is relative to."""

    path: Path
    root: Path


def _read_local(source: str, max_bytes: int) -> Iterator[Document]:
    for found in _find(source):
        yield from [found] if isinstance(found, FaultyDocument) else _read_file(*found, max_bytes)


def _find(source: str) -> Iterator[_Found | FaultyDocument]:
    path = Path(source)
    if path.is_dir():
        yield from _search_folder(path, path)
    elif path.is_file():
        yield _Found(path, path.parent)
    else:
        root = fixed_part(source)
        for match in map(Path, sorted(glob.glob(source, recursive=True))):  # noqa: PTH207 - absolute ones too
            if match.is_dir() and "**" not in source:
                yield from _search_folder(match, root)
            elif match.is_file() and _is_wanted(match.name):
                yield _Found(match, root)


def _search_folder(folder: Path, root: Path) -> Iterator[_Found | FaultyDocument]:
    """Find the articles and archives in a folder and its subfolders."""
    unreadable: list[OSError] = []
    for place, subfolders, files in os.walk(folder, onerror=unreadable.append):
        subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
        for file in sorted(files):
            path = Path(place, file)
            # A pipe or device with an article's name would block the reader.
            if _is_wanted(file) and path.is_file():
                yield _Found(path, root)
    for error in unreadable:
        yield FaultyDocument(clean_name(str(error.filename)), Reason.UNREADABLE, error.strerror or str(error))


def _is_wanted(name: str) -> bool:
    return is_article_name(name) or (is_archive_name(name) and not name.startswith("."))


def _read_file(path: Path, root: Path, max_bytes: int) -> Iterator[Document]:
    if is_archive_name(path.name):
        try:
            with unchanged([path]), path.open("rb") as file:
                yield from read_archive(file, path.name, max_bytes, str(path))
        except PermissionError:
            raise ProofmatchError(f"{path} cannot be read; check its permissions") from None
    elif is_article_name(path.name):
        yield file_document(path, path.relative_to(root).as_posix())
    else:
        raise ProofmatchError(
            f"{path} is neither a folder nor an article (.xhtml, .html) "
            "nor an archive (.tar[.gz|.bz2|.xz], .zip)"
        )


def _stamp_of(found: _Found | FaultyDocument) -> str:
    document = found if isinstance(found, FaultyDocument) else file_document(found.path, str(found.path))
    return document.stamp
