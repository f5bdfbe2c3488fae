"""What the user calls a SOURCE → its documents, in an order that is the same every time."""

import glob
import itertools
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from proofmatch.errors import ProofmatchError

from .archives import is_archive_name, read_archive
from .documents import Document, FileDocument, LoadedDocument, RemoteDocument, clean_name, is_article_name


def read_sources(sources: Iterable[str], max_bytes: int) -> Iterator[Document]:
    """Find the documents of all sources.

    Args:
        sources: Folders, glob patterns, archives, single articles, or fsspec URLs.
        max_bytes: Members of archives larger than this are not loaded.

    Raises:
        ProofmatchError: If a source does not exist or is of no known kind.
    """
    for source in sources:
        yield from _read_url(source, max_bytes) if "://" in source else _read_local(source, max_bytes)


def check_sources(sources: Iterable[str]) -> None:
    """Make sure before a long run that every local source exists.

    Raises:
        ProofmatchError: If one does not.
    """
    for source in sources:
        if "://" not in source and not Path(source).exists() and not glob.has_magic(source):
            raise ProofmatchError(
                f"source {source!r} does not exist; give a folder, a glob, an archive or a URL"
            )


def _read_local(source: str, max_bytes: int) -> Iterator[Document]:
    path = Path(source)
    if path.is_dir():
        yield from _read_folder(path)
    elif path.is_file():
        yield from _read_file(path, max_bytes)
    elif glob.has_magic(source):
        matches = sorted(glob.glob(source, recursive=True))  # noqa: PTH207 - any pattern, absolute ones too
        if not matches:
            raise ProofmatchError(f"no file matches {source!r}; quote the pattern and check the folder")
        for match in map(Path, matches):
            if match.is_file() and (is_article_name(match.name) or is_archive_name(match.name)):
                yield from _read_file(match, max_bytes, _fixed_part(source))
    else:
        raise ProofmatchError(f"source {source!r} does not exist; give a folder, a glob, an archive or a URL")


def _read_folder(root: Path) -> Iterator[Document]:
    for folder, subfolders, files in os.walk(root):
        subfolders.sort()
        for file in sorted(files):
            path = Path(folder, file)
            # A pipe or device with an article's name would block the reader for ever.
            if is_article_name(file) and path.is_file():
                yield _file_document(path, path.relative_to(root).as_posix())


def _fixed_part(pattern: str) -> Path:
    """Take the folders of a pattern before the first one that is a pattern itself."""
    parts = Path(pattern).parts
    return Path(*itertools.takewhile(lambda part: not glob.has_magic(part), parts))


def _read_file(path: Path, max_bytes: int, root: Path | None = None) -> Iterator[Document]:
    if is_archive_name(path.name):
        try:
            with path.open("rb") as file:
                yield from read_archive(file, path.name, max_bytes)
        except PermissionError:
            raise ProofmatchError(f"{path} cannot be read; check its permissions") from None
    elif is_article_name(path.name):
        yield _file_document(path, path.relative_to(root or path.parent).as_posix())
    else:
        raise ProofmatchError(
            f"{path} is neither a folder nor an article (.xhtml, .html) "
            "nor an archive (.tar[.gz|.bz2|.xz], .zip)"
        )


def _file_document(path: Path, name: str) -> Document:
    status, name = path.stat(), clean_name(name)
    return FileDocument(name, status.st_size, f"{name}:{status.st_size}:{status.st_mtime_ns}", str(path))


def _read_url(url: str, max_bytes: int) -> Iterator[Document]:
    import fsspec

    try:
        filesystem, path = fsspec.url_to_fs(url)
        if is_archive_name(path):
            with filesystem.open(path, "rb") as file:
                yield from read_archive(file, path, max_bytes)
            return
        if glob.has_magic(path):
            found = filesystem.glob(path, detail=True)
        else:
            found = filesystem.find(path, detail=True)
    except (OSError, ValueError, ImportError) as error:
        raise ProofmatchError(f"source {url!r} cannot be opened: {error or type(error).__name__}") from None
    if glob.has_magic(path):
        root = str(_fixed_part(path))
    else:
        root = path.rpartition("/")[0] if path in found else path
    for file in sorted(found):
        if is_article_name(file) and found[file].get("type", "file") == "file":
            name = file.removeprefix(root).lstrip("/")
            if filesystem.protocol == "memory":
                # Lives in this process only: a worker could not open it.
                yield LoadedDocument(name, filesystem.cat_file(file))
            else:
                yield RemoteDocument(name, found[file].get("size") or 0, filesystem.unstrip_protocol(file))
