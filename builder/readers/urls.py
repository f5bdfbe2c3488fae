"""Sources behind URLs, through fsspec."""

import glob
from collections.abc import Iterator
from typing import Any

from proofmatch.errors import ProofmatchError
from proofmatch.storage import SourceChanged

from .archives import is_archive_name, read_archive
from .documents import Document, LoadedDocument, RemoteDocument, clean_name, is_article_name
from .patterns import fixed_part
from .public import public_url, public_words

# A worker could not open these: what is in memory is in this process only, and of a file inside an archive
# behind a URL (`zip://…::https://…`) the file system forgets where the archive is.
_READ_HERE = ("memory", "zip", "tar")


def read_url(url: str, max_bytes: int) -> Iterator[Document]:
    """Find the documents of an archive, a folder, a pattern or a single article behind a URL.

    Raises:
        ProofmatchError: If it cannot be read.
        SourceChanged: If it is an archive that somebody has changed meanwhile.
    """
    import fsspec  # here, because a build from local files has no need of it

    try:
        filesystem, path = fsspec.url_to_fs(url)
        if is_archive_name(public_url(path)):
            before = _state(filesystem, path)
            with filesystem.open(path, "rb") as file:
                yield from read_archive(file, public_url(path), max_bytes)
            if _state(filesystem, path) != before:
                raise SourceChanged(public_url(url))
        else:
            yield from _read_files(filesystem, path, max_bytes)
    except SourceChanged:
        raise
    except Exception as error:  # every file system has exceptions of its own
        raise _unreadable(url, error) from None


def stamps_of_url(url: str) -> Iterator[str]:
    """Describe the files behind a URL, so far as its file system tells.

    Raises:
        ProofmatchError: If it cannot be reached.
    """
    import fsspec

    try:
        filesystem, path = fsspec.url_to_fs(url)
        if is_archive_name(public_url(path)):
            yield f"{url}:{_state(filesystem, path)}"
        else:
            yield from (document.stamp for document in _read_files(filesystem, path, 0))
    except Exception as error:  # every file system has exceptions of its own
        raise _unreadable(url, error) from None


def _state(filesystem: Any, path: str) -> str:  # noqa: ANN401 - untyped
    """Describe a file by what its file system tells now: size, time, checksum."""
    filesystem.invalidate_cache()
    return repr(sorted(filesystem.info(path).items()))


def _unreadable(url: str, error: Exception) -> ProofmatchError:
    reason = public_words(str(error), url) or type(error).__name__
    return ProofmatchError(
        f"source {public_url(url)!r} cannot be read: {reason}; check the address and try again"
    )


def _read_files(filesystem: Any, path: str, max_bytes: int) -> Iterator[Document]:  # noqa: ANN401 - untyped
    if glob.has_magic(path):
        found, root = filesystem.glob(path, detail=True), str(fixed_part(path))
    else:
        found = filesystem.find(path, detail=True)
        root = public_url(path).rpartition("/")[0] if path in found else public_url(path)
    for file in sorted(found):
        if not is_article_name(public_url(file)) or found[file].get("type", "file") != "file":
            continue
        name = clean_name(public_url(file).removeprefix(root).lstrip("/"))
        if filesystem.protocol in _READ_HERE:
            yield LoadedDocument(name, filesystem.cat_file(file))
        else:
            size = found[file].get("size") or 0
            yield RemoteDocument(name, size, filesystem.unstrip_protocol(file), max_bytes)
