"""Sources behind URLs, through fsspec."""

import glob
from collections.abc import Iterator
from typing import Any

from proofmatch.errors import ProofmatchError

from .archives import is_archive_name, read_archive
from .documents import Document, LoadedDocument, RemoteDocument, clean_name, is_article_name
from .patterns import fixed_part

# A worker could not open these: what is in memory is in this process only, and of a file inside an archive
# behind a URL (`zip://…::https://…`) the file system forgets where the archive is.
_READ_HERE = ("memory", "zip", "tar")


def read_url(url: str, max_bytes: int) -> Iterator[Document]:
    """Find the documents of an archive, a folder, a pattern or a single article behind a URL.

    Raises:
        ProofmatchError: If it cannot be read.
    """
    import fsspec  # here, because a build from local files has no need of it

    try:
        filesystem, path = fsspec.url_to_fs(url)
        if is_archive_name(path):
            with filesystem.open(path, "rb") as file:
                yield from read_archive(file, path, max_bytes)
        else:
            yield from _read_files(filesystem, path, max_bytes)
    except Exception as error:  # every file system has exceptions of its own
        raise ProofmatchError(
            f"source {url!r} cannot be read: {error or type(error).__name__}; check the address and try again"
        ) from error


def _read_files(filesystem: Any, path: str, max_bytes: int) -> Iterator[Document]:  # noqa: ANN401 - untyped
    if glob.has_magic(path):
        found, root = filesystem.glob(path, detail=True), str(fixed_part(path))
    else:
        found = filesystem.find(path, detail=True)
        root = path.rpartition("/")[0] if path in found else path
    for file in sorted(found):
        if not is_article_name(file) or found[file].get("type", "file") != "file":
            continue
        name = clean_name(file.removeprefix(root).lstrip("/"))
        if filesystem.protocol in _READ_HERE:
            yield LoadedDocument(name, filesystem.cat_file(file))
        else:
            size = found[file].get("size") or 0
            yield RemoteDocument(name, size, filesystem.unstrip_protocol(file), max_bytes)
